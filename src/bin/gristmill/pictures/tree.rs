//! A model that is one tree, drawn.

use std::path::Path;

use gristmill::estimator::InputColumns;
use gristmill::model_file::Persist;
use gristmill::pipeline::PipelineModel;
use gristmill::plot::{NominalTreeFigure, TreeFigure};
use gristmill::tree::{DecisionTreeClassifierModel, DecisionTreeRegressorModel, Id3ClassifierModel};
use gristmill::{Error, Result};

/// Draws the tree into a file; a model that is none is refused.
pub fn save(model: &PipelineModel, path: &Path) -> Result<()> {
    let container = model.model().container()?;
    let InputColumns { names, categories: levels } = model.input_columns();
    match container.kind() {
        DecisionTreeClassifierModel::KIND => {
            let tree = DecisionTreeClassifierModel::from_container(container)?;
            let figure = TreeFigure::of_classifier(&tree).level_names(&levels);
            if tree.column_names().is_none() { figure.feature_names(&names).save(path) } else { figure.save(path) }
        }
        DecisionTreeRegressorModel::KIND => {
            let tree = DecisionTreeRegressorModel::from_container(container)?;
            let figure = TreeFigure::of_regressor(&tree).level_names(&levels);
            if tree.column_names().is_none() { figure.feature_names(&names).save(path) } else { figure.save(path) }
        }
        Id3ClassifierModel::KIND => {
            let tree = Id3ClassifierModel::from_container(container)?;
            NominalTreeFigure::new(&tree, &levels).feature_names(&names).save(path)
        }
        kind => {
            let rule = "left alone unless the model is one tree (fit and evaluate draw other models)".to_string();
            Err(Error::Param { name: "plot", rule, got: kind.to_string() })
        }
    }
}
