//! A fitted pipeline.

use serde::{Deserialize, Serialize};

use super::columns::{Aligned, Column, align};
use super::{FittedStep, Prepared};
use crate::array::Matrix;
use crate::data::{Dataset, Target};
use crate::device::Device;
use crate::error::Result;
use crate::estimator::{Fitted, Observer, Outcome, Prediction, Rows};
use crate::model::{Container, Persist};
use crate::registry::Model;

/// Fitted transformers and the model behind them, with what is known of the columns.
#[derive(Debug)]
pub struct PipelineModel {
    columns: Vec<Column>,
    /// The name of each column of the target, where they have names.
    targets: Vec<String>,
    steps: Vec<FittedStep>,
    takes_missing: bool,
    model: Model,
}

#[derive(Serialize, Deserialize, PartialEq)]
struct Parameters {
    steps: usize,
    takes_missing: bool,
    /// Whether each column is categorical.
    categorical: Vec<bool>,
}

impl PipelineModel {
    pub(super) fn new(prepared: Prepared, model: Model) -> PipelineModel {
        let Prepared { estimator, columns, steps, target, .. } = prepared;
        let targets = match &target {
            Target::Numbers(numbers) | Target::Whole { numbers, .. } => numbers.names().unwrap_or_default().to_vec(),
            Target::None | Target::Classes(_) => vec![],
        };
        PipelineModel { columns, targets, steps, takes_missing: estimator.takes_missing(), model }
    }

    /// The same with the names of the columns that its target had: `evaluate` finds them again.
    pub fn with_targets(mut self, names: Vec<String>) -> PipelineModel {
        self.targets = names;
        self
    }

    /// The same with what is known of the columns it was fitted on, for a model that was fitted without a pipeline.
    pub fn with_columns(mut self, columns: Vec<Column>) -> PipelineModel {
        self.columns = columns;
        self
    }

    /// The columns it was fitted on; none if it is not known.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The names of the target's columns, where they are known.
    pub fn targets(&self) -> &[String] {
        &self.targets
    }

    /// The fitted transformers, in their order.
    pub fn steps(&self) -> &[FittedStep] {
        &self.steps
    }

    /// The model behind them.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Whether rows may have missing values: the model takes them, or a step replaces them.
    pub fn takes_missing(&self) -> bool {
        self.takes_missing || self.steps.iter().any(|step| matches!(step, FittedStep::SimpleImputer(_)))
    }

    /// The rows of `data` in the form that was fitted: columns by name in any order, levels by name. Further columns are
    /// ignored; a missing one is an error, and so is a level that was not fitted, except for a model that takes missing
    /// values and sees the column as it is.
    pub fn align(&self, data: &Dataset) -> Result<Aligned> {
        if self.columns.is_empty() {
            return Ok(Aligned { x: data.x.clone(), ignored: vec![] });
        }
        let encoded = self.steps.iter().any(|step| matches!(step, FittedStep::OneHotEncoder(_)));
        align(&self.columns, data, self.takes_missing && !encoded)
    }

    /// The rows that the model sees of the rows of `x`, which have the fitted columns in the fitted order.
    pub fn transform<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Matrix> {
        let mut x = x.into().on_host()?;
        for step in &self.steps {
            x = step.transform(&x)?;
        }
        Ok(x)
    }

    /// The names of the columns that the model sees behind the steps: `x0`, `x1`, … where names are not known.
    pub fn input_names(&self) -> Vec<String> {
        let known = !self.columns.is_empty() && self.columns.iter().all(|column| !column.name.is_empty());
        let first = known.then(|| self.columns.iter().map(|column| column.name.clone()).collect::<Vec<_>>());
        let names = self.steps.iter().fold(first, |names, step| Some(step.names(names.as_deref())));
        names.unwrap_or_else(|| (0..self.columns.len()).map(|column| format!("x{column}")).collect())
    }

    /// The names of the levels of the columns that the model sees, by code; nothing for a column of numbers.
    pub fn input_levels(&self) -> Vec<Option<Vec<String>>> {
        // Steps that leave a column with its levels leave it its name.
        let levels = |name: &String| self.columns.iter().find(|column| column.name == *name)?.levels.clone();
        match self.steps.is_empty() {
            true => self.columns.iter().map(|column| column.levels.clone()).collect(),
            false => self.input_names().iter().map(levels).collect(),
        }
    }

    /// What the model says of each row of `x`, computed where `x` lives.
    pub fn predict<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Prediction> {
        self.predict_any(x.into(), &mut |_: &crate::estimator::Report| crate::estimator::Flow::Continue)
    }

    /// The chance of each class for each row of `x`, n×k; nothing for a model that gives none.
    pub fn predict_proba<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Option<Matrix>> {
        self.chances(x.into())
    }

    /// What each column that the model sees behind the steps ([`PipelineModel::input_names`]) adds to each row's
    /// prediction, as [`Model::shapley_values`]; nothing for a model that cannot tell.
    pub fn shapley_values<'a>(&self, x: impl Into<Rows<'a>>) -> Result<Option<Vec<Matrix>>> {
        self.contributions(x.into())
    }

    /// Runs `job` on what the steps make of `x`, on the device of `x`.
    fn with_steps<T>(&self, x: Rows<'_>, job: impl FnOnce(Rows<'_>) -> Result<T>) -> Result<T> {
        if self.steps.is_empty() {
            return job(x);
        }
        let device = match x {
            Rows::Host(_) => Device::Cpu,
            Rows::Device(matrix) => matrix.device().clone(),
        };
        job((&self.transform(x)?.to(&device)?).into())
    }
}

/// A model that was fitted without a pipeline: no steps, and columns as they come.
impl From<Model> for PipelineModel {
    fn from(model: Model) -> PipelineModel {
        PipelineModel { columns: vec![], targets: vec![], steps: vec![], takes_missing: false, model }
    }
}

impl Fitted for PipelineModel {
    fn predict_any(&self, x: Rows<'_>, observer: &mut dyn Observer) -> Result<Prediction> {
        self.with_steps(x, |x| self.model.predict_with(x, observer))
    }

    fn chances(&self, x: Rows<'_>) -> Result<Option<Matrix>> {
        self.with_steps(x, |x| self.model.predict_proba(x))
    }

    fn seen(&self, x: Rows<'_>) -> Result<Matrix> {
        self.transform(x)
    }

    /// Of the columns that the model sees behind the steps ([`PipelineModel::input_names`]), as its importances are.
    fn contributions(&self, x: Rows<'_>) -> Result<Option<Vec<Matrix>>> {
        self.with_steps(x, |x| self.model.shapley_values(x))
    }

    fn class_names(&self) -> &[String] {
        self.model.classes()
    }

    fn outcome(&self) -> Outcome {
        self.model.outcome()
    }

    fn text(&self, columns: &[String]) -> Option<String> {
        self.model.text_with_levels(columns, &self.input_levels())
    }

    fn text_with_levels(&self, columns: &[String], levels: &[Option<Vec<String>>]) -> Option<String> {
        self.model.text_with_levels(columns, levels)
    }

    fn container(&self) -> Result<Container> {
        self.to_container()
    }
}

impl Persist for PipelineModel {
    const KIND: &'static str = "pipeline";

    fn store(&self, container: &mut Container) -> Result<()> {
        let categorical = self.columns.iter().map(|column| column.levels.is_some()).collect();
        let (steps, takes_missing) = (self.steps.len(), self.takes_missing);
        container.set_parameters(&Parameters { steps, takes_missing, categorical })?;
        let names: Vec<&str> = self.columns.iter().map(|column| column.name.as_str()).collect();
        container.insert_strings("columns", &names)?;
        container.insert_strings("targets", &self.targets)?;
        for (at, column) in self.columns.iter().enumerate() {
            if let Some(levels) = &column.levels {
                container.insert_strings(&format!("levels.{at}"), levels)?;
            }
        }
        for (at, step) in self.steps.iter().enumerate() {
            container.insert_container(&format!("step.{at}"), step.container()?)?;
        }
        container.insert_container("model", self.model.container()?)
    }

    fn restore(container: &mut Container) -> Result<PipelineModel> {
        let Parameters { steps, takes_missing, categorical } = container.parameters()?;
        let names = container.take_strings("columns")?;
        if names.len() != categorical.len() {
            let (names, kinds) = (names.len(), categorical.len());
            return Err(container.refuse(format!("{names} columns are named, and {kinds} have a kind")));
        }
        let targets = container.take_strings("targets")?;
        let mut columns = vec![];
        for (at, (name, categorical)) in names.into_iter().zip(categorical).enumerate() {
            let levels = categorical.then(|| container.take_strings(&format!("levels.{at}"))).transpose()?;
            columns.push(Column { name, levels });
        }
        let mut fitted = vec![];
        for at in 0..steps {
            fitted.push(FittedStep::from_container(container.take_container(&format!("step.{at}"))?)?);
        }
        let model = Model::from_container(container.take_container("model")?)?;
        Ok(PipelineModel { columns, targets, steps: fitted, takes_missing, model })
    }
}
