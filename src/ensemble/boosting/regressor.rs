//! Boosted numbers.

use super::loss::{BoostingLoss, RegressionLoss};
use super::model::{BoostingEstimator, BoostingModel};
use super::rounds::{BoostingProblem, boost, same_parameters};
use super::settings::{self, Growth, Settings};
use super::targets::BoostingTargets;
use crate::array::Matrix;
use crate::cost::Cost;
use crate::data::{Labels, Target};
use crate::ensemble::pictures;
use crate::error::{Error, Result};
use crate::estimator::{
    Abilities, Estimator, Fit, FitShape, Parameters, PictureInput, Queries, Rows, Targets, ValidationTarget,
    parameters, remember,
};
use crate::metrics;
use crate::model_file::TargetShift;
use crate::plot::Figure;
use crate::tree::rows_to_learn;

const OP: &str = "GradientBoostingRegressor";

boosting_parameters! {
    /// Gradient boosting for regression, with any [`RegressionLoss`]. Names are scikit-learn's, defaults LightGBM's.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// let x = Matrix::from_rows(&[[1.0], [2.0], [3.0], [10.0], [11.0], [12.0]])?;
    /// let y = [1.0, 1.0, 1.0, 5.0, 5.0, 5.0];
    /// let model = GradientBoostingRegressor::default().min_samples_leaf(1).fit(&x, &y)?;
    /// let predicted = model.predict(&Matrix::from_rows(&[[2.5], [20.0]])?)?; // n×1
    /// assert!((predicted.get(0, 0) - 1.0).abs() < 1e-3 && (predicted.get(1, 0) - 5.0).abs() < 1e-3);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - Several targets (n×p) have a tree each in every round.
    /// - A fit costs about n·d operations for each level of each tree; 8-bit bins of the rows are kept beside them.
    /// - Columns that [`Matrix::with_categories`](crate::Matrix::with_categories) marked are split
    ///   by sets of categories; one that was not fitted is missing.
    /// - Missing values (NaN) are accepted in `x`. Rows of weight 0 are ignored.
    /// - If nothing can be split (constant features, too few rows), every row gets the loss's best constant: the mean,
    ///   the median, the quantile.
    /// - The same seed gives the same model bytes, for any number of threads.
    #[doc(alias = "HistGradientBoostingRegressor")]
    GradientBoostingRegressor: regressor("gradient-boosting-regressor") -> GradientBoostingRegressorModel;
    {
        /// The loss: squared_error, absolute_error, huber, quantile or poisson.
        loss: RegressionLoss = RegressionLoss::SquaredError;
        /// For the quantile loss, the quantile to predict; for Huber's, the quantile of the errors above which it is
        /// linear.
        alpha: f64 = 0.9, between(0.0, 1.0);
    }
}

impl Estimator for GradientBoostingRegressor {
    fn abilities(&self) -> Abilities {
        let fixed_zero = self.loss == RegressionLoss::Poisson;
        Abilities { missing: true, categories: true, fixed_zero, ..Abilities::default() }
    }

    fn cost(&self, shape: &FitShape) -> Option<Cost> {
        let trees = shape.outputs;
        let is_quantile = matches!(self.loss, RegressionLoss::AbsoluteError | RegressionLoss::Quantile);
        let is_newton = matches!(self.loss, RegressionLoss::SquaredError | RegressionLoss::Poisson);
        let stays = is_newton || is_quantile && self.monotonic_cst.is_none();
        Some(settings::cost(shape, trees * self.n_estimators, &Settings::from(self), stays))
    }

    /// [`Flow::StopEarly`](crate::estimator::Flow::StopEarly) ends the fit with the trees it has.
    fn fit_rows(&self, x: Rows<'_>, y: Targets<'_>, options: Fit<'_>) -> Result<GradientBoostingRegressorModel> {
        self.learn(x, y, None, None, options)
    }
}

impl GradientBoostingRegressor {
    /// The same with your own loss in place of [`loss`](Self::loss), on the CPU or where `x` lives; predictions
    /// are raw scores.
    pub fn fit_with_loss<'a, 'b>(
        &self,
        x: impl Into<Rows<'a>>,
        y: impl Into<Targets<'b>>,
        loss: &dyn BoostingLoss,
        options: Fit<'_>,
    ) -> Result<GradientBoostingRegressorModel> {
        let x = x.into();
        Ok(remember(x, self.learn(x, y.into(), Some(loss), None, options)?))
    }

    /// Goes on from a fitted model to `n_estimators` rounds in all: the same bytes as one fit of so many, on the same
    /// rows and with the same options, if nothing ended it before.
    ///
    /// The other parameters must be those of the model, or it is [`Error::Param`]. Rows may be others, with the same
    /// columns marked as categorical; a category that the model does not know is then missing. Validation losses are
    /// those of the rows given now, for all rounds. The observer gets reports of the new rounds.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// let data = datasets::diabetes()?;
    /// let boosting = GradientBoostingRegressor::default();
    /// let (x, y) = (&data.x, data.values()?);
    /// let half = boosting.clone().n_estimators(10).fit(x, y)?;
    /// let whole = boosting.clone().n_estimators(20).fit_more(&half, x, y, Fit::default())?;
    /// assert_eq!(whole.to_bytes()?, boosting.n_estimators(20).fit(x, y)?.to_bytes()?);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn fit_more<'a, 'b>(
        &self,
        model: &GradientBoostingRegressorModel,
        x: impl Into<Queries<'a>>,
        y: impl Into<Targets<'b>>,
        options: Fit<'_>,
    ) -> Result<GradientBoostingRegressorModel> {
        let x = model.params.align(x)?;
        let (y, shift) = (y.into(), model.params.shift());
        let Some(shift) = shift else {
            return Ok(remember(x.rows(), self.learn(x.rows(), y, None, Some(model), options)?));
        };
        let left = shift.subtract_from(&y.complete(OP, x.rows().rows())?)?;
        let validation = options.moved_validation(shift)?;
        let options = options.with_validation_targets(validation.as_ref());
        let more = self.learn(x.rows(), (&left).into(), None, Some(model), options)?;
        more.params.remember_shift(shift.clone());
        Ok(remember(x.rows(), more))
    }

    /// [`fit_more`](Self::fit_more) for a model that [`fit_with_loss`](Self::fit_with_loss) made, with the same loss.
    pub fn fit_more_with_loss<'a, 'b>(
        &self,
        model: &GradientBoostingRegressorModel,
        x: impl Into<Queries<'a>>,
        y: impl Into<Targets<'b>>,
        loss: &dyn BoostingLoss,
        options: Fit<'_>,
    ) -> Result<GradientBoostingRegressorModel> {
        let x = model.params.align(x)?;
        Ok(remember(x.rows(), self.learn(x.rows(), y.into(), Some(loss), Some(model), options)?))
    }

    fn learn(
        &self,
        rows: Rows<'_>,
        y: Targets<'_>,
        own: Option<&dyn BoostingLoss>,
        before: Option<&GradientBoostingRegressorModel>,
        options: Fit<'_>,
    ) -> Result<GradientBoostingRegressorModel> {
        self.check()?;
        let settings = Settings::from(self);
        if let Some(before) = before {
            let same =
                GradientBoostingRegressor { n_estimators: self.n_estimators, ..(*before.params).clone() } == *self;
            same_parameters(same && before.own_loss == own.is_some())?;
        }
        let (x, device) = rows_to_learn(OP, rows)?;
        let y = y.complete(OP, x.rows())?;
        let weights = options.weights(OP, x.rows())?.map(<[f32]>::to_vec);
        let validation = options.validation_rows().map(|(x, target)| validation(y.columns(), x, target)).transpose()?;
        let validation = match validation {
            Some((x, y)) => Some((x, self.targets(&y, None, own)?)),
            None => None,
        };
        let targets = self.targets(&y, weights.as_deref(), own)?;
        let groups = vec![0; x.rows()];
        let before = before.map(|model| &model.boosted);
        let problem = BoostingProblem { x, device, targets, weights, groups, validation, before };
        let boosted = options.watched("gradient boosting", |watch| boost(problem, &settings, watch))?;
        let classes = Labels::from_codes(vec![], vec![])?;
        Ok(BoostingModel { params: self.clone().into(), boosted, classes, own_loss: own.is_some() })
    }

    /// The targets with their loss: one of the user's, or that of the parameters.
    fn targets<'l>(
        &self,
        y: &Matrix,
        weights: Option<&[f32]>,
        own: Option<&'l dyn BoostingLoss>,
    ) -> Result<BoostingTargets<'l>> {
        let column = |column: usize| y.as_slice().iter().skip(column).step_by(y.columns()).copied().collect();
        let columns: Vec<Vec<f32>> = (0..y.columns()).map(column).collect();
        if let Some(loss) = own {
            return Ok(BoostingTargets::Custom { columns, loss });
        }
        let counts = |at: usize| weights.is_none_or(|weights| weights[at / y.columns()] > 0.0);
        let negative = (0..y.as_slice().len()).find(|at| y.as_slice()[*at] < 0.0 && counts(*at));
        if let (RegressionLoss::Poisson, Some(at)) = (self.loss, negative) {
            let rule = "another than poisson for targets below 0".to_string();
            let got = format!("poisson and {} in row {}", y.as_slice()[at], at / y.columns());
            return Err(Error::param("loss", rule, got));
        }
        let losses = vec![self.loss.pointwise(self.alpha); columns.len()];
        Ok(BoostingTargets::Numbers { columns, losses, alpha: self.alpha })
    }
}

fn validation(columns: usize, x: Rows<'_>, target: ValidationTarget<'_>) -> Result<(Matrix, Matrix)> {
    let ValidationTarget::Numbers(targets) = target else {
        return Err(Error::shape(OP, "numbers for the validation rows", "classes"));
    };
    let x = x.on_host()?;
    let y = targets.complete(OP, x.rows())?;
    if y.columns() != columns || x.rows() == 0 {
        let (expected, got) = (format!("validation targets n×{columns}"), format!("{}×{}", y.rows(), y.columns()));
        return Err(Error::shape(OP, expected, got));
    }
    Ok((x, y))
}

impl BoostingEstimator for GradientBoostingRegressor {
    type Output = Matrix;

    fn predictions(model: &GradientBoostingRegressorModel, scores: &[f64]) -> Result<Matrix> {
        let (outputs, is_logarithmic) = (model.boosted.outputs(), model.is_logarithmic());
        let number = |score: &f64| match is_logarithmic {
            true => score.exp().min(f64::from(f32::MAX)) as f32,
            false => *score as f32,
        };
        Matrix::from_vec(scores.len() / outputs, outputs, scores.iter().map(number).collect())
    }

    fn objective(model: &GradientBoostingRegressorModel) -> Option<String> {
        let alpha = model.params.alpha;
        match model.params.loss {
            // LightGBM has no objective of several targets, nor that of the user: raw scores are the predictions.
            _ if model.own_loss || model.boosted.outputs() > 1 => None,
            RegressionLoss::SquaredError => Some("regression".to_string()),
            RegressionLoss::AbsoluteError => Some("regression_l1".to_string()),
            RegressionLoss::Huber => Some("huber".to_string()),
            RegressionLoss::Quantile => Some(format!("quantile alpha:{alpha}")),
            RegressionLoss::Poisson => Some("poisson".to_string()),
        }
    }

    fn figures(model: &GradientBoostingRegressorModel, input: &PictureInput<'_>) -> Result<Vec<Figure>> {
        let loss = match model.params.loss {
            RegressionLoss::SquaredError => "squared error",
            RegressionLoss::AbsoluteError => "absolute error",
            RegressionLoss::Huber => "huber",
            RegressionLoss::Quantile => "quantile",
            RegressionLoss::Poisson => "poisson",
        };
        let error = |target: &Target, predicted: Matrix| {
            let (y, predicted) = match TargetShift::of(target.values()?) {
                Some(shift) => (shift.subtract_from(target.values()?)?, shift.subtract_from(&predicted)?),
                None => (target.values()?.clone(), predicted),
            };
            metrics::root_mean_squared_error(y.as_slice(), predicted.as_slice())
        };
        let explained = |target: &str| match model.params.loss {
            RegressionLoss::Poisson => format!("the logarithm of {target}"),
            _ => target.to_string(),
        };
        pictures::boosted_figures(model, input, loss, ("root mean squared error", error), explained)
    }
}

/// A fitted gradient boosting regressor.
pub type GradientBoostingRegressorModel = BoostingModel<GradientBoostingRegressor>;

impl BoostingModel<GradientBoostingRegressor> {
    /// The scores n×p that predictions are made of: their logarithms for the Poisson loss, else themselves.
    pub fn decision_function<'a>(&self, x: impl Into<Queries<'a>>) -> Result<Matrix> {
        let scores = self.scores_as_matrix(self.params.align(x)?.rows())?;
        self.params.shift().map_or(Ok(scores.clone()), |shift| shift.add_to(scores))
    }

    /// Whether scores are the logarithms of predictions.
    fn is_logarithmic(&self) -> bool {
        self.params.loss == RegressionLoss::Poisson && !self.own_loss
    }
}
