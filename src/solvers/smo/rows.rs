//! Rows of a kernel matrix: of one in memory, or computed when they are needed and kept while there is room.

use std::collections::HashMap;

use crate::error::Result;

/// Rows that there is always room for: those of the smallest working set.
const LEAST_ROWS: usize = 16;

/// Computes rows of a kernel matrix.
pub(crate) trait RowSource {
    /// Rows and columns of the matrix.
    fn count(&self) -> usize;

    /// These rows, a block of columns after the other: `take` gets the first column and the values, row by row.
    fn compute(&self, rows: &[usize], take: &mut dyn FnMut(usize, &[f32])) -> Result<()>;
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

    /// Sees to it that these rows, no more than the capacity, are there.
    pub(crate) fn bring(&mut self, rows: &[usize]) -> Result<()> {
        match self {
            KernelMatrix::Whole { .. } => Ok(()),
            KernelMatrix::Rows(cache) => cache.bring(rows),
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
}

impl<'a> RowCache<'a> {
    /// Room for so many bytes, and for a few rows at the least.
    pub(crate) fn new(source: &'a dyn RowSource, bytes: usize) -> RowCache<'a> {
        let n = source.count();
        let capacity = (bytes / (4 * n.max(1))).clamp(LEAST_ROWS, n.max(LEAST_ROWS));
        // The room is never exceeded, and is not touched before rows come.
        let (values, places, place_of) = (Vec::with_capacity(capacity * n), vec![], HashMap::new());
        RowCache { source, capacity, values, places, place_of, time: 0, hits: 0, computed: 0 }
    }

    fn row(&self, row: usize) -> &[f32] {
        let n = self.source.count();
        let place = self.place_of.get(&row).copied().unwrap_or(0);
        debug_assert_eq!(self.places[place].0, row);
        &self.values[place * n..(place + 1) * n]
    }

    fn bring(&mut self, rows: &[usize]) -> Result<()> {
        self.time += 1;
        let mut missing = vec![];
        for &row in rows {
            match self.place_of.get(&row) {
                Some(place) => {
                    self.hits += u64::from(self.places[*place].1 != self.time);
                    self.places[*place].1 = self.time;
                }
                None => missing.push(row),
            }
        }
        missing.sort_unstable();
        missing.dedup();
        // The places of rows that were used longest ago, after those that are still free.
        let used = self.places.len();
        let mut old: Vec<(u64, usize)> = (0..used)
            .filter(|place| self.places[*place].1 < self.time)
            .map(|place| (self.places[place].1, place))
            .collect();
        old.sort_unstable();
        let targets: Vec<usize> =
            (used..self.capacity).chain(old.into_iter().map(|(_, place)| place)).take(missing.len()).collect();
        let n = self.source.count();
        let places = targets.iter().map(|place| place + 1).max().unwrap_or(0).max(used);
        self.values.resize(places * n, 0.0);
        self.places.resize(places, (usize::MAX, 0));
        for (row, place) in missing.iter().zip(&targets) {
            self.place_of.remove(&self.places[*place].0);
            self.places[*place] = (*row, self.time);
            self.place_of.insert(*row, *place);
        }
        self.computed += missing.len() as u64;
        if missing.is_empty() {
            return Ok(());
        }
        let values = &mut self.values;
        self.source.compute(&missing, &mut |first, block| {
            let columns = block.len() / missing.len();
            for (place, part) in targets.iter().zip(block.chunks_exact(columns)) {
                values[place * n + first..][..columns].copy_from_slice(part);
            }
        })
    }
}
