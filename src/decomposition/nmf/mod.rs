//! Rows without negative numbers as sums of parts without negative numbers.

mod model;
mod start;
mod steps;

pub use model::NmfModel;

use serde::{Deserialize, Serialize};

use crate::cost::Cost;
use crate::error::{Error, Result};
use crate::estimator::{Declared, Estimator, Fit, FitShape, Rows, parameters};
use steps::Factors;

/// How both factors are found in turn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NmfSolver {
    /// Coordinate descent (Cichocki and Phan 2009); squared error only.
    #[default]
    Cd,
    /// Multiplicative updates (Lee and Seung 2001).
    Mu,
}

/// What is minimised.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BetaLoss {
    /// Half of the sum of squared errors.
    #[default]
    Frobenius,
    /// Σ x·log(x/y) − x + y; for counts, and only by multiplicative updates.
    KullbackLeibler,
}

/// Where the factors begin.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NmfInit {
    /// The larger halves of the leading singular vectors (Boutsidis and Gallopoulos 2008), with zeros.
    Nndsvd,
    /// The same with the mean of the rows in the place of zeros.
    #[default]
    Nndsvda,
    /// Random numbers.
    Random,
}

parameters! {
    /// Non-negative matrix factorisation: X ≈ W·H, neither with a number below 0. Names are scikit-learn's.
    ///
    /// ```
    /// use gristmill::decomposition::Nmf;
    /// use gristmill::prelude::*;
    /// let digits = datasets::digits()?;
    /// let model = Nmf::new(8).max_iter(20).fit(&digits.x)?;
    /// let parts = model.components(); // 8×64
    /// assert!(parts.as_slice().iter().all(|value| *value >= 0.0));
    /// assert_eq!(model.transform(&digits.x)?.columns(), 8);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - All steps are made where the rows are; a GPU is waited for once an iteration (three times for kullback-leibler). By cd at most 1024
    ///   components there.
    /// - The iterations end when the parts change by less than `tol` of their size.
    /// - More components than rows or columns begin at random. A number below 0 is refused with its place; a table of zeros too.
    /// - `alpha_w` and `alpha_h` are penalties on the sizes of W and H, of which `l1_ratio` is on absolute values.
    pub struct Nmf: transformer("nmf") -> NmfModel;
    about "rows without negative numbers as sums of such parts";
    new(n_components: usize);
    {
        /// Components, k.
        n_components: usize = 2, at_least(1.0);
        /// Where the factors begin: nndsvd, nndsvda or random.
        init: NmfInit = NmfInit::Nndsvda;
        /// How they are found: cd, or mu for multiplicative updates.
        solver: NmfSolver = NmfSolver::Cd;
        /// What is minimised: frobenius or kullback-leibler, the latter by mu.
        beta_loss: BetaLoss = BetaLoss::Frobenius;
        /// Ends the iterations when the parts change by less than this share of their size.
        tol: f64 = 1e-4, at_least(0.0);
        /// Maximum number of iterations.
        max_iter: usize = 200, at_least(1.0);
        /// The penalty on W, for each column; cd only.
        alpha_w: f64 = 0.0, at_least(0.0);
        /// The penalty on H, for each row; cd only.
        alpha_h: f64 = 0.0, at_least(0.0);
        /// The share of the penalties that is on absolute values.
        l1_ratio: f64 = 0.0, from_to(0.0, 1.0);
        /// Seed of random starts.
        seed: u64 = 0;
    }
}

impl Estimator for Nmf {
    fn cost(&self, shape: &FitShape) -> Option<Cost> {
        let (n, d, k) = (shape.rows as f64, shape.columns as f64, self.n_components as f64);
        let iterations = self.max_iter as f64 / 2.0;
        let operations = iterations * (4.0 * n * d * k + 4.0 * (n + d) * k * k);
        let uploading = Cost::uploading(shape.rows + shape.queries, shape.columns);
        Some(Cost { operations, syncs: iterations, kernels: 4.0, ..uploading })
    }

    fn fit_rows(&self, x: Rows<'_>, _: (), options: Fit<'_>) -> Result<NmfModel> {
        options.refuse_weights(Self::TYPE)?;
        if self.beta_loss == BetaLoss::KullbackLeibler && self.solver == NmfSolver::Cd {
            return Err(Error::param("solver", "mu for kullback-leibler", "cd"));
        }
        if self.solver == NmfSolver::Mu && (self.alpha_w > 0.0 || self.alpha_h > 0.0) {
            return Err(Error::param("solver", "cd for penalties", "mu"));
        }
        let x = x.complete(Self::TYPE)?;
        let mut stream = x.device().stream();
        start::check(Self::TYPE, &mut stream, &x)?;
        let mut factors = Factors::start(self, &mut stream, &x)?;
        let (iterations, converged) =
            options.watched("factors", |reporter| factors.search(self, &mut stream, &x, reporter))?;
        if !converged {
            log::warn!("Nmf did not converge in {iterations} iterations; raise max_iter or tol");
        }
        let error = factors.error(self.beta_loss, &mut stream, &x)?;
        NmfModel::new(self, factors.parts(&mut stream)?, error, (iterations, converged))
    }
}
