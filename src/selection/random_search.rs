//! Random search: parameters drawn from ranges.

use serde_json::Value;

use super::search::{Candidates, Parameters, Search};
use crate::cpu::random::HostRng;
use crate::error::{Error, Result};
use crate::pipeline::Pipeline;

/// The random numbers of drawn parameters.
const STREAM: u32 = 0x5253_4348;
/// A combination that was drawn before is drawn again, so often at most.
const ATTEMPTS: usize = 100;

/// What a parameter is drawn from.
#[derive(Debug, Clone, PartialEq)]
pub enum ParameterRange {
    /// One of these, all alike.
    Choice(Vec<Value>),
    /// A number from `low` to `high`, all alike.
    Uniform {
        /// The least.
        low: f64,
        /// The largest.
        high: f64,
    },
    /// A number from `low` to `high`, both above 0, its logarithm spread evenly.
    LogUniform {
        /// The least.
        low: f64,
        /// The largest.
        high: f64,
    },
    /// A whole number from `low` to `high`, both of them too.
    Integers {
        /// The least.
        low: i64,
        /// The largest.
        high: i64,
    },
}

impl ParameterRange {
    fn check(&self) -> Result<()> {
        let wrong = |got: String| Err(Error::param("range", "finite, not empty, the lower end first", got));
        match self {
            ParameterRange::Choice(values) if values.is_empty() => wrong("no values".to_string()),
            ParameterRange::Uniform { low, high } if !(low <= high && (high - low).is_finite()) => {
                wrong(format!("{low} to {high}"))
            }
            ParameterRange::LogUniform { low, high } if !(*low > 0.0 && low <= high && high.is_finite()) => {
                Err(Error::param("range", "above 0, the lower end first", format!("{low} to {high}")))
            }
            ParameterRange::Integers { low, high } if low > high => wrong(format!("{low} to {high}")),
            _ => Ok(()),
        }
    }

    fn draw(&self, rng: &mut HostRng) -> Value {
        match self {
            ParameterRange::Choice(values) => values[rng.below(values.len())].clone(),
            ParameterRange::Uniform { low, high } => (low + (high - low) * rng.uniform()).into(),
            ParameterRange::LogUniform { low, high } => {
                (low.ln() + (high.ln() - low.ln()) * rng.uniform()).exp().clamp(*low, *high).into()
            }
            ParameterRange::Integers { low, high } => {
                let width = high.abs_diff(*low).saturating_add(1);
                low.saturating_add_unsigned((rng.uniform() * width as f64) as u64).min(*high).into()
            }
        }
    }
}

/// Draws `n_iter` combinations of parameters and tries each on every fold: often as good as a grid of many more.
///
/// ```
/// use gristmill::prelude::*;
/// use gristmill::selection::{Folds, ParameterRange, RandomSearch};
/// let search = RandomSearch::new(Pipeline::new(Ridge::new(1.0)))
///     .parameter("alpha", ParameterRange::LogUniform { low: 1e-4, high: 1e2 })
///     .n_iter(8)
///     .seed(1);
/// let found = search.fit(&datasets::diabetes()?, &Folds::k_fold(5))?;
/// assert_eq!(found.candidates.len(), 8);
/// assert!(found.best().score().mean > 0.45);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[doc(alias = "RandomizedSearchCV")]
pub type RandomSearch = Search<Draws>;

/// What each parameter is drawn from, and how many combinations are drawn.
#[derive(Debug, Clone)]
pub struct Draws {
    ranges: Vec<(String, ParameterRange)>,
    n_iter: usize,
    seed: u64,
}

impl RandomSearch {
    /// A search over no parameters yet, of ten combinations.
    pub fn new(pipeline: Pipeline) -> RandomSearch {
        Search { pipeline, candidates: Draws { ranges: vec![], n_iter: 10, seed: 0 } }
    }

    /// Adds a parameter of the model, with what it is drawn from.
    pub fn parameter(mut self, name: &str, range: ParameterRange) -> RandomSearch {
        self.candidates.ranges.push((name.to_string(), range));
        self
    }

    /// Sets the number of combinations.
    pub fn n_iter(mut self, n_iter: usize) -> RandomSearch {
        self.candidates.n_iter = n_iter;
        self
    }

    /// Sets the seed of what is drawn.
    pub fn seed(mut self, seed: u64) -> RandomSearch {
        self.candidates.seed = seed;
        self
    }
}

impl Candidates for Draws {
    /// What is drawn: different combinations, fewer than `n_iter` where there are not so many.
    fn parameters(&self) -> Result<Vec<Parameters>> {
        if self.n_iter == 0 {
            return Err(Error::param("n_iter", "at least 1", 0));
        }
        self.ranges.iter().try_for_each(|(_, range)| range.check())?;
        let mut rng = HostRng::new(self.seed, STREAM);
        let mut found: Vec<Parameters> = vec![];
        for _ in 0..self.n_iter * ATTEMPTS {
            if found.len() == self.n_iter {
                break;
            }
            let draw = |(name, range): &(String, ParameterRange)| (name.clone(), range.draw(&mut rng));
            let parameters: Parameters = self.ranges.iter().map(draw).collect();
            if !found.contains(&parameters) {
                found.push(parameters);
            }
        }
        Ok(found)
    }
}
