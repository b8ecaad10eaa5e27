//! A model drawn without rows.

use std::path::Path;

use gristmill::estimator::PictureInput;
use gristmill::pipeline::PipelineModel;
use gristmill::{Error, Result};

use super::picture::write;

/// Draws a model that has a picture without rows, such as a tree, into a file; another is refused.
pub fn draw_alone(model: &PipelineModel, path: &Path) -> Result<()> {
    let columns = model.input_columns();
    let target_name = model.targets().first().map(String::as_str);
    let figures = model.model().figures(&PictureInput { columns: &columns, target_name, rows: None })?;
    if figures.is_empty() {
        let rule =
            "left out: this model has no picture without rows, as one tree has; fit and evaluate draw it with rows";
        return Err(Error::param("plot", rule.to_string(), model.model().kind()));
    }
    write(figures, path)
}
