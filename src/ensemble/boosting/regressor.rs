//! Boosted numbers.

use serde::{Deserialize, Serialize};

use super::model::{Boosted, Summary};
use super::regressor_parameters::{GradientBoostingRegressor, PARAMETERS};
use super::rounds::{Problem, boost};
use super::stages::Stages;
use super::truths::Truths;
use crate::array::Matrix;
use crate::data::Target;
use crate::error::{Error, Result};
use crate::estimator::{
    Estimator, Fit, Fitted, Observer, Outcome, Predict, Prediction, Rows, Score, Targets, Task, Truth,
};
use crate::model::{Container, Persist};
use crate::tree::Tree;

const OP: &str = "GradientBoostingRegressor";

impl GradientBoostingRegressor {
    /// Boosts trees on the rows of `x` (n×d; NaN is a missing value) and their targets, one or p a row.
    pub fn fit<'a, 'b>(
        &self,
        x: impl Into<Rows<'a>>,
        y: impl Into<Targets<'b>>,
    ) -> Result<GradientBoostingRegressorModel> {
        self.fit_with(x, y, Fit::default())
    }

    /// The same with sample weights, validation rows or an observer.
    /// [`Flow::Finish`](crate::estimator::Flow::Finish) ends the fit with the trees it has.
    pub fn fit_with<'a, 'b>(
        &self,
        x: impl Into<Rows<'a>>,
        y: impl Into<Targets<'b>>,
        options: Fit<'_>,
    ) -> Result<GradientBoostingRegressorModel> {
        let settings = self.settings()?;
        let rows: Rows<'_> = x.into();
        let device = rows.device();
        let x = rows.on_host()?;
        if x.rows() == 0 || x.columns() == 0 {
            let (expected, got) = ("at least one row and one column", format!("{}×{}", x.rows(), x.columns()));
            return Err(Error::Shape { op: OP, expected: expected.to_string(), got });
        }
        let y = y.into().complete(OP, x.rows())?;
        let weights = options.weights(OP, x.rows())?.map(<[f32]>::to_vec);
        let validation = options.validation_rows().map(|(x, truth)| validation(y.columns(), x, truth)).transpose()?;
        let groups = vec![0; x.rows()];
        let problem = Problem { x, device, truths: truths(&y), weights, groups, validation };
        let boosted = options.watched("gradient boosting", |watch| boost(problem, &settings, watch))?;
        Ok(GradientBoostingRegressorModel { params: self.clone(), boosted })
    }
}

fn truths(y: &Matrix) -> Truths {
    let column = |column: usize| y.as_slice().iter().skip(column).step_by(y.columns()).copied().collect();
    Truths::Numbers((0..y.columns()).map(column).collect())
}

fn validation(columns: usize, x: Rows<'_>, truth: Truth<'_>) -> Result<(Matrix, Truths)> {
    let Truth::Numbers(targets) = truth else {
        let (expected, got) = ("numbers for the validation rows".to_string(), "classes".to_string());
        return Err(Error::Shape { op: OP, expected, got });
    };
    let x = x.on_host()?;
    let y = targets.complete(OP, x.rows())?;
    if y.columns() != columns || x.rows() == 0 {
        let (expected, got) = (format!("validation targets n×{columns}"), format!("{}×{}", y.rows(), y.columns()));
        return Err(Error::Shape { op: OP, expected, got });
    }
    let truths = truths(&y);
    Ok((x, truths))
}

/// Trees that give numbers.
#[derive(Debug, Clone)]
pub struct GradientBoostingRegressorModel {
    params: GradientBoostingRegressor,
    boosted: Boosted,
}

#[derive(Serialize, Deserialize, PartialEq)]
struct Stored {
    params: GradientBoostingRegressor,
    fitted: Summary,
}

impl GradientBoostingRegressorModel {
    /// The trees, round after round; with p targets a round has one for each.
    pub fn trees(&self) -> &[Tree] {
        self.boosted.trees()
    }

    /// Rounds that were kept.
    pub fn iterations(&self) -> usize {
        self.boosted.rounds()
    }

    /// Whether the fit ended before `n_estimators` rounds by itself.
    pub fn converged(&self) -> bool {
        self.boosted.converged()
    }

    /// The mean squared error of the validation rows after each round, also of rounds that were not kept; empty
    /// without validation rows.
    pub fn validation_losses(&self) -> &[f64] {
        self.boosted.curve()
    }

    /// The share of each feature in the gains of all divisions; they sum to 1.
    pub fn feature_importances(&self) -> Vec<f64> {
        self.boosted.importances()
    }

    /// How many divisions use each feature.
    pub fn feature_splits(&self) -> Vec<u64> {
        self.boosted.split_counts()
    }

    /// The predictions n×p after each round.
    pub fn staged_predict<'a>(&self, x: impl Into<Rows<'a>>) -> Result<impl Iterator<Item = Result<Matrix>>> {
        let x = self.boosted.rows(OP, x.into())?;
        Ok(Stages::new(&self.boosted, x).map(|scores| self.numbers(scores)))
    }

    fn numbers(&self, scores: Vec<f64>) -> Result<Matrix> {
        let outputs = self.boosted.outputs();
        Matrix::from_vec(scores.len() / outputs, outputs, scores.into_iter().map(|score| score as f32).collect())
    }
}

impl Predict for GradientBoostingRegressorModel {
    /// n×p.
    type Output = Matrix;

    fn predict<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Matrix> {
        self.numbers(self.boosted.scores(OP, x.into())?)
    }
}

impl Score for GradientBoostingRegressorModel {
    type Target = Matrix;

    /// R², the mean over the columns.
    fn score<'a>(&self, x: impl Into<Rows<'a>>, target: &Matrix) -> Result<f64> {
        crate::metrics::r2_score_columns(target, &self.predict(x)?)
    }
}

impl Persist for GradientBoostingRegressorModel {
    const KIND: &'static str = "gradient-boosting-regressor";

    fn store(&self, container: &mut Container) -> Result<()> {
        container.set_parameters(&Stored { params: self.params.clone(), fitted: self.boosted.summary() })?;
        self.boosted.store(container)
    }

    fn restore(container: &mut Container) -> Result<GradientBoostingRegressorModel> {
        let Stored { params, fitted } = container.parameters()?;
        Ok(GradientBoostingRegressorModel { params, boosted: Boosted::restore(container, fitted)? })
    }
}

impl Estimator for GradientBoostingRegressor {
    type Model = GradientBoostingRegressorModel;
    const TASK: Task = Task::Regression;
    const ABOUT: &'static str = "boosted trees, each a step down the squared error that the trees before it left";
    const PARAMETERS: &'static [(&'static str, &'static str)] = PARAMETERS;
    const TAKES_MISSING: bool = true;

    fn takes_categories(&self) -> bool {
        true
    }

    fn fit_target(&self, x: Rows<'_>, target: &Target, options: Fit<'_>) -> Result<Self::Model> {
        self.fit_with(x, target.values()?, options)
    }
}

impl Fitted for GradientBoostingRegressorModel {
    fn predict_any(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        Ok(Prediction::Numbers(self.predict(x)?))
    }

    fn outcome(&self) -> Outcome {
        self.boosted.outcome()
    }

    fn container(&self) -> Result<Container> {
        self.to_container()
    }
}
