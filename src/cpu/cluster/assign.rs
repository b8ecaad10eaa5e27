//! The nearest centre of every row: distances and their minimum in one go, the n×k matrix is never stored.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use crate::cpu::tile::{
    Candidates, Found, Operand, SEARCH_DEPTH, Scores, SquaredDifference, nearest, pair_distances, product, two_nearest,
    with_buffer,
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

/// The labels of [`assign`] alone: products find the nearest centre, and the direct form settles what they leave open.
///
/// Costs `n·k·d` multiply-adds where the centres are apart and near the origin beside the rounding of f32, else as much
/// as [`assign`].
pub fn assign_labels(x: &[f32], n: usize, centers: &[f32], k: usize, d: usize, labels: &mut [u32]) {
    debug_assert!(x.len() == n * d && centers.len() == k * d && k >= 1 && labels.len() == n);
    let suits = (2..=SEARCH_DEPTH).contains(&d) && k > 1 && n * k * d >= WORTH_THREADS;
    let Some(scores) = suits.then(|| Scores::new(centers, k, d)).flatten() else {
        return assign(x, n, centers, k, d, labels, &mut vec![0.0; n]);
    };
    let candidates = Candidates::new(centers, k, d);
    let hopeless = AtomicBool::new(false);
    let rows = task_rows(d);
    x.par_chunks(rows * d).zip(labels.par_chunks_mut(rows)).for_each(|(x, labels)| {
        let mut doubtful = Vec::new();
        let directly = hopeless.load(Ordering::Relaxed) || {
            scores.smallest(x, labels, &mut doubtful);
            2 * doubtful.len() > labels.len()
        };
        if directly {
            // Whoever sees this has less to do; the labels are the same.
            hopeless.store(true, Ordering::Relaxed);
            return with_buffer(labels.len(), |distances| nearest(x, &candidates, labels, distances));
        }
        let count = doubtful.len();
        let mut index = vec![0; count];
        with_buffer(2 * count, |buffer| {
            let (distance, second) = buffer.split_at_mut(count);
            let found = Found { index: &mut index, distance, second };
            two_nearest(x, &doubtful, &candidates, 0..candidates.panels(), found);
        });
        doubtful.iter().zip(index).for_each(|(&row, label)| labels[row as usize] = label);
    });
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
