//! How long a step is, by its number.

use serde::{Deserialize, Serialize};

/// The learning rate of step 0, 1, ….
///
/// Stochastic steps find the minimum if Σ rate = ∞ and Σ rate² < ∞ (Robbins and Monro 1951): `InverseTime`, and
/// `RobbinsMonro` with a power above ½ and up to 1.
///
/// ```
/// use gristmill::solvers::Rate;
/// let rate = Rate::Step { first: 0.8, factor: 0.5, every: 10 };
/// assert_eq!([rate.at(9), rate.at(10), rate.at(25)], [0.8, 0.4, 0.2]);
/// assert_eq!(Rate::InverseTime { first: 1.0 }.at(3), 0.25);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rate {
    /// Always the same.
    Constant(f64),
    /// first / (1 + t).
    InverseTime {
        /// The rate of step 0.
        first: f64,
    },
    /// Times `factor` after every `every` steps.
    Step {
        /// The rate of step 0.
        first: f64,
        /// What it is multiplied by.
        factor: f64,
        /// Steps between two changes, at least 1.
        every: u64,
    },
    /// Half a cosine from `first` to `last` over `steps` steps, then `last`.
    Cosine {
        /// The rate of step 0.
        first: f64,
        /// The rate at the end.
        last: f64,
        /// Steps from one to the other, at least 1.
        steps: u64,
    },
    /// first / (1 + t)^power.
    RobbinsMonro {
        /// The rate of step 0.
        first: f64,
        /// The power, above ½ and up to 1.
        power: f64,
    },
}

impl Rate {
    /// The rate of a step.
    pub fn at(&self, step: u64) -> f64 {
        match *self {
            Rate::Constant(rate) => rate,
            Rate::InverseTime { first } => first / (1.0 + step as f64),
            Rate::Step { first, factor, every } => {
                let changes = (step / every.max(1)).min(i32::MAX as u64);
                first * factor.powi(changes as i32)
            }
            Rate::Cosine { first, last, steps } => {
                let share = (step as f64 / steps.max(1) as f64).min(1.0);
                last + 0.5 * (first - last) * (1.0 + (std::f64::consts::PI * share).cos())
            }
            Rate::RobbinsMonro { first, power } => first / (1.0 + step as f64).powf(power),
        }
    }
}
