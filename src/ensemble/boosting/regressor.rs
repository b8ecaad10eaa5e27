//! Boosted numbers.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::lightgbm::to_text;
use super::loss::{BoostingLoss, RegressionLoss};
use super::model::{Boosted, FittedSummary};
use super::rounds::{BoostingProblem, boost, same_parameters};
use super::settings::{Growth, Settings};
use super::staged::StagedScores;
use super::targets::BoostingTargets;
use crate::array::Matrix;
use crate::ensemble::pictures;
use crate::error::{Error, Result};
use crate::estimator::{
    Abilities, Estimator, Fit, FitReport, Model, Observer, Parameters, PictureInput, Predict, Prediction, Rows, Save,
    Targets, ValidationTarget, parameters,
};
use crate::model_file::{Container, write_atomically};
use crate::plot::Figure;
use crate::tree::{Tree, rows_to_learn};

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
        Abilities { missing: true, categories: true, ..Abilities::default() }
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
        self.learn(x.into(), y.into(), Some(loss), None, options)
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
        x: impl Into<Rows<'a>>,
        y: impl Into<Targets<'b>>,
        options: Fit<'_>,
    ) -> Result<GradientBoostingRegressorModel> {
        self.learn(x.into(), y.into(), None, Some(model), options)
    }

    /// [`fit_more`](Self::fit_more) for a model that [`fit_with_loss`](Self::fit_with_loss) made, with the same loss.
    pub fn fit_more_with_loss<'a, 'b>(
        &self,
        model: &GradientBoostingRegressorModel,
        x: impl Into<Rows<'a>>,
        y: impl Into<Targets<'b>>,
        loss: &dyn BoostingLoss,
        options: Fit<'_>,
    ) -> Result<GradientBoostingRegressorModel> {
        self.learn(x.into(), y.into(), Some(loss), Some(model), options)
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
            let same = GradientBoostingRegressor { n_estimators: self.n_estimators, ..before.params.clone() } == *self;
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
        let problem = BoostingProblem {
            x,
            device,
            targets,
            weights,
            groups,
            validation,
            before: before.map(|model| &model.boosted),
        };
        let boosted = options.watched("gradient boosting", |watch| boost(problem, &settings, watch))?;
        Ok(GradientBoostingRegressorModel { params: self.clone(), boosted, own_loss: own.is_some() })
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
            return Err(Error::Param { name: "loss", rule, got });
        }
        let losses = vec![self.loss.pointwise(self.alpha); columns.len()];
        Ok(BoostingTargets::Numbers { columns, losses, alpha: self.alpha })
    }
}

fn validation(columns: usize, x: Rows<'_>, target: ValidationTarget<'_>) -> Result<(Matrix, Matrix)> {
    let ValidationTarget::Numbers(targets) = target else {
        let (expected, got) = ("numbers for the validation rows".to_string(), "classes".to_string());
        return Err(Error::Shape { op: OP, expected, got });
    };
    let x = x.on_host()?;
    let y = targets.complete(OP, x.rows())?;
    if y.columns() != columns || x.rows() == 0 {
        let (expected, got) = (format!("validation targets n×{columns}"), format!("{}×{}", y.rows(), y.columns()));
        return Err(Error::Shape { op: OP, expected, got });
    }
    Ok((x, y))
}

/// A fitted gradient boosting regressor.
#[derive(Debug, Clone)]
pub struct GradientBoostingRegressorModel {
    params: GradientBoostingRegressor,
    boosted: Boosted,
    /// Whether the loss was the user's, and predictions are raw scores.
    own_loss: bool,
}

#[derive(Serialize, Deserialize, PartialEq)]
struct Fitted {
    #[serde(flatten)]
    boosted: FittedSummary,
    own_loss: bool,
}

impl GradientBoostingRegressorModel {
    /// The trees, round after round; with p targets a round has one for each.
    pub fn trees(&self) -> &[Tree] {
        self.boosted.trees()
    }

    /// The loss that it was fitted with.
    pub(crate) fn loss(&self) -> RegressionLoss {
        self.params.loss
    }

    /// Rounds that were kept.
    pub fn iterations(&self) -> usize {
        self.boosted.rounds()
    }

    /// Whether the fit ended before `n_estimators` rounds by itself.
    pub fn converged(&self) -> bool {
        self.boosted.converged()
    }

    /// The mean loss of the validation rows (the squared error, the Poisson deviance, …) after each round, also of
    /// rounds that were not kept; empty without validation rows.
    pub fn validation_losses(&self) -> &[f64] {
        self.boosted.curve()
    }

    /// The share of each feature in the gains of all splits; they sum to 1.
    pub fn feature_importances(&self) -> Vec<f64> {
        self.boosted.importances()
    }

    /// How many splits use each feature.
    pub fn feature_splits(&self) -> Vec<u64> {
        self.boosted.split_counts()
    }

    /// How much each feature moves the score of each row away from the expected one: a matrix n×(d + 1) for each score,
    /// with the expected score in the last column; a row of it adds up to that of
    /// [`decision_function`](Self::decision_function).
    ///
    /// Exact and path-dependent (TreeSHAP, Lundberg et al. 2020), by the numbers of rows as in LightGBM, on the CPU.
    /// Costs leaves·depth² operations a row and tree.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// let data = datasets::diabetes()?;
    /// let model = GradientBoostingRegressor::default().n_estimators(10).fit(&data.x, data.values()?)?;
    /// let shapley = &model.shapley_values(&data.x)?[0]; // n×(d + 1)
    /// let sum: f32 = shapley.row(7).iter().sum();
    /// assert!((sum - model.predict(&data.x)?.get(7, 0)).abs() < 1e-3);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn shapley_values<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Vec<Matrix>> {
        self.boosted.shapley_values(OP, x.into())
    }

    /// The model in LightGBM's text format (several targets, and the Poisson loss of them, as raw scores), with the
    /// baseline in the leaves of the first round. Columns are named `Column_0` and so on.
    pub fn to_lightgbm_text(&self) -> String {
        self.to_lightgbm_text_with(&[])
    }

    /// The same with the names of the columns; blanks and signs that LightGBM refuses in them become `_`.
    pub fn to_lightgbm_text_with(&self, columns: &[String]) -> String {
        let alpha = self.params.alpha;
        let objective = match self.params.loss {
            // LightGBM has no objective of several targets, nor that of the user: raw scores are the predictions.
            _ if self.own_loss || self.boosted.outputs() > 1 => None,
            RegressionLoss::SquaredError => Some("regression".to_string()),
            RegressionLoss::AbsoluteError => Some("regression_l1".to_string()),
            RegressionLoss::Huber => Some("huber".to_string()),
            RegressionLoss::Quantile => Some(format!("quantile alpha:{alpha}")),
            RegressionLoss::Poisson => Some("poisson".to_string()),
        };
        to_text(&self.boosted, objective.as_deref(), columns)
    }

    /// Writes [`to_lightgbm_text`](Self::to_lightgbm_text) to a file, which LightGBM loads as a model. The file is
    /// replaced whole or not at all.
    pub fn save_lightgbm(&self, path: impl AsRef<Path>) -> Result<()> {
        write_atomically(path, self.to_lightgbm_text().as_bytes())
    }

    /// The predictions n×p after each round.
    pub fn staged_predict<'a>(&self, x: impl Into<Rows<'a>>) -> Result<impl Iterator<Item = Result<Matrix>>> {
        let x = self.boosted.rows(OP, x.into())?;
        Ok(StagedScores::new(&self.boosted, x).map(|scores| self.numbers(scores)))
    }

    /// The scores n×p that predictions are made of: their logarithms for the Poisson loss, else themselves.
    pub fn decision_function<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Matrix> {
        let scores: Vec<f32> = self.boosted.scores(OP, x.into())?.into_iter().map(|score| score as f32).collect();
        Matrix::from_vec(scores.len() / self.boosted.outputs(), self.boosted.outputs(), scores)
    }

    /// Whether scores are the logarithms of predictions.
    fn is_logarithmic(&self) -> bool {
        self.params.loss == RegressionLoss::Poisson && !self.own_loss
    }

    fn numbers(&self, scores: Vec<f64>) -> Result<Matrix> {
        let outputs = self.boosted.outputs();
        let number = |score: f64| match self.is_logarithmic() {
            true => score.exp().min(f64::from(f32::MAX)) as f32,
            false => score as f32,
        };
        Matrix::from_vec(scores.len() / outputs, outputs, scores.into_iter().map(number).collect())
    }
}

impl Predict for GradientBoostingRegressorModel {
    /// n×p.
    type Output = Matrix;
}

impl Model for GradientBoostingRegressorModel {
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        Ok(self.numbers(self.boosted.scores(OP, x)?)?.into())
    }

    fn contributions(&self, x: Rows<'_>) -> Result<Option<Vec<Matrix>>> {
        self.shapley_values(x).map(Some)
    }

    fn report(&self) -> FitReport {
        self.boosted.report()
    }

    fn figures(&self, input: &PictureInput<'_>) -> Result<Vec<Figure>> {
        pictures::boosted_regressor_figures(self, input)
    }
}

impl Save for GradientBoostingRegressorModel {
    type Estimator = GradientBoostingRegressor;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.set_fitted(&Fitted { boosted: self.boosted.summary(), own_loss: self.own_loss })?;
        self.boosted.store(container)
    }

    fn load_fitted(
        params: GradientBoostingRegressor,
        container: &mut Container,
    ) -> Result<GradientBoostingRegressorModel> {
        let Fitted { boosted, own_loss } = container.fitted()?;
        Ok(GradientBoostingRegressorModel { params, boosted: Boosted::restore(container, boosted)?, own_loss })
    }
}
