//! Rows of a kernel matrix: of one in memory, or computed when they are needed, the most useful of them kept.

use std::collections::HashMap;

use rayon::prelude::*;

use super::{Piece, add_kernel_rows};
use crate::array::DeviceMatrix;
use crate::cpu::svm::add_rows;
use crate::error::Result;

/// Rows that there is always room for.
const LEAST_ROWS: usize = 16;
/// Columns of a row that are computed together.
pub(crate) const BLOCK_COLUMNS: usize = 1024;
/// Rows that are computed at a time: a block of their columns stays in a cache.
const ROWS: usize = 256;

/// Computes parts of a kernel matrix.
pub(crate) trait RowSource: Sync {
    /// Rows and columns of the matrix.
    fn count(&self) -> usize;

    /// These rows with one another, on the CPU.
    fn square(&self, rows: &[usize]) -> Result<DeviceMatrix>;

    /// These rows, to be computed by blocks of columns.
    fn chosen(&self, rows: &[usize]) -> Result<Box<dyn ChosenRows + '_>>;

    /// The same for some of the rows and columns, ascending.
    fn part(&self, rows: &[usize]) -> Result<Box<dyn RowSource + '_>>;
}

/// Rows of a kernel matrix that are about to be computed.
pub(crate) trait ChosenRows: Sync {
    /// A block of [`BLOCK_COLUMNS`] columns, on the CPU.
    fn block(&self, number: usize) -> Result<DeviceMatrix>;
}

/// A row of the matrix that is added to the slopes, so many times, and whether it will be asked for again.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Change {
    pub factor: f64,
    pub row: usize,
    pub keep: bool,
}

/// A kernel matrix.
pub(crate) enum KernelMatrix<'a> {
    /// In memory, with so many numbers from one row to the next.
    Whole { matrix: &'a [f32], stride: usize },
    /// By rows.
    Rows(RowCache<'a>),
}

impl KernelMatrix<'_> {
    /// Rows that can be there at once.
    pub(crate) fn capacity(&self) -> usize {
        match self {
            KernelMatrix::Whole { stride, .. } => (*stride).max(1),
            KernelMatrix::Rows(cache) => cache.capacity,
        }
    }

    /// Some rows with one another, row by row.
    pub(crate) fn square(&self, rows: &[usize]) -> Result<Vec<f32>> {
        match self {
            KernelMatrix::Whole { .. } => {
                let values = |row: &usize| {
                    let values = self.row(*row);
                    rows.iter().map(move |column| values[*column])
                };
                Ok(rows.iter().flat_map(values).collect())
            }
            KernelMatrix::Rows(cache) => Ok(cache.source.square(rows)?.values()?.to_vec()),
        }
    }

    /// Adds Σ factor·(row of K) to the slopes; rows come in any order, and each no more than once a variable.
    pub(crate) fn add(&mut self, pieces: &[Piece], slope: &mut [f64], changes: &[Change]) -> Result<()> {
        match self {
            KernelMatrix::Whole { .. } => {
                let factors: Vec<(f64, usize)> = changes.iter().map(|change| (change.factor, change.row)).collect();
                add_kernel_rows(pieces, slope, self, &factors);
                Ok(())
            }
            KernelMatrix::Rows(cache) => {
                let sums = cache.sums(changes)?;
                for piece in pieces {
                    let slope = &mut slope[piece.first..piece.first + piece.count];
                    slope.iter_mut().zip(&sums[piece.row..]).for_each(|(slope, sum)| *slope += sum);
                }
                Ok(())
            }
        }
    }

    /// Sees to it that these rows, no more than the capacity, are there.
    pub(crate) fn bring(&mut self, rows: &[usize]) -> Result<()> {
        match self {
            KernelMatrix::Whole { .. } => Ok(()),
            KernelMatrix::Rows(cache) => {
                let changes: Vec<Change> = rows.iter().map(|&row| Change { factor: 0.0, row, keep: true }).collect();
                cache.sums(&changes).map(|_| ())
            }
        }
    }

    /// A row that is there.
    pub(crate) fn row(&self, row: usize) -> &[f32] {
        match self {
            KernelMatrix::Whole { matrix, stride } => &matrix[row * stride..][..*stride],
            KernelMatrix::Rows(cache) => cache.row(row),
        }
    }
}

/// The rows that were used last, within a number of bytes.
pub(crate) struct RowCache<'a> {
    source: &'a dyn RowSource,
    capacity: usize,
    /// Rows one after the other, as they came.
    values: Vec<f32>,
    /// Which row is in a place, and when it was last used.
    places: Vec<(usize, u64)>,
    place_of: HashMap<usize, usize>,
    time: u64,
    /// Rows that were asked for and were there.
    pub hits: u64,
    /// Rows that were computed.
    pub computed: u64,
    /// Kernel values that were computed.
    pub evaluations: u64,
}

impl<'a> RowCache<'a> {
    /// Room for so many bytes, and for a few rows at the least.
    pub(crate) fn new(source: &'a dyn RowSource, bytes: usize) -> RowCache<'a> {
        let n = source.count();
        let capacity = (bytes / (4 * n.max(1))).clamp(LEAST_ROWS, n.max(LEAST_ROWS));
        // The room is never exceeded, and is not touched before rows come.
        let (values, places, place_of) = (Vec::with_capacity(capacity * n), vec![], HashMap::new());
        RowCache { source, capacity, values, places, place_of, time: 0, hits: 0, computed: 0, evaluations: 0 }
    }

    /// The part of some rows and columns, ascending, on a source of its own: what is kept of those rows goes along.
    pub(crate) fn part<'b>(&self, source: &'b dyn RowSource, rows: &[usize]) -> RowCache<'b> {
        let bytes = 4 * self.capacity * self.source.count();
        let mut part = RowCache::new(source, bytes);
        let mut kept: Vec<(u64, usize, usize)> = vec![];
        for (number, row) in rows.iter().enumerate() {
            kept.extend(self.place_of.get(row).map(|&place| (self.places[place].1, number, *row)));
        }
        // The last used ones, if there is not room for all.
        kept.sort_unstable_by(|a, b| b.cmp(a));
        kept.truncate(part.capacity);
        for (_, number, row) in kept {
            let values = self.row(row);
            part.place_of.insert(number, part.places.len());
            part.places.push((number, 0));
            part.values.extend(rows.iter().map(|column| values[*column]));
        }
        part
    }

    /// What computes the rows.
    pub(crate) fn source(&self) -> &'a dyn RowSource {
        self.source
    }

    /// Counts what a part of it did as its own.
    pub(crate) fn count(&mut self, part: &RowCache<'_>) {
        self.hits += part.hits;
        self.computed += part.computed;
        self.evaluations += part.evaluations;
    }

    fn row(&self, row: usize) -> &[f32] {
        let n = self.source.count();
        let place = self.place_of.get(&row).copied().unwrap_or(0);
        debug_assert_eq!(self.places[place].0, row);
        &self.values[place * n..(place + 1) * n]
    }

    /// Σ factor·(row of K), and keeps those rows that are to be kept.
    fn sums(&mut self, changes: &[Change]) -> Result<Vec<f64>> {
        self.time += 1;
        let mut changes = changes.to_vec();
        changes.sort_by_key(|change| change.row);
        changes.dedup_by(|next, first| {
            let same = next.row == first.row;
            if same {
                (first.factor, first.keep) = (first.factor + next.factor, first.keep | next.keep);
            }
            same
        });
        let (there, missing): (Vec<Change>, Vec<Change>) =
            changes.into_iter().partition(|change| self.place_of.contains_key(&change.row));
        self.hits += there.len() as u64;
        for change in &there {
            self.places[self.place_of[&change.row]].1 = self.time;
        }
        let mut sums = vec![0.0; self.source.count()];
        let rows: Vec<(f64, &[f32])> = there.iter().map(|change| (change.factor, self.row(change.row))).collect();
        sums.par_chunks_mut(BLOCK_COLUMNS).enumerate().for_each(|(block, sums)| {
            let first = block * BLOCK_COLUMNS;
            let part: Vec<(f64, &[f32])> = rows.iter().map(|(f, row)| (*f, &row[first..first + sums.len()])).collect();
            add_rows(sums, &part);
        });
        for some in missing.chunks(ROWS) {
            self.compute(some, &mut sums)?;
        }
        Ok(sums)
    }

    /// Computes rows that are not there, by blocks of columns: each is added to the sums while it is in a cache.
    fn compute(&mut self, changes: &[Change], sums: &mut [f64]) -> Result<()> {
        let n = sums.len();
        let rows: Vec<usize> = changes.iter().map(|change| change.row).collect();
        self.computed += rows.len() as u64;
        self.evaluations += (rows.len() * n) as u64;
        let targets = self.make_room(changes);
        let chosen = self.source.chosen(&rows)?;
        // A block for each thread at a time: they are added, and what is kept of them copied, while they are near.
        let blocks = rayon::current_num_threads();
        for (group, sums) in sums.chunks_mut(blocks * BLOCK_COLUMNS).enumerate() {
            let made = sums.par_chunks_mut(BLOCK_COLUMNS).enumerate().map(|(block, sums)| -> Result<DeviceMatrix> {
                let values = chosen.block(group * blocks + block)?;
                let rows = changes.iter().zip(values.values()?.chunks_exact(sums.len()));
                let used: Vec<(f64, &[f32])> = rows.map(|(change, row)| (change.factor, row)).collect();
                add_rows(sums, &used);
                Ok(values)
            });
            let made = made.collect::<Result<Vec<DeviceMatrix>>>()?;
            for (block, values) in made.iter().enumerate() {
                let first = (group * blocks + block) * BLOCK_COLUMNS;
                let (columns, values) = (values.columns(), values.values()?);
                for &(number, place) in &targets {
                    let row = &values[number * columns..(number + 1) * columns];
                    self.values[place * n + first..][..columns].copy_from_slice(row);
                }
            }
        }
        Ok(())
    }

    /// Places for those rows that are to be kept: free ones, then those whose rows were used longest ago.
    fn make_room(&mut self, changes: &[Change]) -> Vec<(usize, usize)> {
        let n = self.source.count();
        let kept: Vec<usize> = (0..changes.len()).filter(|number| changes[*number].keep).collect();
        let used = self.places.len();
        let mut places: Vec<usize> = (used..self.capacity).take(kept.len()).collect();
        if places.len() < kept.len() {
            let old = (0..used).filter(|place| self.places[*place].1 < self.time);
            let mut old: Vec<(u64, usize)> = old.map(|place| (self.places[place].1, place)).collect();
            old.sort_unstable();
            places.extend(old.into_iter().map(|(_, place)| place).take(kept.len() - places.len()));
        }
        let count = places.iter().map(|place| place + 1).max().unwrap_or(0).max(used);
        self.values.resize(count * n, 0.0);
        self.places.resize(count, (usize::MAX, 0));
        let targets: Vec<(usize, usize)> = kept.into_iter().zip(places).collect();
        for &(number, place) in &targets {
            self.place_of.remove(&self.places[place].0);
            self.places[place] = (changes[number].row, self.time);
            self.place_of.insert(changes[number].row, place);
        }
        targets
    }
}
