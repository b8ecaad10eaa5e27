//! Linear models: numbers as a weighted sum of the columns, and classes by one ([`LogisticRegression`]).
//!
//! Least squares minimises `Σ w·(y − x·coef − intercept)² + alpha·‖coef‖²`, [`LinearRegression`] with alpha 0 and
//! [`Ridge`] with any. The method depends on the data, and is the same for both:
//!
//! | data | method | accuracy of the coefficients |
//! |---|---|---|
//! | small tables on the CPU, no more rows than columns, `fit_f64` | QR or SVD of the centred rows in f64 | that of f64 |
//! | large tables, on any device | products of the centred columns in one pass, Cholesky in f64 on the host | about 1e-6·κ |
//! | the same with a condition number κ above 64 | corrected with f64 residuals of the rows, until nothing changes | that of f64 |
//! | nearly dependent columns | the rows condensed by QR in f64, block by block, then as small tables | that of f64 |
//! | sparse rows, up to 2048 columns that vary | products of the centred columns in f64, corrected with the residuals | that of f64 |
//! | sparse rows, more columns | LSQR in f64; no rank is found but the largest possible | about 1e-14·κ² |
//!
//! κ is the condition number of the products after every column was scaled to the same length. Where a large table
//! needs f64, rows on a GPU are read back, block by block. Sparse rows are never made dense: their means are taken out
//! of the products. The f32 rows are taken as exact numbers.
//!
//! | other penalties and losses | estimators | method |
//! |---|---|---|
//! | absolute values of the coefficients, and squares | [`Lasso`], [`ElasticNet`] | coordinate descent on working sets |
//! | a power of the coefficients | [`BridgeRegressor`] | proximal steps along the coordinates |
//! | absolute errors, quantiles, squared and absolute errors | [`QuantileRegressor`], [`MixedErrorRegressor`] | Newton on smoothed corners |
//! | Huber's loss with a scale | [`HuberRegressor`] | L-BFGS |
//! | counts, positive amounts | [`PoissonRegressor`], [`GammaRegressor`] | Newton, L-BFGS for many columns |
//! | a prior over the coefficients | [`BayesianLinearRegression`] | Cholesky in f64 |
//!
//! **Conventions.** `Ridge` sums squares as scikit-learn does, `Lasso` and `ElasticNet` halve their mean, the others average:
//! a penalty λ of one convention is nλ, λ/2 or λ/(2n) of another.
//!
//! **Linearly dependent columns**, to one part in 2²³ for f32 and to rounding for f64: of all solutions the one of
//! least norm, as in scikit-learn. Constant columns have the coefficient 0, if there is an intercept.

mod bayesian;
mod bridge;
mod classifier;
mod discriminant;
mod general;
mod host_rows;
mod lasso;
mod least_squares;
mod least_squares_classifier;
mod logistic;
mod perceptron;
mod pictures;
mod predict;
mod regressor;
mod robust;
mod sgd;
mod standard_rows;
mod svm;

pub use bayesian::{BayesianLinearRegression, BayesianLinearRegressionModel};
pub use bridge::{BridgeRegressor, BridgeRegressorModel};
pub use classifier::LinearClassifierModel;
pub use discriminant::{
    LinearDiscriminantAnalysis, LinearDiscriminantAnalysisModel, QuadraticDiscriminantAnalysis,
    QuadraticDiscriminantAnalysisModel, Shrinkage,
};
pub use general::{GammaRegressor, GammaRegressorModel, PoissonRegressor, PoissonRegressorModel};
pub use lasso::{
    ElasticNet, ElasticNetCv, ElasticNetCvModel, ElasticNetModel, Lasso, LassoCv, LassoCvModel, LassoModel, LassoPath,
};
pub use least_squares::{
    LinearRegression, LinearRegressionModel, Ridge, RidgeCv, RidgeCvModel, RidgeModel, RidgePath, Statistics,
};
pub use least_squares_classifier::{LeastSquaresClassifier, LeastSquaresClassifierModel};
pub use logistic::{LogisticRegression, LogisticRegressionModel};
pub use perceptron::{Perceptron, PerceptronModel, RowOrder};
pub use regressor::LinearRegressorModel;
pub use robust::{
    HuberRegressor, HuberRegressorModel, MixedErrorRegressor, MixedErrorRegressorModel, QuantileRegressor,
    QuantileRegressorModel,
};
pub use sgd::{LearningRate, SgdClassifier, SgdClassifierModel, SgdLoss, SgdPenalty, SgdRegressor, SgdRegressorModel};
pub use svm::{LinearSvc, LinearSvcModel, LinearSvr, LinearSvrModel, SvcLoss, SvrLoss};

use crate::error::{Error, Result};
use crate::estimator::Rows;

/// Refuses rows without a row or a column.
fn refuse_empty(op: &'static str, x: Rows<'_>) -> Result<()> {
    let (rows, columns) = (x.rows(), x.column_info().1);
    match rows > 0 && columns > 0 {
        true => Ok(()),
        false => Err(Error::shape(op, "at least one row and one column", format!("{rows}×{columns}"))),
    }
}
