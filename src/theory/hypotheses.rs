//! Approximation and estimation error of the best hypothesis on a sample.

use super::JointTable;
use crate::error::{Error, Result};

/// The error of empirical risk minimisation over a finite class, in its parts (002): what the class cannot reach, and
/// what is lost because a sample chose the hypothesis.
///
/// ```
/// use gristmill::theory::{JointTable, RiskSplit};
/// // Class 1 is likelier at x = 1, and there are two constant hypotheses and the right one.
/// let table = JointTable::new(vec![vec![0.4, 0.1], vec![0.2, 0.3]])?;
/// let constants = vec![vec![0, 0], vec![1, 1]];
/// let split = RiskSplit::of(&table, &constants, &[(0, 0), (1, 1), (1, 1)])?;
/// assert_eq!(split.chosen, 1); // the sample has more of class 1
/// assert!((split.bayes - 0.3).abs() < 1e-15 && (split.approximation - 0.4).abs() < 1e-15);
/// assert!((split.estimation - 0.2).abs() < 1e-15);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RiskSplit {
    /// The place of the hypothesis with the fewest training errors, the first of equals.
    pub chosen: usize,
    /// Its share of training errors.
    pub training: f64,
    /// The least error of any classifier.
    pub bayes: f64,
    /// ε_app: the least error within the class.
    pub approximation: f64,
    /// ε_est: how much the chosen one's error is above that. The error is the sum of both.
    pub estimation: f64,
}

impl RiskSplit {
    /// For a known distribution, hypotheses that give each x a class, and a sample of (x, y).
    pub fn of(table: &JointTable, hypotheses: &[Vec<usize>], sample: &[(usize, usize)]) -> Result<RiskSplit> {
        if hypotheses.is_empty() || sample.is_empty() {
            return Err(Error::shape("RiskSplit", "one hypothesis and one row at least", "none"));
        }
        if let Some((x, _)) = sample.iter().find(|(x, _)| *x >= table.rows()) {
            return Err(Error::param("sample", format!("x below {}", table.rows()), x));
        }
        let errors = hypotheses.iter().map(|hypothesis| table.error(hypothesis)).collect::<Result<Vec<f64>>>()?;
        let wrong = |hypothesis: &Vec<usize>| sample.iter().filter(|(x, y)| hypothesis[*x] != *y).count();
        let wrong: Vec<usize> = hypotheses.iter().map(wrong).collect();
        let chosen = (1..wrong.len()).fold(0, |best, at| if wrong[at] < wrong[best] { at } else { best });
        let approximation = errors.iter().copied().fold(f64::INFINITY, f64::min);
        let training = wrong[chosen] as f64 / sample.len() as f64;
        let estimation = errors[chosen] - approximation;
        Ok(RiskSplit { chosen, training, bayes: table.bayes_error(), approximation, estimation })
    }

    /// The error of the chosen hypothesis: ε_app + ε_est.
    pub fn error(&self) -> f64 {
        self.approximation + self.estimation
    }
}
