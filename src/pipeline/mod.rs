//! Preparing and fitting as one: transformers, then a model.

mod columns;
mod model;
mod step;

pub use columns::{Aligned, Column};
pub use model::PipelineModel;
pub use step::{FittedStep, Step};

use crate::array::{DeviceMatrix, Matrix};
use crate::data::{Dataset, Target};
use crate::device::Device;
use crate::error::Result;
use crate::estimator::{Estimator, Fit};
use crate::registry::AnyEstimator;

/// Transformers, one after the other, and then a model: fits, predicts, saves and loads as one.
///
/// Transformers run on the host; the model is fitted on the device that [`Pipeline::fit_on`] names. Columns of text that
/// no step has encoded are categorical to tree models, and refused by others.
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
#[derive(Debug, Clone, PartialEq)]
pub struct Pipeline {
    steps: Vec<Step>,
    estimator: AnyEstimator,
}

impl Pipeline {
    /// A model without steps before it.
    pub fn new(estimator: impl Estimator) -> Pipeline {
        Pipeline::from(AnyEstimator::new(estimator))
    }

    /// Adds a transformer behind those there are.
    pub fn step(mut self, step: impl Into<Step>) -> Pipeline {
        self.steps.push(step.into());
        self
    }

    /// The transformers, in their order.
    pub fn steps(&self) -> &[Step] {
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

    /// Fits the steps, then the model on a device.
    pub fn fit_on(&self, device: &Device, data: &Dataset, options: Fit<'_>) -> Result<PipelineModel> {
        self.prepare(data)?.fit_on(device, options)
    }

    /// Fits the steps alone: what remains is the model's part.
    pub fn prepare(&self, data: &Dataset) -> Result<Prepared> {
        if self.estimator.task().needs_target() {
            self.estimator.task().check(&data.target)?;
        }
        let columns = Column::of(data);
        let (mut x, mut steps) = (data.x.clone(), vec![]);
        for step in &self.steps {
            let fitted = step.fit(&x)?;
            x = fitted.transform(&x)?;
            steps.push(fitted);
        }
        if !self.estimator.takes_categories() {
            x.column_info().refuse_categories(self.estimator.name())?;
        }
        Ok(Prepared { estimator: self.estimator.clone(), columns, steps, x, target: data.target.clone() })
    }
}

impl From<AnyEstimator> for Pipeline {
    fn from(estimator: AnyEstimator) -> Pipeline {
        Pipeline { steps: vec![], estimator }
    }
}

/// A pipeline whose steps are fitted, with the rows that they made.
#[derive(Debug, Clone)]
pub struct Prepared {
    estimator: AnyEstimator,
    columns: Vec<Column>,
    steps: Vec<FittedStep>,
    x: Matrix,
    target: Target,
}

impl Prepared {
    /// The rows that the model is fitted on.
    pub fn x(&self) -> &Matrix {
        &self.x
    }

    /// The same rows and steps for another model.
    pub fn with_estimator(&self, estimator: &AnyEstimator) -> Prepared {
        Prepared { estimator: estimator.clone(), ..self.clone() }
    }

    /// Fits the model on a device.
    pub fn fit_on(self, device: &Device, options: Fit<'_>) -> Result<PipelineModel> {
        let x = self.x.to(device)?;
        self.fit_rows(&x, options)
    }

    /// Fits the model on what [`Prepared::x`] is on a device, for those who time the copy apart from the fit.
    pub fn fit_rows(self, x: &DeviceMatrix, options: Fit<'_>) -> Result<PipelineModel> {
        let model = self.estimator.fit(x.into(), &self.target, options)?;
        Ok(PipelineModel::new(self, model))
    }
}
