//! Pipelines: transformers and a model that are fitted as one.

mod columns;
mod model;
mod prepared;

pub use columns::{Aligned, Column};
pub use model::PipelineModel;
pub use prepared::Prepared;

use columns::{columns_of, input_columns};
use serde::{Deserialize, Serialize};

use crate::cost::Cost;
use crate::data::{Dataset, Target};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::estimator::{
    Abilities, AnyEstimator, AnyModel, Estimator, Fit, FitShape, OwnedRows, Parameter, Parameters, Rows, Task,
};
use crate::linear::Ridge;
use crate::model_file::FittedColumns;

/// Transformers, one after the other, and then a model: fits, predicts, saves and loads as one.
///
/// Each step is fitted on the rows that the steps before it have made, where the rows live. Categorical columns that no
/// step has encoded reach the model: tree models take them, others refuse them. A pipeline is an [`Estimator`] too, so
/// it can be a member of an ensemble.
///
/// ```
/// use gristmill::prelude::*;
/// use gristmill::preprocessing::StandardScaler;
/// let (train, test) = datasets::wine()?.split(0.7, 1)?;
/// let model = Pipeline::new(KNeighborsClassifier::new(5)).step(StandardScaler::default()).fit(&train)?;
/// let predicted = model.predict(&test.x)?;
/// let again = PipelineModel::from_bytes(&model.to_bytes()?)?;
/// assert_eq!(again.predict(&test.x)?, predicted);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[doc(alias = "make_pipeline")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Pipeline {
    steps: Vec<AnyEstimator>,
    estimator: AnyEstimator,
}

impl Default for Pipeline {
    fn default() -> Pipeline {
        Pipeline::new(Ridge::default())
    }
}

impl Pipeline {
    /// A pipeline of a model alone; [`Pipeline::step`] adds transformers before it.
    pub fn new(estimator: impl Estimator) -> Pipeline {
        Pipeline::from(AnyEstimator::new(estimator))
    }

    /// Adds a transformer after the other steps, before the model.
    pub fn step(self, step: impl Estimator) -> Pipeline {
        self.with_step(AnyEstimator::new(step))
    }

    /// Adds a transformer whose type is known only at run time.
    pub fn with_step(mut self, step: AnyEstimator) -> Pipeline {
        self.steps.push(step);
        self
    }

    /// The transformers, in their order.
    pub fn steps(&self) -> &[AnyEstimator] {
        &self.steps
    }

    /// The model's parameters.
    pub fn estimator(&self) -> &AnyEstimator {
        &self.estimator
    }

    /// The same with one parameter of the model set, as [`AnyEstimator::set`].
    pub fn set(&self, name: &str, value: serde_json::Value) -> Result<Pipeline> {
        Ok(Pipeline { steps: self.steps.clone(), estimator: self.estimator.set(name, value)? })
    }

    /// The same steps before another model.
    pub fn with_estimator(mut self, estimator: AnyEstimator) -> Pipeline {
        self.estimator = estimator;
        self
    }

    /// Fits the steps and the model on the CPU.
    pub fn fit(&self, data: &Dataset) -> Result<PipelineModel> {
        self.fit_on(&Device::Cpu, data, Fit::default())
    }

    /// Fits the steps on the host, then the model on a device.
    pub fn fit_on(&self, device: &Device, data: &Dataset, options: Fit<'_>) -> Result<PipelineModel> {
        self.prepare(data)?.fit_on(device, options)
    }

    /// Fits the steps alone; [`Prepared::fit_on`] fits the model.
    pub fn prepare(&self, data: &Dataset) -> Result<Prepared> {
        let (steps, made) = self.fit_steps(data.into(), &data.target)?;
        Ok(Prepared::new(self.clone(), columns_of(data.into()), steps, with_rows(data, made)?))
    }

    /// The fitted steps and the rows that they make of `x`, where `x` lives; nothing if there are no steps.
    fn fit_steps(&self, x: Rows<'_>, target: &Target) -> Result<(Vec<AnyModel>, Option<OwnedRows>)> {
        self.task().check(target)?;
        let (mut steps, mut made): (Vec<AnyModel>, Option<OwnedRows>) = (vec![], None);
        for step in &self.steps {
            let rows = made.as_ref().map_or(x, OwnedRows::rows);
            let (model, next) = step.fit_transform(rows, target, Fit::default())?;
            steps.push(model);
            made = Some(next);
        }
        Ok((steps, made))
    }
}

/// An error in rows that steps made, with the name of its column: its number says nothing of the data that came.
fn named_behind(steps: &[AnyModel], columns: &FittedColumns, error: Error) -> Error {
    match error {
        Error::NotFinite { row, column, value } if !steps.is_empty() => {
            match input_columns(columns, steps).names.into_iter().nth(column) {
                Some(column) => Error::NotFiniteBehindSteps { row, column, value },
                None => Error::NotFinite { row, column, value },
            }
        }
        other => other,
    }
}

/// What fitted steps make of `x`, where `x` lives; nothing if there are no steps.
fn through(steps: &[AnyModel], x: Rows<'_>) -> Result<Option<OwnedRows>> {
    let mut made: Option<OwnedRows> = None;
    for step in steps {
        made = Some(step.transform(made.as_ref().map_or(x, OwnedRows::rows))?);
    }
    Ok(made)
}

/// The same data with the rows that steps made of its own, if there are any.
fn with_rows(data: &Dataset, made: Option<OwnedRows>) -> Result<Dataset> {
    match made {
        None => Ok(data.clone()),
        Some(OwnedRows::Sparse(sparse)) => Dataset::from_sparse(sparse, data.target.clone()),
        Some(rows) => Dataset::new(rows.into_host()?, data.target.clone()),
    }
}

impl From<AnyEstimator> for Pipeline {
    fn from(estimator: AnyEstimator) -> Pipeline {
        Pipeline { steps: vec![], estimator }
    }
}

impl Parameters for Pipeline {
    type Model = PipelineModel;
    type Target<'a> = &'a Target;
    const NAME: &'static str = "pipeline";
    const ABOUT: &'static str = "transformers, one after the other, and then a model";
    const TASK: Task = Task::Regression;
    const PARAMETERS: &'static [Parameter] = &[
        Parameter { name: "steps", help: "the transformers: names separated by commas, or a JSON list" },
        Parameter { name: "estimator", help: "the model after them" },
    ];

    fn task(&self) -> Task {
        self.estimator.task()
    }

    fn check(&self) -> Result<()> {
        self.steps.iter().chain([&self.estimator]).try_for_each(AnyEstimator::check)
    }
}

impl Estimator for Pipeline {
    fn abilities(&self) -> Abilities {
        let last = self.estimator.abilities();
        let steps: Vec<Abilities> = self.steps.iter().map(AnyEstimator::abilities).collect();
        let encodes = steps.iter().any(|step| step.encodes_categories);
        let fills = steps.iter().any(|step| step.fills_missing);
        Abilities {
            missing: fills || last.missing,
            fills_missing: fills,
            categories: encodes || last.categories,
            encodes_categories: encodes,
            sparse: last.sparse && steps.iter().all(|step| step.sparse),
            chunks: last.chunks && steps.is_empty(),
            fixed_zero: last.fixed_zero,
        }
    }

    /// That of the model: the steps are passes over the rows.
    fn cost(&self, shape: &FitShape) -> Option<Cost> {
        self.estimator.cost(shape)
    }

    fn fit_rows(&self, x: Rows<'_>, target: &Target, options: Fit<'_>) -> Result<PipelineModel> {
        let (steps, made) = self.fit_steps(x, target)?;
        let columns = columns_of(x);
        let rows = made.as_ref().map_or(x, OwnedRows::rows);
        let fitted = self.estimator.fit_inside(rows, target, options);
        let model = fitted.map_err(|error| named_behind(&steps, &columns, error))?;
        Ok(PipelineModel::new(self, columns, target, steps, model))
    }
}
