//! Arms that pay at random.

use super::{Environment, Random, Step};
use crate::error::{Error, Result};

/// A bandit: one state, and arms whose rewards are normally distributed around means of their own. A pull is an episode.
#[derive(Debug, Clone, PartialEq)]
pub struct Bandit {
    means: Vec<f64>,
    deviation: f64,
}

impl Bandit {
    /// Arms of these means, all with the same standard deviation.
    pub fn new(means: &[f64], deviation: f64) -> Result<Bandit> {
        if means.is_empty() || means.iter().any(|mean| !mean.is_finite()) {
            return Err(Error::param("means", "finite, at least one", format!("{means:?}")));
        }
        if !(deviation >= 0.0 && deviation.is_finite()) {
            return Err(Error::param("deviation", "at least 0 and finite", deviation));
        }
        Ok(Bandit { means: means.to_vec(), deviation })
    }

    /// Ten arms with means drawn from a standard normal distribution, as in Sutton and Barto's test bed.
    pub fn testbed(seed: u64) -> Bandit {
        let mut random = Random::new(seed, 0x4241_4e44);
        Bandit { means: (0..10).map(|_| random.normal()).collect(), deviation: 1.0 }
    }

    /// The mean of each arm.
    pub fn means(&self) -> &[f64] {
        &self.means
    }
}

impl Environment for Bandit {
    fn states(&self) -> Option<usize> {
        Some(1)
    }

    fn actions(&self) -> usize {
        self.means.len()
    }

    fn reset(&mut self, _: &mut Random) {}

    fn state(&self) -> usize {
        0
    }

    fn step(&mut self, action: usize, random: &mut Random) -> Step {
        Step { reward: self.means[action] + self.deviation * random.normal(), terminal: true }
    }
}
