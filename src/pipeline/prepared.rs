//! A pipeline whose steps are fitted, with the rows that they made.

use std::sync::{Arc, Mutex, PoisonError};

use super::columns::Column;
use super::{Pipeline, PipelineModel};
use crate::array::{DeviceMatrix, Matrix};
use crate::data::Target;
use crate::device::Device;
use crate::error::Result;
use crate::estimator::{AnyEstimator, AnyModel, Fit};

/// A pipeline whose steps are fitted, with the rows that they made. Clones share the rows, on a device too: however many
/// models are fitted on them, they are copied there once.
#[derive(Debug, Clone)]
pub struct Prepared {
    pipeline: Pipeline,
    columns: Vec<Column>,
    steps: Vec<AnyModel>,
    x: Matrix,
    target: Target,
    uploaded: Arc<Mutex<Option<(Device, Arc<DeviceMatrix>)>>>,
}

impl Prepared {
    pub(super) fn new(
        pipeline: Pipeline,
        columns: Vec<Column>,
        steps: Vec<AnyModel>,
        x: Matrix,
        target: Target,
    ) -> Prepared {
        Prepared { pipeline, columns, steps, x, target, uploaded: Arc::default() }
    }

    /// The rows that the model is fitted on.
    pub fn x(&self) -> &Matrix {
        &self.x
    }

    /// The same rows and steps for another model.
    pub fn with_estimator(&self, estimator: &AnyEstimator) -> Prepared {
        Prepared { pipeline: self.pipeline.clone().with_estimator(estimator.clone()), ..self.clone() }
    }

    /// The rows on a device, copied there at the first call.
    pub fn rows_on(&self, device: &Device) -> Result<Arc<DeviceMatrix>> {
        let mut uploaded = self.uploaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((place, rows)) = &*uploaded
            && place.same(device)
        {
            return Ok(rows.clone());
        }
        let rows = Arc::new(self.x.to(device)?);
        *uploaded = Some((device.clone(), rows.clone()));
        Ok(rows)
    }

    /// Fits the model on a device.
    pub fn fit_on(self, device: &Device, options: Fit<'_>) -> Result<PipelineModel> {
        let model = self.pipeline.estimator().fit(self.rows_on(device)?.as_ref(), &self.target, options)?;
        Ok(PipelineModel::new(&self.pipeline, self.columns, &self.target, self.steps, model))
    }
}
