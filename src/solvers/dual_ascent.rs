//! Stochastic dual coordinate ascent as a value, for dense rows.

use super::dual_descent::{self, DualProblem, DualStop};
use crate::array::Matrix;
use crate::cpu::linear::margin_gradient::exact::Dense;
use crate::error::{Error, Result};

/// What a margin costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DualLoss {
    /// max(0, 1 − y·margin), y being −1 or 1.
    Hinge,
    /// max(0, 1 − y·margin)².
    SquaredHinge,
    /// max(0, |margin − y| − ε).
    EpsilonInsensitive(f64),
    /// max(0, |margin − y| − ε)².
    SquaredEpsilonInsensitive(f64),
}

/// Stochastic dual coordinate ascent (Shalev-Shwartz and Zhang 2013) for ½‖w‖² + ½b² + Σ cost·loss of margins x·w + b, with
/// shrinking, in a random order of buckets of eight neighbouring rows (of single rows below 16,384). The same seed takes the
/// same steps.
///
/// ```
/// use gristmill::Matrix;
/// use gristmill::solvers::{DualAscent, DualLoss};
/// let x = Matrix::from_rows(&[[-2.0], [-1.0], [1.0], [3.0]])?;
/// let found = DualAscent::new(DualLoss::Hinge).minimize(&x, &[-1.0, -1.0, 1.0, 1.0], &[10.0; 4])?;
/// assert!(found.converged && (found.coef[0] - 1.0).abs() < 1e-2); // margins of −1 and 1 at the nearest rows
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DualAscent {
    /// The loss.
    pub loss: DualLoss,
    /// Whether there is an intercept b; it is penalised as the coefficients are.
    pub intercept: bool,
    /// Ends when the duality gap is at most this share of the objective.
    pub tol: f64,
    /// Passes over the rows at most.
    pub max_iter: usize,
    /// Seed of the orders.
    pub seed: u64,
}

/// Where it ended.
#[derive(Debug, Clone, PartialEq)]
pub struct DualMinimum {
    /// The coefficients, d numbers.
    pub coef: Vec<f64>,
    /// The intercept; 0 without one.
    pub intercept: f64,
    /// The objective, as often as it was looked at.
    pub objectives: Vec<f64>,
    /// The objective is above its minimum by no more than this.
    pub gap: f64,
    /// Passes over the rows.
    pub iterations: usize,
    /// Whether the gap was reached.
    pub converged: bool,
}

impl DualAscent {
    /// With an intercept, to a gap of 1e-4, in at most 1000 passes.
    pub fn new(loss: DualLoss) -> DualAscent {
        DualAscent { loss, intercept: true, tol: 1e-4, max_iter: 1000, seed: 0 }
    }

    /// The plane for n×d rows, n targets and n costs.
    pub fn minimize(&self, x: &Matrix, targets: &[f64], costs: &[f64]) -> Result<DualMinimum> {
        const OP: &str = "DualAscent";
        if x.rows() == 0 || x.columns() == 0 || [targets.len(), costs.len()] != [x.rows(); 2] {
            let got = format!("{}×{}, {} and {}", x.rows(), x.columns(), targets.len(), costs.len());
            return Err(Error::shape(
                OP,
                "at least one row and one column, and as many targets and costs as rows",
                got,
            ));
        }
        if let Some(at) = x.as_slice().iter().position(|value| !value.is_finite()) {
            let (row, column) = (at / x.columns(), at % x.columns());
            return Err(Error::NotFinite { row, column, value: f64::from(x.get(row, column)) });
        }
        let (squared, epsilon) = match self.loss {
            DualLoss::Hinge => (false, None),
            DualLoss::SquaredHinge => (true, None),
            DualLoss::EpsilonInsensitive(epsilon) => (false, Some(epsilon)),
            DualLoss::SquaredEpsilonInsensitive(epsilon) => (true, Some(epsilon)),
        };
        let fits = |target: &f64| if epsilon.is_none() { target.abs() == 1.0 } else { target.is_finite() };
        if let Some(target) = targets.iter().find(|target| !fits(target)) {
            let rule = if epsilon.is_none() { "−1 or 1 for classes" } else { "finite" };
            return Err(Error::param("targets", rule, target));
        }
        let right = |cost: &f64| *cost >= 0.0 && cost.is_finite();
        if epsilon.is_some_and(|epsilon| !right(&epsilon))
            || !costs.iter().all(right)
            || self.tol.is_nan()
            || self.tol <= 0.0
        {
            return Err(Error::param(
                "DualAscent",
                "epsilon and costs that are finite and not below 0, tol above 0",
                OP,
            ));
        }
        let columns = x.columns();
        let problem =
            DualProblem { targets, costs, squared, epsilon, intercept: self.intercept, columns, seed: self.seed };
        let stop = DualStop { tol: self.tol, max_iter: self.max_iter };
        let rows = Dense { x: x.as_slice(), columns };
        let found = dual_descent::minimize(rows, problem, stop, |_, _| Ok(false))?;
        Ok(DualMinimum {
            coef: found.coef,
            intercept: found.intercept,
            objectives: found.objectives,
            gap: found.gap,
            iterations: found.passes,
            converged: found.converged,
        })
    }
}
