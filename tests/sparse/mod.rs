//! Sparse rows: kernels against f64 oracles, models and transformers against what they make of the same rows dense.

mod kernels;
mod least_squares;
mod lsqr;
mod pipelines;
mod transformers;

use gristmill::SparseMatrix;

use crate::cpu::numbers;

/// n×d numbers of which about this share is not zero, in (−1, 1); empty rows and columns among them where it is small.
fn random(rows: usize, columns: usize, share: f32, seed: u64) -> SparseMatrix {
    let drawn = numbers(2 * rows * columns, seed);
    let places = (0..rows * columns).filter(|at| drawn[2 * at].abs() < share);
    let triplets = places.map(|at| (at / columns, at % columns, drawn[2 * at + 1]));
    SparseMatrix::from_triplets(rows, columns, triplets).unwrap()
}
