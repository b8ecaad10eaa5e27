//! Hidden Markov models: a chain of states that are not seen, each of which emits what is.

mod baum_welch;
mod emissions;
mod file;
mod forward_backward;
mod model;
mod observations;
mod viterbi;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

pub use emissions::{CovarianceKind, Emissions};
pub use model::HiddenMarkovModel;
pub use observations::Observations;

/// A hidden Markov model, fitted by Baum and Welch's expectation maximisation. States emit symbols or vectors of numbers,
/// which are normally distributed; what the observations are decides. Names and defaults are hmmlearn's.
///
/// ```
/// use gristmill::sequence::{HiddenMarkov, Observations};
/// // A die that is exchanged for a loaded one from time to time.
/// let rolls = [[6, 6, 6, 5, 6, 6, 1, 2, 3, 4, 1, 5], [1, 3, 2, 5, 4, 6, 6, 6, 6, 6, 5, 6]];
/// let rolls = Observations::symbols(&rolls);
/// let model = HiddenMarkov::new(2).n_iter(50).fit(&rolls)?;
/// let (_, states) = model.decode(&rolls)?;
/// assert_ne!(states[0][0], states[0][9]);
/// assert!(model.history().is_sorted()); // the likelihood never falls
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HiddenMarkov {
    /// Number of hidden states, S.
    pub n_components: usize,
    /// The covariances of states that emit numbers.
    pub covariance_type: CovarianceKind,
    /// What is added to the sums of squares that variances are made of; above 0 no state can shrink to a point.
    pub covars_prior: f64,
    /// Iterations at most.
    pub n_iter: usize,
    /// The rise of the log-likelihood below which it has converged.
    pub tol: f64,
    /// Seed of the first parameters.
    pub seed: u64,
}

impl HiddenMarkov {
    /// A model of so many states.
    pub fn new(n_components: usize) -> HiddenMarkov {
        let covariance_type = CovarianceKind::Diagonal;
        HiddenMarkov { n_components, covariance_type, covars_prior: 0.01, n_iter: 10, tol: 0.01, seed: 0 }
    }

    /// Sets the covariances of states that emit numbers.
    pub fn covariance_type(mut self, covariance_type: CovarianceKind) -> HiddenMarkov {
        self.covariance_type = covariance_type;
        self
    }

    /// Sets what is added to the sums of squares that variances are made of.
    pub fn covars_prior(mut self, covars_prior: f64) -> HiddenMarkov {
        self.covars_prior = covars_prior;
        self
    }

    /// Sets how many iterations there are at most.
    pub fn n_iter(mut self, n_iter: usize) -> HiddenMarkov {
        self.n_iter = n_iter;
        self
    }

    /// Sets the rise of the log-likelihood below which it has converged.
    pub fn tol(mut self, tol: f64) -> HiddenMarkov {
        self.tol = tol;
        self
    }

    /// Sets the seed of the first parameters.
    pub fn seed(mut self, seed: u64) -> HiddenMarkov {
        self.seed = seed;
        self
    }

    fn check(&self) -> Result<()> {
        if self.n_components == 0 || self.n_components > 4096 {
            return Err(Error::param("n_components", "from 1 to 4096", self.n_components));
        }
        if !(self.covars_prior >= 0.0 && self.covars_prior.is_finite()) {
            return Err(Error::param("covars_prior", "at least 0 and finite", self.covars_prior));
        }
        if !self.tol.is_finite() {
            return Err(Error::param("tol", "finite", self.tol));
        }
        Ok(())
    }

    /// Fits the model from a random start: emissions of symbols are drawn at random, means are the centres of k-means.
    pub fn fit(&self, observations: &Observations) -> Result<HiddenMarkovModel> {
        self.check()?;
        self.fit_from(&baum_welch::start(self, observations)?, observations)
    }

    /// Fits the model from the probabilities of another, which decides the number and kind of states.
    pub fn fit_from(&self, start: &HiddenMarkovModel, observations: &Observations) -> Result<HiddenMarkovModel> {
        self.check()?;
        if start.initial.len() != self.n_components {
            let expected = format!("a start with {} states", self.n_components);
            return Err(Error::shape("HiddenMarkov", expected, start.initial.len()));
        }
        baum_welch::fit(self, start, observations)
    }
}
