//! The evidence of rows by drawn codes, in f64.

use super::variational::Decoder;
use crate::array::Matrix;
use crate::cpu::random::philox::Philox;
use crate::error::Result;
use crate::ops::neural::{MOST_SPREAD, VARIANCE_FLOOR};

/// The random numbers of codes; the sample is added.
const STREAM: u32 = 0x5641_1000;

/// rows×columns standard normal numbers.
pub(super) fn normals(seed: u64, stream: u32, rows: usize, columns: usize) -> Result<Matrix> {
    let mut drawn = vec![0.0; rows * columns];
    Philox::new(seed, stream).fill_normals(0, &mut drawn);
    Matrix::from_vec(rows, columns, drawn)
}

/// Sums over samples of codes.
pub(super) struct Evidence {
    x: Matrix,
    /// Means and logarithms of variances of the codes.
    codes: Matrix,
    decoder: Decoder,
    samples: usize,
    /// Σ log p(x|z).
    reconstructed: Vec<f64>,
    /// log p(x|z)p(z)/q(z|x) of each sample, added up as logarithms: the largest, and Σ e^(weight − largest).
    weights: Vec<[f64; 2]>,
}

impl Evidence {
    pub(super) fn new(x: Matrix, codes: Matrix, decoder: Decoder) -> Evidence {
        let n = x.rows();
        let weights = vec![[f64::NEG_INFINITY, 0.0]; n];
        Evidence { x, codes, decoder, samples: 0, reconstructed: vec![0.0; n], weights }
    }

    /// Mean and variance's logarithm of a code.
    fn code(&self, row: usize, column: usize) -> [f64; 2] {
        let k = self.codes.columns() / 2;
        let spread = self.codes.get(row, k + column).clamp(-MOST_SPREAD, MOST_SPREAD);
        [self.codes.get(row, column), spread].map(f64::from)
    }

    /// A code for each row, by counter.
    pub(super) fn codes(&self, seed: u64, sample: usize) -> Result<Matrix> {
        let (n, k) = (self.codes.rows(), self.codes.columns() / 2);
        let mut drawn = normals(seed, STREAM.wrapping_add(sample as u32), n, k)?;
        for row in 0..n {
            for column in 0..k {
                let [mean, spread] = self.code(row, column);
                let value = mean + (0.5 * spread).exp() * f64::from(drawn.get(row, column));
                drawn.as_mut_slice()[row * k + column] = value as f32;
            }
        }
        Ok(drawn)
    }

    /// log p(x|z) of a row, by the sums of the decoder's last layer.
    fn row(&self, row: usize, sums: &[f32]) -> f64 {
        let d = self.x.columns();
        let of_column = |(column, value): (usize, &f32)| {
            let (x, sum) = (f64::from(*value), f64::from(sums[column]));
            match self.decoder {
                Decoder::Bernoulli => x * sum - sum.max(0.0) - (-sum.abs()).exp().ln_1p(),
                Decoder::Gaussian => {
                    let variance =
                        f64::from(VARIANCE_FLOOR) + f64::from(sums[d + column].clamp(-MOST_SPREAD, MOST_SPREAD)).exp();
                    -0.5 * ((std::f64::consts::TAU * variance).ln() + (x - sum).powi(2) / variance)
                }
            }
        };
        self.x.row(row).iter().enumerate().map(of_column).sum()
    }

    /// Adds a sample: codes, and the sums that the decoder gives for them.
    pub(super) fn add(&mut self, codes: &Matrix, decoded: &Matrix) {
        self.samples += 1;
        for row in 0..self.x.rows() {
            let given = self.row(row, decoded.row(row));
            // log p(z) − log q(z|x); the constants of both are the same.
            let prior = |(column, z): (usize, &f32)| {
                let ([mean, spread], z) = (self.code(row, column), f64::from(*z));
                0.5 * ((z - mean).powi(2) / spread.exp() + spread - z * z)
            };
            let weight = given + codes.row(row).iter().enumerate().map(prior).sum::<f64>();
            self.reconstructed[row] += given;
            let [largest, sum] = self.weights[row];
            let highest = largest.max(weight);
            self.weights[row] = [highest, sum * (largest - highest).exp() + (weight - highest).exp()];
        }
    }

    /// Mean log p(x|z) less the divergence, by its formula.
    pub(super) fn bounds(self) -> Vec<f64> {
        let k = self.codes.columns() / 2;
        let divergence = |row: usize| {
            let one = |column: usize| {
                let [mean, spread] = self.code(row, column);
                0.5 * (mean * mean + spread.exp() - 1.0 - spread)
            };
            (0..k).map(one).sum::<f64>()
        };
        let rows = self.reconstructed.iter().enumerate();
        rows.map(|(row, sum)| sum / self.samples as f64 - divergence(row)).collect()
    }

    /// The logarithm of the mean weight.
    pub(super) fn likelihoods(self) -> Vec<f64> {
        let samples = (self.samples as f64).ln();
        self.weights.iter().map(|[largest, sum]| largest + sum.ln() - samples).collect()
    }
}
