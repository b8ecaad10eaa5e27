//! Histograms of gradient cells: for each bin of each column, the sums over a node's rows.
//!
//! A row is one u64, see [`pack`](super::fixed_point::pack). A block of rows is counted in cells that fit the first
//! cache, eight columns at a time, and its cells are then added to wide sums: integers, so that no order and no cut
//! changes a bit.

use std::cell::RefCell;
use std::ops::Range;

use rayon::prelude::*;

use super::fixed_point::{GradientSums, gradient_of, weight_of};
use super::{BinnedRows, threads};
use crate::cpu::vectorised;

/// Rows counted before the fields of a cell could overflow, a multiple of eight.
const BLOCK: usize = 2040;
/// Rows touched before they are copied.
const STRETCH: usize = 204;
/// Columns counted together: eight codes are one word, and their cells take 16 KiB.
const GROUP: usize = 8;
/// Codes that a byte can hold.
const CODES: usize = 256;
/// Up to this many rows are added to the wide sums at once.
const FEW: usize = 192;
/// Rows a task counts at least, when a node is cut for several threads.
const ROWS_PER_TASK: usize = 2048;

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
/// About 0.6 ns a row and column on one core. `spare` keeps the buffers of large nodes, which several threads share.
pub fn histograms(matrix: BinnedRows<'_>, starts: &[u32], mut jobs: Vec<HistogramJob<'_>>, spare: &mut Vec<Histogram>) {
    let total: usize = jobs.iter().map(|job| job.rows.len()).sum();
    let share = total.div_ceil(threads()).max(ROWS_PER_TASK);
    let parts: Vec<usize> = jobs.iter().map(|job| job.rows.len().div_ceil(share).max(1)).collect();
    let more: usize = parts.iter().map(|parts| parts - 1).sum();
    if spare.len() < more {
        spare.resize(more, Histogram::default());
    }
    let mut others = spare.iter_mut();
    let mut pieces: Vec<HistogramJob<'_>> = Vec::with_capacity(jobs.len() + more);
    for (job, parts) in jobs.iter_mut().zip(&parts) {
        let mut chunks = job.rows.chunks(job.rows.len().div_ceil(*parts).max(1));
        // The first piece goes where it belongs; the others are added to it afterwards.
        let places = std::iter::once(&mut *job.into).chain(others.by_ref().take(parts - 1));
        let piece = |into| HistogramJob { rows: chunks.next().unwrap_or(&[]), packed: job.packed, into };
        pieces.extend(places.map(piece));
    }
    let count = |mut piece: HistogramJob<'_>| vectorised!(count_rows(matrix, starts, &mut piece));
    if pieces.len() == 1 || total <= ROWS_PER_TASK / 2 {
        pieces.into_iter().for_each(count);
    } else {
        pieces.into_par_iter().for_each(count);
    }
    let mut others = spare.iter();
    for (job, parts) in jobs.iter_mut().zip(parts) {
        others.by_ref().take(parts - 1).for_each(|other| job.into.add(other));
    }
}

/// The words of a block of rows, eight codes each, column group after column group; their packed rows; their cells.
struct CountScratch {
    words: Vec<u64>,
    packed: Vec<u64>,
    cells: Box<[[u64; CODES]; GROUP]>,
    /// Keeps the loads that only touch a row from being left out.
    touched: u8,
}

thread_local! {
    static SCRATCH: RefCell<Vec<CountScratch>> = const { RefCell::new(Vec::new()) };
}

/// One histogram on one core.
#[inline(always)]
fn count_rows(matrix: BinnedRows<'_>, starts: &[u32], job: &mut HistogramJob<'_>) {
    let columns = starts.len().saturating_sub(1);
    job.into.clear(starts.last().map_or(0, |cells| *cells as usize));
    if columns == 0 {
        return;
    }
    if job.rows.len() <= FEW {
        return count_few(matrix, starts, job);
    }
    let groups = columns.div_ceil(GROUP);
    let scratch = SCRATCH.with_borrow_mut(Vec::pop);
    let mut scratch = scratch.unwrap_or_else(|| CountScratch {
        words: vec![],
        packed: vec![0; BLOCK],
        cells: Box::new([[0; CODES]; GROUP]),
        touched: 0,
    });
    if scratch.words.len() < groups * BLOCK {
        scratch.words.resize(groups * BLOCK, 0);
    }
    for rows in job.rows.chunks(BLOCK) {
        gather(matrix, job.packed, rows, groups, &mut scratch);
        for group in 0..groups {
            let words = &scratch.words[group * BLOCK..][..rows.len()];
            let starts = &starts[group * GROUP..];
            let width = (starts.len() - 1).min(GROUP);
            count_group(width, words, &scratch.packed[..rows.len()], &mut scratch.cells);
            flush(&mut scratch.cells, &starts[..width + 1], job.into);
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

/// Brings the scattered rows of a block together.
///
/// A row is a miss of the cache and often of the page table. So each stretch of rows is first only touched, in a loop so
/// short that the processor has dozens of misses under way at once, and then copied.
#[inline(always)]
fn gather(matrix: BinnedRows<'_>, packed: &[u64], rows: &[u32], groups: usize, scratch: &mut CountScratch) {
    for (&row, place) in rows.iter().zip(&mut scratch.packed) {
        *place = packed[row as usize];
    }
    for (stretch, rows) in rows.chunks(STRETCH).enumerate() {
        let touch = |touched: u8, row: &u32| touched ^ matrix.bins[*row as usize * matrix.stride];
        scratch.touched = rows.iter().fold(scratch.touched, touch);
        for (at, &row) in rows.iter().enumerate() {
            let (codes, _) = matrix.bins[row as usize * matrix.stride..][..matrix.stride].as_chunks::<GROUP>();
            for (group, codes) in codes[..groups].iter().enumerate() {
                scratch.words[group * BLOCK + stretch * STRETCH + at] = u64::from_le_bytes(*codes);
            }
        }
    }
}

/// Counts a block in up to eight columns.
#[inline(always)]
fn count_group(width: usize, words: &[u64], packed: &[u64], cells: &mut [[u64; CODES]; GROUP]) {
    match width {
        1 => count_columns::<1>(words, packed, cells),
        2 => count_columns::<2>(words, packed, cells),
        3 => count_columns::<3>(words, packed, cells),
        4 => count_columns::<4>(words, packed, cells),
        5 => count_columns::<5>(words, packed, cells),
        6 => count_columns::<6>(words, packed, cells),
        7 => count_columns::<7>(words, packed, cells),
        _ => count_columns::<8>(words, packed, cells),
    }
}

#[inline(always)]
fn count_columns<const WIDTH: usize>(words: &[u64], packed: &[u64], cells: &mut [[u64; CODES]; GROUP]) {
    for (word, packed) in words.iter().zip(packed) {
        let codes = word.to_le_bytes();
        for column in 0..WIDTH {
            let cell = &mut cells[column][codes[column] as usize];
            *cell = cell.wrapping_add(*packed);
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
