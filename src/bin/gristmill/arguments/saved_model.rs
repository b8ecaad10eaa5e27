//! A model that `fit --save` wrote, as `predict` and `evaluate` use it.

use std::path::Path;

use gristmill::model_file::{Container, Persist};
use gristmill::pipeline::PipelineModel;
use gristmill::{AnyModel, Result, registry};

use super::KnownColumns;

/// The kind of the model in a file, behind its steps, and the model itself as a pipeline.
pub struct SavedModel {
    pub kind: String,
    pub model: PipelineModel,
    pub columns: KnownColumns,
}

impl SavedModel {
    /// Reads a model file; a model without a pipeline becomes one without steps.
    pub fn load(path: &Path) -> Result<SavedModel> {
        let container = Container::load(path)?;
        if container.kind() == PipelineModel::KIND {
            let inner = container.models().find(|(name, _)| *name == "model");
            let kind = inner.map(|(_, model)| model.kind().to_string()).unwrap_or_default();
            let model = PipelineModel::from_container(container)?;
            let columns = KnownColumns { columns: model.columns().to_vec(), takes_missing: model.takes_missing() };
            return Ok(SavedModel { kind, model, columns });
        }
        let kind = container.kind().to_string();
        let model = PipelineModel::from(AnyModel::from_container(container)?);
        let takes_missing = registry::find(&kind).is_ok_and(|entry| entry.estimator().abilities().missing);
        Ok(SavedModel { kind, model, columns: KnownColumns { columns: vec![], takes_missing } })
    }
}
