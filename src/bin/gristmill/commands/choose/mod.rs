//! Choosing a model: `gristmill select`, `gristmill curve`, `gristmill bias-variance` and `gristmill clusters`.

pub mod bias_variance;
pub mod clusters;
pub mod curve;
pub mod select;

use gristmill::prelude::*;
use gristmill::selection::Scoring;

use crate::arguments::{DataArgs, FoldArgs, GlobalArgs, Loaded, ModelArgs, ReadArgs};
use crate::report::{CliError, CommandResult};

/// A model, its data and its folds, as all three commands take them.
#[derive(clap::Args)]
pub struct ChooseArgs {
    /// The model; `gristmill models` lists them
    pub model: String,
    #[command(flatten)]
    pub data: DataArgs,
    #[command(flatten)]
    pub settings: ModelArgs,
    #[command(flatten)]
    pub read: ReadArgs,
}

impl ChooseArgs {
    pub fn pipeline(&self, global: &GlobalArgs) -> CommandResult<Pipeline> {
        self.settings.pipeline(&self.model, &self.data, global.seed)
    }

    /// The rows, without the columns that only say how they are split.
    pub fn load(&self, folds: Option<&FoldArgs>, pipeline: &Pipeline, global: &GlobalArgs) -> CommandResult<Dataset> {
        if self.data.weight.is_some() {
            return Err(CliError::Usage("--weight is for fit and cv".to_string()));
        }
        let data = folds.map_or_else(|| self.data.clone(), |folds| folds.without_columns(&self.data));
        let Loaded { data, .. } = data.read(&self.read, pipeline, global)?;
        Ok(data)
    }

    /// The rows in the order of their folds, and the folds.
    pub fn load_with_folds(
        &self,
        folds: &FoldArgs,
        pipeline: &Pipeline,
        global: &GlobalArgs,
    ) -> CommandResult<(Dataset, Folds)> {
        let data = self.load(Some(folds), pipeline, global)?;
        let file = (&self.data, &self.read);
        let made = folds.of(file, data.rows(), pipeline.estimator().task(), global.seed.unwrap_or(0))?;
        match folds.order(file, data.rows())? {
            Some(order) => Ok((data.select(&order)?, made)),
            None => Ok((data, made)),
        }
    }
}

/// The score of this name, or the usual one of the model's task.
fn scoring(name: Option<&str>, pipeline: &Pipeline) -> CommandResult<Scoring> {
    Ok(match name {
        Some(name) => name.parse::<Scoring>()?,
        None => Scoring::of_task(pipeline.estimator().task())?,
    })
}

/// The name of a column, or its number from 1.
fn column_name(data: &Dataset, column: usize) -> String {
    data.names().and_then(|names| names.get(column).cloned()).unwrap_or_else(|| format!("column {}", column + 1))
}
