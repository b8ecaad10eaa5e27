//! A model that `fit --save` wrote, as the other commands use it.

use std::path::Path;

use gristmill::cost::Cost;
use gristmill::estimator::Task;
use gristmill::pipeline::{Aligned, PipelineModel};
use gristmill::{AnyModel, Dataset, Result};

use super::{GlobalArgs, KnownColumns, ReadArgs};
use crate::report::{Report, timed};

/// A model from a file, as a pipeline: one that was saved alone has no steps.
pub struct SavedModel {
    pub model: PipelineModel,
    pub task: Task,
    pub columns: KnownColumns,
}

impl SavedModel {
    /// Reads a model file; `read` says how the rows that it is given are read.
    pub fn load(path: &Path, read: &ReadArgs) -> Result<SavedModel> {
        let any = AnyModel::load(path)?;
        let task = any.task()?;
        // A model that was saved alone refuses missing values itself.
        let alone = any.downcast_ref::<PipelineModel>().is_none();
        let model = PipelineModel::from(any);
        let takes_missing = model.takes_missing() || alone;
        let columns = KnownColumns { columns: model.columns(), takes_missing, read: read.options() };
        Ok(SavedModel { model, task, columns })
    }

    /// Rows with the columns of the model, in its order.
    pub fn align(&self, data: Dataset) -> Result<Dataset> {
        let Aligned { x, sparse, .. } = self.model.align(&data)?;
        Ok(Dataset { x, sparse, ..data })
    }

    /// Reads rows for the model, without a target, and notes in the report how many there are.
    pub fn read_rows(&self, path: &Path, global: &GlobalArgs, report: &mut Report) -> Result<Dataset> {
        let read = timed(&mut report.seconds, "load", || self.columns.read_rows(path, self.model.targets()))?;
        read.note_columns(global);
        let data = self.align(read.data)?;
        (report.rows, report.columns) = (data.rows(), data.columns());
        Ok(data)
    }

    /// What it takes to predict these rows; sparse ones stay on the host.
    pub fn predict_cost(&self, data: &Dataset) -> Option<Cost> {
        self.model.model().predict_cost(data.rows()).filter(|_| data.sparse.is_none())
    }

    /// The name of the model behind the steps.
    pub fn name(&self) -> &'static str {
        self.model.model().kind()
    }
}
