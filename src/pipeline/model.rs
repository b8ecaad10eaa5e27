//! A fitted pipeline.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::columns::{Aligned, Column, align_table, from_columns, input_columns, to_columns};
use super::{Pipeline, named_behind, through, with_rows};
use crate::array::Matrix;
use crate::cost::Cost;
use crate::data::{Dataset, Target};
use crate::error::Result;
use crate::estimator::{
    AlignedRows, AnyEstimator, AnyModel, Estimator, FitReport, InputColumns, Model, Observer, OwnedRows, PictureInput,
    Prediction, Queries, RanOn, Rows, Unobserved, align, score,
};
use crate::model_file::{Container, FittedColumns, Persist, Unseen};
use crate::plot::Figure;

/// A fitted pipeline: fitted transformers and the model after them, with the names of the columns. Cheap to clone.
#[derive(Debug, Clone)]
pub struct PipelineModel {
    columns: FittedColumns,
    /// The name of each column of the target, where they have names.
    targets: Vec<String>,
    steps: Vec<AnyModel>,
    takes: Takes,
    model: AnyModel,
    /// What is to be remembered of the fit.
    notes: Map<String, Value>,
}

/// What rows it takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Takes {
    missing: bool,
    /// A category that was not fitted is no error: an encoder ignores it, or it is missing.
    unseen: bool,
    /// An encoder sees it, with a code of its own, so that no imputer takes it for a missing value.
    #[serde(default)]
    encoded: bool,
}

impl Takes {
    pub(super) fn of(pipeline: &Pipeline) -> Takes {
        let abilities = pipeline.abilities();
        let ignores = |step: &AnyEstimator| {
            let unknown = step.parameters().ok().and_then(|mut parameters| parameters.remove("handle_unknown"));
            unknown.is_some_and(|unknown| unknown != "error")
        };
        let unseen = match abilities.encodes_categories {
            true => pipeline.steps().iter().any(ignores),
            false => pipeline.estimator().abilities().missing,
        };
        Takes { missing: abilities.missing, unseen, encoded: unseen && abilities.encodes_categories }
    }

    pub(super) fn unseen(self) -> Unseen {
        match (self.unseen, self.encoded) {
            (true, true) => Unseen::NewCode,
            (true, false) => Unseen::Missing,
            (false, _) => Unseen::Refused,
        }
    }
}

#[derive(Serialize, Deserialize, PartialEq)]
struct Fitted {
    steps: usize,
    takes: Takes,
    /// Whether each column is categorical.
    categorical: Vec<bool>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    notes: Map<String, Value>,
}

impl PipelineModel {
    pub(super) fn new(
        pipeline: &Pipeline,
        mut columns: FittedColumns,
        target: &Target,
        steps: Vec<AnyModel>,
        model: AnyModel,
    ) -> PipelineModel {
        let targets = match target {
            Target::Numbers(numbers) | Target::Whole { numbers, .. } => numbers.names().unwrap_or_default().to_vec(),
            Target::None | Target::Classes(_) => vec![],
        };
        let takes = Takes::of(pipeline);
        columns.unseen = takes.unseen();
        PipelineModel { columns, targets, steps, takes, model, notes: Map::new() }
    }

    /// The same with where its model was fitted.
    pub(super) fn ran_on(self, ran_on: RanOn) -> PipelineModel {
        PipelineModel { model: self.model.ran_on(ran_on), ..self }
    }

    /// The same with the names of the columns that its target had: `evaluate` finds them again.
    pub fn with_targets(mut self, names: Vec<String>) -> PipelineModel {
        self.targets = names;
        self
    }

    /// The same with the columns it was fitted on, for a model that was fitted without a pipeline.
    pub fn with_columns(mut self, columns: Vec<Column>) -> PipelineModel {
        self.columns = from_columns(columns, self.takes.unseen());
        self
    }

    /// The same with what is to be remembered of the fit, such as files and scores; it is saved with the model.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// let notes = serde_json::json!({ "file": "iris.csv" });
    /// let model = Pipeline::new(KNeighborsClassifier::new(5)).fit(&datasets::iris()?)?;
    /// let model = model.with_notes(notes.as_object().cloned().unwrap_or_default());
    /// assert_eq!(PipelineModel::from_bytes(&model.to_bytes()?)?.notes()["file"], "iris.csv");
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn with_notes(mut self, notes: Map<String, Value>) -> PipelineModel {
        self.notes = notes;
        self
    }

    /// What is to be remembered of the fit.
    pub fn notes(&self) -> &Map<String, Value> {
        &self.notes
    }

    /// The columns it was fitted on; empty if they are not known.
    pub fn columns(&self) -> Vec<Column> {
        to_columns(&self.columns)
    }

    /// The names of the target's columns, where they are known.
    pub fn targets(&self) -> &[String] {
        &self.targets
    }

    /// The fitted transformers, in their order.
    pub fn steps(&self) -> &[AnyModel] {
        &self.steps
    }

    /// The model after the steps.
    pub fn model(&self) -> &AnyModel {
        &self.model
    }

    /// Whether rows may have missing values: the model takes them, or a step replaces them.
    pub fn takes_missing(&self) -> bool {
        self.takes.missing
    }

    /// The rows of `data` in the form that was fitted: columns by name in any order, categories by name. Further
    /// columns are ignored; a missing one is an error, and so is a category that was not fitted, except for a model
    /// that takes missing values and sees the column as it is.
    pub fn align(&self, data: &Dataset) -> Result<Aligned> {
        align_table(&self.columns, data)
    }

    /// The rows that the model sees of the rows of `x`, which have the fitted columns in the fitted order; nothing
    /// where there are no steps.
    pub fn prepare_rows(&self, x: Rows<'_>) -> Result<Option<OwnedRows>> {
        through(&self.steps, x)
    }

    /// The rows of `data` as the model sees them, with their target.
    pub fn prepare(&self, data: &Dataset) -> Result<Dataset> {
        with_rows(data, self.prepare_rows(data.into())?)
    }

    /// The same of a host matrix.
    pub fn transformed_input(&self, x: &Matrix) -> Result<Matrix> {
        self.prepare_rows(x.into())?.map_or_else(|| Ok(x.clone()), OwnedRows::into_host)
    }

    /// The columns that the model sees behind the steps: `x0`, `x1`, … where names are not known.
    pub fn input_columns(&self) -> InputColumns {
        input_columns(&self.columns, &self.steps)
    }

    /// The prediction for each row of `x`, computed where `x` lives.
    pub fn predict<'a>(&self, x: impl Into<Queries<'a>>) -> Result<Prediction> {
        self.predict_rows(self.aligned(x)?.rows(), &mut Unobserved)
    }

    /// The probability of each class for each row of `x`, n×k; nothing for a model that gives none.
    pub fn predict_proba<'a>(&self, x: impl Into<Queries<'a>>) -> Result<Option<Matrix>> {
        self.predict_proba_rows(self.aligned(x)?.rows())
    }

    /// The score of the predictions for `x`, larger is better: accuracy for classes, R² for numbers; an error for other
    /// models.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// let (train, test) = datasets::wine()?.split(0.7, 1)?;
    /// let model = Pipeline::new(KNeighborsClassifier::new(5)).step(StandardScaler::default()).fit(&train)?;
    /// assert!(model.score(&test, &test.target)? > 0.9);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn score<'a>(&self, x: impl Into<Queries<'a>>, target: &Target) -> Result<f64> {
        score(Self::KIND, &self.predict(x)?, target)
    }

    /// What each column that the model sees behind the steps ([`PipelineModel::input_columns`]) adds to each row's
    /// prediction, as [`AnyModel::shapley_values`]; nothing for a model that has none.
    pub fn shapley_values<'a>(&self, x: impl Into<Queries<'a>>) -> Result<Option<Vec<Matrix>>> {
        self.contributions(self.aligned(x)?.rows())
    }

    /// The rows in the form that was fitted.
    fn aligned<'a>(&self, x: impl Into<Queries<'a>>) -> Result<AlignedRows<'a>> {
        align(Some(&self.columns), x.into())
    }

    /// Runs `job` on what the steps make of `x`, where `x` lives.
    fn behind_steps<T>(&self, x: Rows<'_>, job: impl FnOnce(Rows<'_>) -> Result<T>) -> Result<T> {
        let made = self.prepare_rows(x)?;
        let done = job(made.as_ref().map_or(x, OwnedRows::rows));
        done.map_err(|error| named_behind(&self.steps, &self.columns, error))
    }
}

/// A model that was fitted without a pipeline becomes one without steps, with columns as they come; a pipeline stays
/// itself.
impl From<AnyModel> for PipelineModel {
    fn from(model: AnyModel) -> PipelineModel {
        let model = match model.downcast_ref::<PipelineModel>() {
            Some(pipeline) => return pipeline.clone(),
            None => model,
        };
        let columns = model.fitted_columns().cloned().unwrap_or_default();
        PipelineModel { columns, targets: vec![], steps: vec![], takes: Takes::default(), model, notes: Map::new() }
    }
}

impl Model for PipelineModel {
    fn predict_cost(&self, rows: usize) -> Option<Cost> {
        self.model.predict_cost(rows)
    }

    fn predict_rows(&self, x: Rows<'_>, observer: &mut dyn Observer) -> Result<Prediction> {
        self.behind_steps(x, |x| self.model.predict_with(x, observer))
    }

    fn predict_proba_rows(&self, x: Rows<'_>) -> Result<Option<Matrix>> {
        self.behind_steps(x, |x| self.model.predict_proba(x))
    }

    fn predict_both_rows(&self, x: Rows<'_>, observer: &mut dyn Observer) -> Result<(Prediction, Option<Matrix>)> {
        self.behind_steps(x, |x| self.model.predict_both(x, observer))
    }

    fn decision_rows(&self, x: Rows<'_>) -> Result<Option<Matrix>> {
        self.behind_steps(x, |x| self.model.decision_function(x))
    }

    fn transform_rows(&self, x: Rows<'_>) -> Result<OwnedRows> {
        self.behind_steps(x, |x| self.model.transform(x))
    }

    fn transformed_columns(&self, _: &InputColumns) -> Option<InputColumns> {
        self.model.transformed_columns(&self.input_columns())
    }

    fn score_samples_rows(&self, x: Rows<'_>) -> Result<Option<Vec<f64>>> {
        self.behind_steps(x, |x| self.model.score_samples(x))
    }

    fn inertia_rows(&self, x: Rows<'_>) -> Result<Option<f64>> {
        self.behind_steps(x, |x| self.model.inertia(x))
    }

    /// Of the columns that the model sees behind the steps ([`PipelineModel::input_columns`]), as its importances are.
    fn contributions(&self, x: Rows<'_>) -> Result<Option<Vec<Matrix>>> {
        self.behind_steps(x, |x| self.model.shapley_values(x))
    }

    fn classes(&self) -> &[String] {
        self.model.classes()
    }

    fn report(&self) -> FitReport {
        self.model.report()
    }

    fn fitted_prediction(&self) -> Option<Prediction> {
        self.model.fitted_prediction()
    }

    fn text(&self, _: &InputColumns) -> Option<String> {
        self.model.text(&self.input_columns())
    }

    fn figures(&self, input: &PictureInput<'_>) -> Result<Vec<Figure>> {
        self.model.figures(input)
    }
}

impl Persist for PipelineModel {
    const KIND: &'static str = "pipeline";

    fn store(&self, container: &mut Container) -> Result<()> {
        let columns = self.columns();
        let categorical = columns.iter().map(|column| column.categories.is_some()).collect();
        let (steps, notes) = (self.steps.len(), self.notes.clone());
        container.set_fitted(&Fitted { steps, takes: self.takes, categorical, notes })?;
        let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        container.insert_strings("columns", &names)?;
        container.insert_strings("targets", &self.targets)?;
        for (at, column) in columns.iter().enumerate() {
            if let Some(categories) = &column.categories {
                container.insert_strings(&format!("categories.{at}"), categories)?;
            }
        }
        for (at, step) in self.steps.iter().enumerate() {
            container.insert_container(&format!("step.{at}"), step.container()?)?;
        }
        container.insert_container("model", self.model.container()?)
    }

    fn restore(container: &mut Container) -> Result<PipelineModel> {
        let Fitted { steps, takes, categorical, notes } = container.fitted()?;
        let names = container.take_strings("columns")?;
        if names.len() != categorical.len() {
            let (names, kinds) = (names.len(), categorical.len());
            return Err(container.refuse(format!("{names} columns are named, and {kinds} have a kind")));
        }
        let targets = container.take_strings("targets")?;
        let mut columns = vec![];
        for (at, (name, categorical)) in names.into_iter().zip(categorical).enumerate() {
            let categories = categorical.then(|| container.take_strings(&format!("categories.{at}"))).transpose()?;
            columns.push(Column { name, categories });
        }
        let mut fitted = vec![];
        for at in 0..steps {
            fitted.push(AnyModel::from_container(container.take_container(&format!("step.{at}"))?)?);
        }
        let model = AnyModel::from_container(container.take_container("model")?)?;
        let columns = from_columns(columns, takes.unseen());
        Ok(PipelineModel { columns, targets, steps: fitted, takes, model, notes })
    }

    fn fitted_columns(&self) -> Option<&FittedColumns> {
        Some(&self.columns)
    }
}
