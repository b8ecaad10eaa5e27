//! The linear support vector regressor.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::estimator::{Abilities, Declared, Estimator, Fit, Rows, Targets, parameters};
use crate::linear::classifier::Shown;
use crate::linear::host_rows::{HostRows, each_row};
use crate::linear::regressor::{LinearRegressor, LinearRegressorModel};
use crate::solvers::dual_descent::{self, DualProblem, DualStop};

/// What an error beyond epsilon costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SvrLoss {
    /// max(0, |error| − epsilon).
    #[default]
    EpsilonInsensitive,
    /// max(0, |error| − epsilon)².
    SquaredEpsilonInsensitive,
}

parameters! {
    /// The linear support vector regressor: ½‖coef‖² + ½·intercept² + c·Σ loss is minimised, of errors beyond `epsilon`, by dual
    /// coordinate descent. Names and defaults are scikit-learn's and LIBLINEAR's (`c` is `C`; `tol` is another measure).
    ///
    /// ```
    /// use gristmill::linear::LinearSvr;
    /// use gristmill::prelude::*;
    /// let x = Matrix::from_rows(&[[0.0], [1.0], [2.0], [3.0]])?;
    /// let model = LinearSvr::default().c(100.0).tol(1e-8).fit(&x, &[1.0, 3.0, 5.0, 7.0])?;
    /// assert!((model.coef()[(0, 0)] - 2.0).abs() < 1e-2);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - The intercept is penalised as in LIBLINEAR: centre targets and columns that are far from 0. Each output by itself.
    /// - Passes run on the CPU, one row after the other. Sparse rows cost what is not zero in them.
    pub struct LinearSvr: regressor("linear-svr") -> LinearSvrModel;
    about "a plane with a tube of errors that cost nothing";
    {
        /// Errors up to this cost nothing.
        epsilon: f64 = 0.0, at_least(0.0);
        /// The loss: epsilon_insensitive or squared_epsilon_insensitive.
        loss: SvrLoss = SvrLoss::EpsilonInsensitive;
        /// What a unit of loss costs beside the penalty.
        c: f64 = 1.0, above(0.0);
        /// Whether there is an intercept.
        fit_intercept: bool = true;
        /// A fit ends when the duality gap is within this share of the objective.
        tol: f64 = 1e-4, above(0.0);
        /// Maximum number of passes over the rows.
        max_iter: usize = 1000, at_least(1.0);
        /// Seed of the orders of the rows.
        seed: u64 = 0;
    }
}

/// A model fitted by [`LinearSvr`].
pub type LinearSvrModel = LinearRegressorModel<LinearSvr>;

impl LinearRegressor for LinearSvr {
    const EXTRAS: &'static [(&'static str, Shown)] = super::EXTRAS;
}

impl Estimator for LinearSvr {
    fn abilities(&self) -> Abilities {
        Abilities { sparse: true, fixed_zero: true, ..Abilities::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, y: Targets<'_>, options: Fit<'_>) -> Result<LinearSvrModel> {
        let rows = HostRows::new(Self::TYPE, x)?;
        let y = y.complete(Self::TYPE, rows.rows())?;
        let weights = options.weights(Self::TYPE, rows.rows())?;
        let costs: Vec<f64> =
            (0..rows.rows()).map(|row| self.c * weights.map_or(1.0, |weights| f64::from(weights[row]))).collect();
        let stop = DualStop { tol: self.tol, max_iter: self.max_iter };
        let found = options.watched("linear SVM", |reporter| {
            let mut of_output = |output: usize| {
                let targets: Vec<f64> = (0..rows.rows()).map(|row| f64::from(y.get(row, output))).collect();
                let problem = DualProblem {
                    targets: &targets,
                    costs: &costs,
                    squared: self.loss == SvrLoss::SquaredEpsilonInsensitive,
                    epsilon: Some(self.epsilon),
                    intercept: self.fit_intercept,
                    columns: rows.columns(),
                    seed: self.seed,
                };
                let report =
                    |pass: usize, value: f64| reporter.report(pass, Some(value), pass as f64 / self.max_iter as f64);
                each_row!(&rows, x => dual_descent::minimize(x, problem, stop, report))
            };
            (0..y.columns()).map(&mut of_output).collect::<Result<Vec<_>>>()
        })?;
        let coef: Vec<f64> = found.iter().flat_map(|found| &found.coef).copied().collect();
        let intercept = found.iter().map(|found| found.intercept).collect();
        LinearRegressorModel::new(self, &coef, intercept, super::outcome(Self::TYPE, &found))
    }
}
