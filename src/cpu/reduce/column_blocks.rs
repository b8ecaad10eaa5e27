//! Sums over the rows, one per column: fixed blocks of rows in f64, added in index order.

use rayon::prelude::*;

use crate::cpu::vectorised;

/// Numbers in a block, some 60 µs of reading; the cut follows from the shape alone, not from the threads.
const BLOCK_NUMBERS: usize = 1 << 18;
/// Columns whose sums, 8 KiB, stay in the first cache while a block's rows go by.
const STRIP: usize = 1024;
/// Rows taken at once: the sums are read and written once for all of them.
const ROWS_AT_ONCE: usize = 4;

/// What a column adds up: the term of a value, given the number that belongs to its column.
pub(super) trait Term: Copy + Send + Sync {
    /// The term of one value.
    fn of(self, value: f64, column: f64) -> f64;
}

/// The values themselves.
#[derive(Clone, Copy)]
pub(super) struct Value;

impl Term for Value {
    #[inline(always)]
    fn of(self, value: f64, _column: f64) -> f64 {
        value
    }
}

/// Their squared distance from the number of the column.
#[derive(Clone, Copy)]
pub(super) struct SquaredDeviation;

impl Term for SquaredDeviation {
    #[inline(always)]
    fn of(self, value: f64, column: f64) -> f64 {
        (value - column) * (value - column)
    }
}

/// `Σ_i weights[i]·term(x[i][j], column[j])` for each column `j` of `x`, which is `rows×column.len()`.
///
/// Without weights they are 1. Within `rows·2⁻⁵³·Σ|terms|` of the exact sum, to the same bits with any number of threads.
pub(super) fn sum_columns<T: Term>(term: T, x: &[f32], column: &[f64], weights: Option<&[f32]>) -> Vec<f64> {
    let columns = column.len();
    let mut total = vec![0.0_f64; columns];
    if columns == 0 {
        return total;
    }
    let rows = (BLOCK_NUMBERS / columns).clamp(64, 1 << 14);
    let one = |(index, x): (usize, &[f32])| {
        let first = index * rows;
        let weights = weights.map(|weights| &weights[first..first + x.len() / columns]);
        let mut sums = vec![0.0_f64; columns];
        vectorised!(add_block(term, x, column, weights, &mut sums));
        sums
    };
    let blocks: Vec<Vec<f64>> = x.par_chunks(rows * columns).enumerate().map(one).collect();
    for sums in &blocks {
        total.iter_mut().zip(sums).for_each(|(total, sum)| *total += sum);
    }
    total
}

// pulp has no f32 to f64 conversion; over slices of equal length the compiler finds the processor's own.
#[inline(always)]
fn add_block<T: Term>(term: T, x: &[f32], column: &[f64], weights: Option<&[f32]>, sums: &mut [f64]) {
    let columns = column.len();
    for (index, sums) in sums.chunks_mut(STRIP).enumerate() {
        let first = index * STRIP;
        let strip = Strip { term, first, columns, column: &column[first..first + sums.len()] };
        let quads = x.chunks_exact(ROWS_AT_ONCE * columns);
        let rest = quads.remainder().chunks_exact(columns);
        let done = quads.len() * ROWS_AT_ONCE;
        for (row, quad) in quads.enumerate() {
            let weights = match weights {
                Some(weights) => &weights[row * ROWS_AT_ONCE..(row + 1) * ROWS_AT_ONCE],
                None => &[1.0; ROWS_AT_ONCE],
            };
            strip.add_four(quad, weights, sums);
        }
        for (row, values) in rest.enumerate() {
            strip.add_one(values, weights.map_or(1.0, |weights| weights[done + row]), sums);
        }
    }
}

/// Some neighbouring columns of a block.
struct Strip<'a, T> {
    term: T,
    first: usize,
    /// Columns of the whole matrix.
    columns: usize,
    /// The numbers that belong to these columns.
    column: &'a [f64],
}

impl<T: Term> Strip<'_, T> {
    /// The part of a row that lies in this strip.
    #[inline(always)]
    fn part<'x>(&self, row: &'x [f32]) -> &'x [f32] {
        &row[self.first..self.first + self.column.len()]
    }

    #[inline(always)]
    fn add_four(&self, quad: &[f32], weights: &[f32], sums: &mut [f64]) {
        let (first, rest) = quad.split_at(self.columns);
        let (second, rest) = rest.split_at(self.columns);
        let (third, fourth) = rest.split_at(self.columns);
        let (first, second) = (self.part(first), self.part(second));
        let (third, fourth) = (self.part(third), self.part(fourth));
        let sums = &mut sums[..self.column.len()];
        let (w0, w1) = (f64::from(weights[0]), f64::from(weights[1]));
        let (w2, w3) = (f64::from(weights[2]), f64::from(weights[3]));
        for (lane, &at) in self.column.iter().enumerate() {
            let near = w0 * self.term.of(f64::from(first[lane]), at) + w1 * self.term.of(f64::from(second[lane]), at);
            let far = w2 * self.term.of(f64::from(third[lane]), at) + w3 * self.term.of(f64::from(fourth[lane]), at);
            sums[lane] += near + far;
        }
    }

    #[inline(always)]
    fn add_one(&self, row: &[f32], weight: f32, sums: &mut [f64]) {
        let weight = f64::from(weight);
        for ((sum, &value), &at) in sums.iter_mut().zip(self.part(row)).zip(self.column) {
            *sum += weight * self.term.of(f64::from(value), at);
        }
    }
}
