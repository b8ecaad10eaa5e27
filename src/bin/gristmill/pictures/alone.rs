//! A model drawn without rows.

use gristmill::estimator::PictureInput;
use gristmill::pipeline::PipelineModel;
use gristmill::plot::Figure;
use gristmill::{Error, Result};

/// The pictures of a model that has some without rows, such as a tree; another is refused.
pub fn figures_alone(model: &PipelineModel) -> Result<Vec<Figure>> {
    let columns = model.input_columns();
    let target_name = model.targets().first().map(String::as_str);
    let figures = model.model().figures(&PictureInput { columns: &columns, target_name, rows: None })?;
    if figures.is_empty() {
        let rule =
            "left out: this model has no picture without rows, as one tree has; fit and evaluate draw it with rows";
        return Err(Error::param("plot", rule.to_string(), model.model().kind()));
    }
    Ok(figures)
}
