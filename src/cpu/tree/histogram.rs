//! Histograms of gradient cells: for each bin of each column, the sums over a node's rows.
//!
//! A row is one u64, see [`pack`](super::fixed_point::pack). A block of rows is counted in cells that fit the first
//! cache, eight columns at a time, and its cells are then added to wide sums: integers, so that no order and no cut
//! changes a bit.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use rayon::prelude::*;

use super::fixed_point::{GradientSums, gradient_of, weight_of};
use super::{BinnedRows, threads};
use crate::cpu::prefetch::prefetch;
use crate::cpu::vectorised;

/// Rows counted before the fields of a cell could overflow, a multiple of eight.
const BLOCK: usize = 2040;
/// Rows that are asked for together.
const STRETCH: usize = 8;
/// Columns counted together: eight codes are one word, and their cells take 16 KiB.
const GROUP: usize = 8;
/// Codes that a byte can hold.
const CODES: usize = 256;
/// Up to this many rows are added to the wide sums at once.
const FEW: usize = 192;
/// Rows a task counts at least, when a node is cut for several threads.
const ROWS_PER_TASK: usize = BLOCK;
/// Where there are many rows each thread has so many tasks, so that none waits long for a slower one; each costs the
/// histogram of a node, which so many rows outweigh.
const TASKS_PER_THREAD: usize = 4;
const ROWS_OF_SEVERAL: usize = 8192;
/// Bytes of the histograms of such tasks at most.
const SPARE_BYTES: usize = 1 << 26;

/// The histogram of a node: a sum for each cell, the cells of all columns one after the other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Histogram {
    gradients: Vec<i64>,
    /// Hessian above, count below.
    weights: Vec<u64>,
}

impl Histogram {
    /// A histogram of `cells` zeros.
    pub fn zeros(cells: usize) -> Histogram {
        Histogram { gradients: vec![0; cells], weights: vec![0; cells] }
    }

    /// Sets every cell to zero, and their number.
    pub fn clear(&mut self, cells: usize) {
        self.gradients.clear();
        self.gradients.resize(cells, 0);
        self.weights.clear();
        self.weights.resize(cells, 0);
    }

    /// The sums of a cell.
    #[inline(always)]
    pub fn get(&self, cell: usize) -> GradientSums {
        GradientSums::wide(self.gradients[cell], self.weights[cell])
    }

    /// Sets the sums of a cell.
    #[inline(always)]
    pub fn set(&mut self, cell: usize, sums: GradientSums) {
        self.gradients[cell] = sums.gradient;
        self.weights[cell] = sums.weight();
    }

    /// The sums of cells one after the other.
    #[inline(always)]
    pub fn range(&self, cells: Range<usize>) -> impl Iterator<Item = GradientSums> + Clone {
        let pairs = self.gradients[cells.clone()].iter().zip(&self.weights[cells]);
        pairs.map(|(gradient, weight)| GradientSums::wide(*gradient, *weight))
    }

    /// Adds another histogram to this one.
    pub fn add(&mut self, other: &Histogram) {
        vectorised!(merge(other, self, false));
    }

    /// Takes away another histogram, of a part of the rows of this one: what remains is that of the others, exactly.
    pub fn subtract(&mut self, other: &Histogram) {
        vectorised!(merge(other, self, true));
    }
}

#[inline(always)]
fn merge(from: &Histogram, into: &mut Histogram, subtract: bool) {
    let gradients = into.gradients.iter_mut().zip(&from.gradients);
    let weights = into.weights.iter_mut().zip(&from.weights);
    if subtract {
        gradients.for_each(|(into, from)| *into -= from);
        weights.for_each(|(into, from)| *into = into.wrapping_sub(*from));
    } else {
        gradients.for_each(|(into, from)| *into += from);
        weights.for_each(|(into, from)| *into = into.wrapping_add(*from));
    }
}

/// One histogram to make: of these rows, each with its u64 in `packed`.
#[derive(Debug)]
pub struct HistogramJob<'a> {
    /// The rows, by number.
    pub rows: &'a [u32],
    /// The u64 of every row of the matrix.
    pub packed: &'a [u64],
    /// Where it goes; what was there is gone.
    pub into: &'a mut Histogram,
}

/// Makes histograms, on all cores. `starts[c]..starts[c + 1]` are the cells of column `c`, 256 at most.
///
/// About 0.4 ns a row and column on one core. `spare` keeps the buffers of large nodes, which several threads share.
pub fn histograms(matrix: BinnedRows<'_>, starts: &[u32], mut jobs: Vec<HistogramJob<'_>>, spare: &mut Vec<Histogram>) {
    let total: usize = jobs.iter().map(|job| job.rows.len()).sum();
    let share = total.div_ceil(tasks(total, starts)).max(ROWS_PER_TASK);
    let parts: Vec<usize> = jobs.iter().map(|job| job.rows.len().div_ceil(share).max(1)).collect();
    let more: usize = parts.iter().map(|parts| parts - 1).sum();
    if spare.len() < more {
        spare.resize(more, Histogram::default());
    }
    let mut others = spare.iter_mut();
    let mut tasks: Vec<(usize, Vec<HistogramJob<'_>>)> = vec![];
    for (job, parts) in jobs.iter_mut().zip(&parts) {
        let mut chunks = job.rows.chunks(job.rows.len().div_ceil(*parts).max(1));
        // The first piece goes where it belongs; the others are added to it afterwards.
        let places = std::iter::once(&mut *job.into).chain(others.by_ref().take(parts - 1));
        for into in places {
            let piece = HistogramJob { rows: chunks.next().unwrap_or(&[]), packed: job.packed, into };
            // Small nodes share a task.
            match tasks.last_mut().filter(|(rows, _)| rows + piece.rows.len() <= share) {
                Some((rows, pieces)) => {
                    *rows += piece.rows.len();
                    pieces.push(piece);
                }
                None => tasks.push((piece.rows.len(), vec![piece])),
            }
        }
    }
    let count = |(_, mut pieces): (usize, Vec<HistogramJob<'_>>)| {
        vectorised!(count_pieces(matrix, starts, &mut pieces));
    };
    if tasks.len() == 1 || total <= ROWS_PER_TASK / 2 {
        tasks.into_iter().for_each(count);
    } else {
        tasks.into_par_iter().for_each(count);
    }
    let mut others = spare.iter();
    for (job, parts) in jobs.iter_mut().zip(parts) {
        others.by_ref().take(parts - 1).for_each(|other| job.into.add(other));
    }
}

/// Into how many tasks so many rows are cut: a multiple of the threads.
fn tasks(total: usize, starts: &[u32]) -> usize {
    let bytes = 16 * starts.last().map_or(1, |cells| (*cells).max(1) as usize) * threads();
    let several = (total / ROWS_OF_SEVERAL / threads()).min(TASKS_PER_THREAD).min(SPARE_BYTES / bytes);
    several.max(1) * threads()
}

/// The words of a block of rows, eight codes each, column group after column group; their packed rows; their cells.
struct CountScratch {
    words: Vec<u64>,
    packed: Vec<u64>,
    cells: Box<[[u64; CODES]; GROUP]>,
}

thread_local! {
    static SCRATCH: RefCell<Vec<CountScratch>> = const { RefCell::new(Vec::new()) };
}

/// Pieces that are counted block after block, next the one whose next row has the lowest number. So all pieces pass over the
/// matrix together, and a page of it is looked up once for all of them.
struct Sweep<'a> {
    rest: Vec<(&'a [u32], &'a [u64])>,
    next: BinaryHeap<Reverse<(u32, usize)>>,
}

/// Rows of one of the pieces, and the u64 of every row.
struct Block<'a> {
    piece: usize,
    rows: &'a [u32],
    packed: &'a [u64],
}

impl<'a> Sweep<'a> {
    fn next(&mut self) -> Option<Block<'a>> {
        let Reverse((_, piece)) = self.next.pop()?;
        let (rest, packed) = self.rest[piece];
        let (rows, rest) = rest.split_at(BLOCK.min(rest.len()));
        self.rest[piece].0 = rest;
        self.next.extend(rest.first().map(|row| Reverse((*row, piece))));
        Some(Block { piece, rows, packed })
    }
}

/// Histograms on one core.
#[inline(always)]
fn count_pieces(matrix: BinnedRows<'_>, starts: &[u32], pieces: &mut [HistogramJob<'_>]) {
    let columns = starts.len().saturating_sub(1);
    let mut sweep = Sweep { rest: Vec::with_capacity(pieces.len()), next: BinaryHeap::with_capacity(pieces.len()) };
    for (number, piece) in pieces.iter_mut().enumerate() {
        piece.into.clear(starts.last().map_or(0, |cells| *cells as usize));
        sweep.rest.push((piece.rows, piece.packed));
        match piece.rows.first() {
            _ if columns == 0 => (),
            Some(first) if piece.rows.len() > FEW => sweep.next.push(Reverse((*first, number))),
            _ => count_few(matrix, starts, piece),
        }
    }
    if sweep.next.is_empty() {
        return;
    }
    let groups = columns.div_ceil(GROUP);
    let scratch = SCRATCH.with_borrow_mut(Vec::pop);
    let mut scratch = scratch.unwrap_or_else(|| CountScratch {
        words: vec![],
        packed: vec![0; BLOCK],
        cells: Box::new([[0; CODES]; GROUP]),
    });
    if scratch.words.len() < groups * BLOCK {
        scratch.words.resize(groups * BLOCK, 0);
    }
    let mut following = sweep.next();
    if let Some(Block { rows, packed, .. }) = &following {
        Asked { matrix, packed, rows, step: 1 }.ask_for(0..rows.len());
    }
    while let Some(Block { piece, rows, packed }) = following {
        gather(matrix, packed, rows, groups, &mut scratch);
        following = sweep.next();
        let asked = following.as_ref().map_or(&[][..], |block| block.rows);
        let mut asked = asked.chunks(asked.len().div_ceil(groups).max(1));
        for group in 0..groups {
            let words = &scratch.words[group * BLOCK..][..rows.len()];
            let starts = &starts[group * GROUP..];
            let width = (starts.len() - 1).min(GROUP);
            let packed_of_next = following.as_ref().map_or(&[][..], |block| block.packed);
            let ask = Asked { matrix, packed: packed_of_next, rows: asked.next().unwrap_or(&[]), step: groups };
            count_group(width, words, &scratch.packed[..rows.len()], &mut scratch.cells, &ask);
            flush(&mut scratch.cells, &starts[..width + 1], pieces[piece].into);
        }
    }
    SCRATCH.with_borrow_mut(|kept| kept.push(scratch));
}

/// Adds rows to the wide sums directly.
#[inline(always)]
fn count_few(matrix: BinnedRows<'_>, starts: &[u32], job: &mut HistogramJob<'_>) {
    let columns = starts.len() - 1;
    for &row in job.rows {
        let packed = job.packed[row as usize];
        let (gradient, weight) = (gradient_of(packed), weight_of(packed));
        let codes = &matrix.bins[row as usize * matrix.stride..][..columns];
        for (code, start) in codes.iter().zip(starts) {
            let cell = *start as usize + *code as usize;
            job.into.gradients[cell] += gradient;
            job.into.weights[cell] += weight;
        }
    }
}

/// Brings the scattered rows of a block together. A row is a miss of the cache, so it was asked for while the block before was
/// counted.
#[inline(always)]
fn gather(matrix: BinnedRows<'_>, packed: &[u64], rows: &[u32], groups: usize, scratch: &mut CountScratch) {
    for (at, &row) in rows.iter().enumerate() {
        scratch.packed[at] = packed[row as usize];
        let (codes, _) = matrix.bins[row as usize * matrix.stride..][..matrix.stride].as_chunks::<GROUP>();
        for (group, codes) in codes[..groups].iter().enumerate() {
            scratch.words[group * BLOCK + at] = u64::from_le_bytes(*codes);
        }
    }
}

/// Counts a block in up to eight columns.
#[inline(always)]
fn count_group(width: usize, words: &[u64], packed: &[u64], cells: &mut [[u64; CODES]; GROUP], ask: &Asked<'_>) {
    match width {
        1 => count_columns::<1>(words, packed, cells, ask),
        2 => count_columns::<2>(words, packed, cells, ask),
        3 => count_columns::<3>(words, packed, cells, ask),
        4 => count_columns::<4>(words, packed, cells, ask),
        5 => count_columns::<5>(words, packed, cells, ask),
        6 => count_columns::<6>(words, packed, cells, ask),
        7 => count_columns::<7>(words, packed, cells, ask),
        _ => count_columns::<8>(words, packed, cells, ask),
    }
}

#[inline(always)]
fn count_columns<const WIDTH: usize>(
    words: &[u64],
    packed: &[u64],
    cells: &mut [[u64; CODES]; GROUP],
    ask: &Asked<'_>,
) {
    for (at, (words, packed)) in words.chunks(STRETCH * ask.step).zip(packed.chunks(STRETCH * ask.step)).enumerate() {
        ask.ask_for(at * STRETCH..(at + 1) * STRETCH);
        for (word, packed) in words.iter().zip(packed) {
            let codes = word.to_le_bytes();
            for column in 0..WIDTH {
                let cell = &mut cells[column][codes[column] as usize];
                *cell = cell.wrapping_add(*packed);
            }
        }
    }
}

/// Rows of the next block, asked for while those of this one are counted.
struct Asked<'a> {
    matrix: BinnedRows<'a>,
    packed: &'a [u64],
    rows: &'a [u32],
    /// Rows that are counted for each that is asked for.
    step: usize,
}

impl Asked<'_> {
    #[inline(always)]
    fn ask_for(&self, places: Range<usize>) {
        for row in self.rows.iter().take(places.end).skip(places.start) {
            prefetch(self.matrix.bins, *row as usize * self.matrix.stride);
            prefetch(self.packed, *row as usize);
        }
    }
}

/// Adds the cells of a group to the wide sums and sets them to zero.
#[inline(always)]
fn flush(cells: &mut [[u64; CODES]; GROUP], starts: &[u32], into: &mut Histogram) {
    for (cells, ends) in cells.iter_mut().zip(starts.windows(2)) {
        let wide = ends[0] as usize..ends[1] as usize;
        let cells = &mut cells[..wide.len()];
        let sums = into.gradients[wide.clone()].iter_mut().zip(&mut into.weights[wide]);
        for (cell, (gradient, weight)) in cells.iter_mut().zip(sums) {
            *gradient += gradient_of(*cell);
            *weight += weight_of(*cell);
            *cell = 0;
        }
    }
}
