//! A pipeline whose steps are fitted, with the rows that they made.

use std::sync::{Arc, Mutex, PoisonError};

use super::columns::{Aligned, align_table};
use super::model::Takes;
use super::{Pipeline, PipelineModel, named_behind, through, with_rows};
use crate::array::Matrix;
use crate::data::Dataset;
use crate::device::Device;
use crate::error::Result;
use crate::estimator::{AnyEstimator, AnyModel, Fit, FitShape, OwnedRows, RanOn};
use crate::model_file::FittedColumns;
use crate::placement::{Placed, Placement};

/// The rows on a device.
type Uploaded = (Device, Arc<OwnedRows>);

/// A pipeline whose steps are fitted, with the rows that they made. Clones share the rows, on a device too: however many
/// models are fitted on them, they are copied there once.
#[derive(Debug, Clone)]
pub struct Prepared {
    pipeline: Pipeline,
    columns: FittedColumns,
    steps: Vec<AnyModel>,
    /// What the steps made, with the target.
    data: Dataset,
    uploaded: Arc<Mutex<Option<Uploaded>>>,
}

impl Prepared {
    pub(super) fn new(pipeline: Pipeline, columns: FittedColumns, steps: Vec<AnyModel>, data: Dataset) -> Prepared {
        Prepared { pipeline, columns, steps, data, uploaded: Arc::default() }
    }

    /// The rows that the model is fitted on; without columns if they are sparse ([`Prepared::data`]).
    pub fn x(&self) -> &Matrix {
        &self.data.x
    }

    /// The rows that the model is fitted on, with their target.
    pub fn data(&self) -> &Dataset {
        &self.data
    }

    /// Other rows as the model sees them, with their target: for [`Fit::validation`].
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// let (train, test) = datasets::breast_cancer()?.split(0.8, 1)?;
    /// let boosting = GradientBoostingClassifier::default().n_iter_no_change(3);
    /// let prepared = Pipeline::new(boosting).step(StandardScaler::default()).prepare(&train)?;
    /// let test = prepared.prepare(&test)?;
    /// let model = prepared.fit_on(&Device::Cpu, Fit::default().validation(&test.x, test.labels()?))?;
    /// assert!(model.model().report().curve("validation_loss").len() < 100);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn prepare(&self, data: &Dataset) -> Result<Dataset> {
        let columns = FittedColumns { unseen: Takes::of(&self.pipeline).unseen(), ..self.columns.clone() };
        let Aligned { x, sparse, .. } = align_table(&columns, data)?;
        let data = Dataset { x, sparse, ..data.clone() };
        with_rows(&data, through(&self.steps, (&data).into())?)
    }

    /// The same rows and steps for another model.
    pub fn with_estimator(&self, estimator: &AnyEstimator) -> Prepared {
        Prepared { pipeline: self.pipeline.clone().with_estimator(estimator.clone()), ..self.clone() }
    }

    /// The rows on a device, copied there at the first call; sparse ones stay on the host.
    pub fn rows_on(&self, device: &Device) -> Result<Arc<OwnedRows>> {
        let mut uploaded = self.uploaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((place, rows)) = &*uploaded
            && place.same(device)
        {
            return Ok(rows.clone());
        }
        let rows = Arc::new(OwnedRows::on(device, &self.data)?);
        *uploaded = Some((device.clone(), rows.clone()));
        Ok(rows)
    }

    /// The device for a fit of the model, and for the predictions of so many rows after it.
    pub fn place(&self, placement: &Placement, queries: usize) -> Result<Placed> {
        // Sparse rows stay on the host.
        let dense = self.data.sparse.is_none();
        let shape = FitShape::of(&self.data).target(&self.data.target).queries(queries);
        placement.resolve(self.pipeline.estimator().cost(&shape).filter(|_| dense))
    }

    /// Fits the model where it was placed; its report says where and why.
    pub fn fit_placed(self, placed: &Placed, options: Fit<'_>) -> Result<PipelineModel> {
        let ran_on = RanOn { name: placed.device.info().name, why: placed.why.clone() };
        Ok(self.fit_on(&placed.device, options)?.ran_on(ran_on))
    }

    /// Fits the model on a device.
    pub fn fit_on(self, device: &Device, options: Fit<'_>) -> Result<PipelineModel> {
        let rows = self.rows_on(device)?;
        let fitted = self.pipeline.estimator().fit_inside(rows.rows(), &self.data.target, options);
        let model = fitted.map_err(|error| named_behind(&self.steps, &self.columns, error))?;
        Ok(PipelineModel::new(&self.pipeline, self.columns, &self.data.target, self.steps, model))
    }
}
