//! What states emit.

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use super::observations::Observations;
use crate::error::{Error, Result};
use crate::linalg::Cholesky;
use crate::sequence::distribution::check_distribution;
use crate::sequence::symbols::Symbols;

/// The covariances of states that emit numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CovarianceKind {
    /// Columns vary independently of each other.
    Diagonal,
    /// A matrix for each state.
    Full,
}

/// What each of S states emits.
#[derive(Debug, Clone, PartialEq)]
pub enum Emissions {
    /// Symbols.
    Discrete {
        /// The symbols, V of them.
        symbols: Symbols,
        /// The probability of each symbol in each state, S×V.
        probabilities: DMatrix<f64>,
    },
    /// Vectors of d numbers, normally distributed.
    Gaussian {
        /// The mean of each state, S×d.
        means: DMatrix<f64>,
        /// The covariance of each state, d×d.
        covariances: Vec<DMatrix<f64>>,
        /// Whether they are diagonal.
        kind: CovarianceKind,
    },
}

impl Emissions {
    /// Symbols with their probabilities in each state, S×V.
    pub fn discrete<S: std::fmt::Display>(symbols: &[S], probabilities: DMatrix<f64>) -> Result<Emissions> {
        let names: Vec<String> = symbols.iter().map(ToString::to_string).collect();
        let text = names.join(", ");
        let symbols = Symbols::from_names(names).filter(|symbols| !symbols.is_empty());
        let symbols = symbols.ok_or_else(|| Error::param("symbols", "different, at least one", text))?;
        Ok(Emissions::Discrete { symbols, probabilities })
    }

    /// Number of states.
    pub(super) fn states(&self) -> usize {
        match self {
            Emissions::Discrete { probabilities, .. } => probabilities.nrows(),
            Emissions::Gaussian { means, .. } => means.nrows(),
        }
    }

    /// Refuses probabilities and covariances that are none.
    pub(super) fn check(&self) -> Result<()> {
        match self {
            Emissions::Discrete { symbols, probabilities } => {
                if probabilities.ncols() != symbols.len() {
                    let expected = format!("a column for each of {} symbols", symbols.len());
                    return Err(Error::shape("HiddenMarkov", expected, probabilities.ncols()));
                }
                (0..probabilities.nrows()).try_for_each(|state| {
                    let place = format!("the emissions of state {state}");
                    check_distribution(&place, symbols.len(), probabilities.row(state).iter())
                })
            }
            Emissions::Gaussian { means, covariances, .. } => {
                let columns = means.ncols();
                let fits = |matrix: &DMatrix<f64>| matrix.shape() == (columns, columns);
                if covariances.len() != means.nrows() || !covariances.iter().all(fits) || columns == 0 {
                    let expected = format!("{} covariances of {columns}×{columns}", means.nrows());
                    return Err(Error::shape("HiddenMarkov", expected, covariances.len()));
                }
                if means.iter().any(|mean| !mean.is_finite()) {
                    return Err(Error::param("means", "finite", "a number that is not"));
                }
                self.factors().map(|_| ())
            }
        }
    }

    /// The factor and log-determinant of each covariance.
    fn factors(&self) -> Result<Vec<(Cholesky, f64)>> {
        let Emissions::Gaussian { covariances, .. } = self else { return Ok(vec![]) };
        covariances
            .iter()
            .enumerate()
            .map(|(state, covariance)| {
                let factor = Cholesky::factor(covariance).map_err(|error| {
                    let what = format!("the covariance of state {state}");
                    Error::Nested { what, error: Box::new(error) }
                })?;
                let determinant = factor.log_determinant();
                Ok((factor, determinant))
            })
            .collect()
    }

    /// The logarithm of each state's density at each step of a sequence, T×S.
    pub(super) fn log_densities(&self, observations: &Observations, sequence: usize) -> Result<DMatrix<f64>> {
        match (self, observations) {
            (Emissions::Discrete { symbols, probabilities }, Observations::Symbols(sequences)) => {
                let seen = &sequences[sequence];
                let mut found = DMatrix::zeros(seen.len(), probabilities.nrows());
                for (position, symbol) in seen.iter().enumerate() {
                    let code = symbols.code(symbol).ok_or_else(|| {
                        let (symbol, known) = (symbol.clone(), symbols.len());
                        Error::Symbol { sequence, position, symbol, known }
                    })?;
                    (0..probabilities.nrows())
                        .for_each(|state| found[(position, state)] = probabilities[(state, code as usize)].ln());
                }
                Ok(found)
            }
            (Emissions::Gaussian { means, .. }, Observations::Numbers(sequences)) => {
                let x = &sequences[sequence];
                if x.ncols() != means.ncols() {
                    return Err(Error::shape("HiddenMarkov", format!("{} columns", means.ncols()), x.ncols()));
                }
                let mut found = DMatrix::zeros(x.nrows(), means.nrows());
                let constant = means.ncols() as f64 * std::f64::consts::TAU.ln();
                for (state, (factor, determinant)) in self.factors()?.iter().enumerate() {
                    // (x − μ)ᵀ Σ⁻¹ (x − μ) is the squared length of L⁻¹ (x − μ).
                    let mut shifted = x.transpose();
                    let mean: DVector<f64> = means.row(state).transpose();
                    shifted.column_iter_mut().for_each(|mut column| column -= &mean);
                    let solved = factor.solve_lower(&shifted)?;
                    for step in 0..x.nrows() {
                        found[(step, state)] = -0.5 * (constant + determinant + solved.column(step).norm_squared());
                    }
                }
                Ok(found)
            }
            (Emissions::Discrete { .. }, _) => Err(Error::shape("HiddenMarkov", "sequences of symbols", "numbers")),
            (Emissions::Gaussian { .. }, _) => Err(Error::shape("HiddenMarkov", "sequences of numbers", "symbols")),
        }
    }
}
