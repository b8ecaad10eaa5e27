//! The empirical tangent kernel: gradients of a random two-layer network as features.

use rayon::prelude::*;

use crate::array::Matrix;
use crate::cpu::random::philox::Philox;
use crate::error::Result;

/// What the draws are for.
const HIDDEN: u32 = 0x6e74_6b01;
const OUTPUT: u32 = 0x6e74_6b02;

/// Weights of F(x) = √(2/m)·Σ aⱼ·relu(wⱼ·x): the m×d hidden ones, then the m output ones, all standard normal.
fn weights(columns: usize, width: usize, seed: u64) -> (Vec<f32>, Vec<f32>) {
    let (mut hidden, mut output) = (vec![0.0; width * columns], vec![0.0; width]);
    Philox::new(seed, HIDDEN).fill_normals(0, &mut hidden);
    Philox::new(seed, OUTPUT).fill_normals(0, &mut output);
    (hidden, output)
}

/// ∇F(x) by all weights: m for the output layer, then m·d for the hidden one.
pub(super) fn tangent_features(row: &[f32], width: usize, seed: u64) -> Vec<f64> {
    gradient(row, &weights(row.len(), width, seed))
}

fn gradient(row: &[f32], (hidden, output): &(Vec<f32>, Vec<f32>)) -> Vec<f64> {
    let (width, columns) = (output.len(), row.len());
    let scale = (2.0 / width as f64).sqrt();
    let mut features = vec![0.0; width * (columns + 1)];
    for unit in 0..width {
        let weights = &hidden[unit * columns..(unit + 1) * columns];
        let sum: f64 = weights.iter().zip(row).map(|(&w, &x)| f64::from(w) * f64::from(x)).sum();
        if sum > 0.0 {
            features[unit] = scale * sum;
            let slope = scale * f64::from(output[unit]);
            let to = &mut features[width + unit * columns..width + (unit + 1) * columns];
            to.iter_mut().zip(row).for_each(|(to, &x)| *to = slope * f64::from(x));
        }
    }
    features
}

/// The features of every row: n×(m·(d + 1)).
pub(super) fn tangent_rows(x: &Matrix, width: usize, seed: u64) -> Result<Matrix> {
    let (columns, weights) = (x.columns(), weights(x.columns(), width, seed));
    let features = width * (columns + 1);
    let mut out = vec![0.0_f32; x.rows() * features];
    out.par_chunks_mut(features).enumerate().for_each(|(row, out)| {
        let gradient = gradient(x.row(row), &weights);
        out.iter_mut().zip(gradient).for_each(|(out, value)| *out = value as f32);
    });
    Matrix::from_vec(x.rows(), features, out)
}

/// How much each weight of the network of [`Kernel::EmpiricalTangent`](super::Kernel) can change its answers on these rows:
/// Σ over the rows of ∇F(x), by weight, and which weights no row reaches. First the m output weights, then the m·d hidden ones.
#[derive(Debug, Clone, PartialEq)]
pub struct TangentWeights {
    /// The size of Σ ∇F(x) for each weight: large where all rows pull the same way, the influential weights.
    pub influence: Vec<f64>,
    /// Weights whose gradient is 0 at every row: the blind spots.
    pub blind: Vec<usize>,
}

/// The influential weights and the blind spots of a random two-layer relu network on these rows.
///
/// ```
/// use gristmill::kernel_methods::tangent_weights;
/// let x = gristmill::Matrix::from_rows(&[[1.0, 2.0], [2.0, 1.0]])?;
/// let weights = tangent_weights(&x, 50, 1)?;
/// assert_eq!(weights.influence.len(), 150);
/// assert!(!weights.blind.is_empty()); // units that both rows leave dark
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn tangent_weights(x: &Matrix, width: usize, seed: u64) -> Result<TangentWeights> {
    x.refuse_missing()?;
    let weights = weights(x.columns(), width, seed);
    let mut sums = vec![0.0; width * (x.columns() + 1)];
    let mut touched = vec![false; sums.len()];
    for row in 0..x.rows() {
        for (at, value) in gradient(x.row(row), &weights).into_iter().enumerate() {
            sums[at] += value;
            touched[at] |= value != 0.0;
        }
    }
    let blind = (0..touched.len()).filter(|&at| !touched[at]).collect();
    Ok(TangentWeights { influence: sums.into_iter().map(f64::abs).collect(), blind })
}
