//! Numbers that are linear in some of the columns.

use rayon::prelude::*;

use super::generate::{Purpose, at_least_one, finished, normals, refused, uniforms, zero_or_more};
use crate::array::Matrix;
use crate::data::{Dataset, Target};
use crate::error::Result;

/// A linear regression problem: standard normal columns, of which the first `n_informative` make the target, with noise.
///
/// ```
/// use gristmill::datasets::Regression;
/// let problem = Regression::default().n_samples(50).n_features(5).n_informative(2).noise(0.1).seed(42);
/// let (data, coefficients) = problem.generate_with_coefficients()?;
/// assert_eq!((data.x.rows(), data.values()?.columns()), (50, 1));
/// assert_eq!(coefficients.as_slice()[2..], [0.0; 3]); // the last three columns say nothing
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Regression {
    /// Rows, n. 100.
    pub n_samples: usize,
    /// Columns, d. 100.
    pub n_features: usize,
    /// Columns with a coefficient, which is between 0 and 100. 10.
    pub n_informative: usize,
    /// Outputs, p. 1.
    pub n_targets: usize,
    /// What is added to every output. 0.
    pub bias: f32,
    /// The deviation of the noise in the outputs. 0.
    pub noise: f32,
    /// 0.
    pub seed: u64,
}

impl Default for Regression {
    fn default() -> Regression {
        Regression { n_samples: 100, n_features: 100, n_informative: 10, n_targets: 1, bias: 0.0, noise: 0.0, seed: 0 }
    }
}

impl Regression {
    /// Sets the number of rows.
    pub fn n_samples(mut self, n_samples: usize) -> Regression {
        self.n_samples = n_samples;
        self
    }

    /// Sets the number of columns.
    pub fn n_features(mut self, n_features: usize) -> Regression {
        self.n_features = n_features;
        self
    }

    /// Sets the number of columns with a coefficient.
    pub fn n_informative(mut self, n_informative: usize) -> Regression {
        self.n_informative = n_informative;
        self
    }

    /// Sets the number of outputs.
    pub fn n_targets(mut self, n_targets: usize) -> Regression {
        self.n_targets = n_targets;
        self
    }

    /// Sets what is added to every output.
    pub fn bias(mut self, bias: f32) -> Regression {
        self.bias = bias;
        self
    }

    /// Sets the deviation of the noise.
    pub fn noise(mut self, noise: f32) -> Regression {
        self.noise = noise;
        self
    }

    /// Sets the seed.
    pub fn seed(mut self, seed: u64) -> Regression {
        self.seed = seed;
        self
    }

    /// The rows and their outputs, named `y1`, `y2`, ….
    pub fn generate(&self) -> Result<Dataset> {
        Ok(self.generate_with_coefficients()?.0)
    }

    /// The rows, and the coefficients behind them, d×p.
    pub fn generate_with_coefficients(&self) -> Result<(Dataset, Matrix)> {
        at_least_one("n_samples", self.n_samples)?;
        at_least_one("n_features", self.n_features)?;
        at_least_one("n_targets", self.n_targets)?;
        zero_or_more("noise", self.noise)?;
        if self.n_informative > self.n_features {
            return Err(refused("n_informative", "at most n_features", self.n_informative));
        }
        if !self.bias.is_finite() {
            return Err(refused("bias", "finite", self.bias));
        }
        let (n, d, p) = (self.n_samples, self.n_features, self.n_targets);
        let x = normals(n, d, self.seed, Purpose::Rows)?;
        let mut coefficients = Matrix::zeros(d, p)?;
        let informative = uniforms((self.n_informative, p), (0.0, 100.0), self.seed, Purpose::Coefficients)?;
        coefficients.as_mut_slice()[..self.n_informative * p].copy_from_slice(informative.as_slice());
        let mut y = normals(n, p, self.seed, Purpose::Noise)?;
        y.as_mut_slice().par_chunks_mut(p).enumerate().for_each(|(row, outputs)| {
            for (output, noise) in outputs.iter_mut().enumerate() {
                let term = |column: usize| x.get(row, column) as f64 * coefficients.get(column, output) as f64;
                let exact = (0..self.n_informative).map(term).sum::<f64>() + self.bias as f64;
                *noise = (exact + self.noise as f64 * *noise as f64) as f32;
            }
        });
        let y = y.with_names((1..=p).map(|output| format!("y{output}")))?;
        Ok((finished(x, Target::Numbers(y))?, coefficients))
    }
}
