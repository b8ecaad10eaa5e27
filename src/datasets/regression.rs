//! Numbers that are linear in some of the columns.

use rayon::prelude::*;

use super::generate::{Purpose, at_least_one, finished, normals, uniforms, zero_or_more};
use crate::array::Matrix;
use crate::data::{Dataset, Target};
use crate::error::{Error, Result};
use crate::settings::settings;

settings! {
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
        /// Rows, n.
        n_samples: usize = 100;
        /// Columns, d.
        n_features: usize = 100;
        /// Columns with a coefficient, which is between 0 and 100.
        n_informative: usize = 10;
        /// Outputs, p.
        n_targets: usize = 1;
        /// What is added to every output.
        bias: f32 = 0.0;
        /// The deviation of the noise in the outputs.
        noise: f32 = 0.0;
        /// Decides the rows.
        seed: u64 = 0;
    }
}

impl Regression {
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
            return Err(Error::param("n_informative", "at most n_features", self.n_informative));
        }
        if !self.bias.is_finite() {
            return Err(Error::param("bias", "finite", self.bias));
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
