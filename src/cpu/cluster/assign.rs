//! The nearest centre of every row: distances and their minimum in one go, the n×k matrix is never stored.

use rayon::prelude::*;

use crate::cpu::tile::{
    Candidates, Operand, SEARCH_DEPTH, SquaredDifference, nearest, pair_distances, product, with_buffer,
};

/// Numbers of x in a task, 256 KiB: it stays in a second cache while several parts of many centres pass by.
const TASK_NUMBERS: usize = 1 << 16;
/// Rows in a task at most: six runs of 251 rows, whose starts do not fall on the same cache set.
const TASK_ROWS: usize = 6 * 251;
/// Steps below which waking a second thread costs more than it saves.
const WORTH_THREADS: usize = 1 << 19;
/// Rows and centres whose distances are kept at a time when rows are longer than the fused search takes.
const LONG_BLOCK: usize = 256;

/// `labels[i]`, the centre nearest to row `i`, the lowest of equally near ones, and `distances[i] = Σ (x − centre)²`.
///
/// `x` is `n×d`, `centers` `k×d`, row-major, `k ≥ 1`. Labels and distances are those of the direct form in f32, which
/// loses nothing far from the origin; a row's result depends on that row and the centres alone. Costs `n·k·d` steps of
/// one subtraction and one multiply-add, and `k·d` numbers of memory. A distance beyond the range of f32 is infinite.
///
/// ```
/// use gristmill::cpu::cluster::assign::assign;
///
/// let (mut labels, mut distances) = ([0; 3], [0.0; 3]);
/// assign(&[0.0, 4.0, 9.0], 3, &[1.0, 7.0], 2, 1, &mut labels, &mut distances);
/// assert_eq!((labels, distances), ([0, 0, 1], [1.0, 9.0, 4.0]));
/// ```
pub fn assign(x: &[f32], n: usize, centers: &[f32], k: usize, d: usize, labels: &mut [u32], distances: &mut [f32]) {
    debug_assert!(x.len() == n * d && centers.len() == k * d && k >= 1);
    debug_assert!(labels.len() == n && distances.len() == n);
    if d == 0 {
        labels.fill(0);
        distances.fill(0.0);
    } else if d > SEARCH_DEPTH {
        assign_long(x, centers, d, labels, distances);
    } else {
        let candidates = Candidates::new(centers, k, d);
        if n * k * d < WORTH_THREADS {
            return nearest(x, &candidates, labels, distances);
        }
        let rows = task_rows(d);
        x.par_chunks(rows * d)
            .zip(labels.par_chunks_mut(rows))
            .zip(distances.par_chunks_mut(rows))
            .for_each(|((x, labels), distances)| nearest(x, &candidates, labels, distances));
    }
}

/// `distances[i]`, the squared distance of row `i` to centre `labels[i]`, to the bits that [`assign`] gives it.
///
/// Costs `n·d` steps: what is wanted when the labels are known already.
pub fn own_distances(x: &[f32], n: usize, centers: &[f32], d: usize, labels: &[u32], distances: &mut [f32]) {
    debug_assert!(x.len() == n * d && labels.len() == n && distances.len() == n);
    let rows = task_rows(d.max(1));
    distances.par_chunks_mut(rows).enumerate().for_each(|(task, out)| {
        let pair = |index: usize| {
            let row = task * rows + index;
            let center = labels[row] as usize;
            (&x[row * d..(row + 1) * d], &centers[center * d..(center + 1) * d])
        };
        pair_distances(pair, out);
    });
}

/// Rows in a task, from the shape alone.
fn task_rows(d: usize) -> usize {
    (TASK_NUMBERS / d / 6 * 6).clamp(6, TASK_ROWS)
}

/// Rows longer than the fused search takes: their distances go through a buffer, which is little beside the sums.
fn assign_long(x: &[f32], centers: &[f32], d: usize, labels: &mut [u32], distances: &mut [f32]) {
    labels.fill(0);
    distances.fill(f32::INFINITY);
    let parts = x.chunks(LONG_BLOCK * d).zip(labels.chunks_mut(LONG_BLOCK)).zip(distances.chunks_mut(LONG_BLOCK));
    for ((x, labels), distances) in parts {
        for (part, centers) in centers.chunks(LONG_BLOCK * d).enumerate() {
            let count = centers.len() / d;
            with_buffer(labels.len() * count, |buffer| {
                let (rows, columns) = (Operand::from_rows(x, labels.len(), d), Operand::from_rows(centers, count, d));
                product(SquaredDifference, rows, columns, 1.0, 0.0, buffer, count);
                for ((row, label), distance) in buffer.chunks_exact(count).zip(&mut *labels).zip(&mut *distances) {
                    for (index, &value) in row.iter().enumerate() {
                        if value < *distance {
                            (*label, *distance) = ((part * LONG_BLOCK + index) as u32, value);
                        }
                    }
                }
            });
        }
    }
}
