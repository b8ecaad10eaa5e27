//! The rows of a fit: those to learn from, those to score, and all of them.

use gristmill::Target;
use gristmill::estimator::{Estimator, Task};
use gristmill::pipeline::Pipeline;
use gristmill::prelude::*;
use gristmill::selection::{stratified_train_test_split, train_test_split};

use super::FitArgs;
use crate::arguments::{GlobalArgs, KnownColumns, Loaded, split_by_column, split_last};
use crate::report::{CliError, CommandResult};

/// Rows with how much each counts.
pub struct WeightedRows {
    pub data: Dataset,
    pub weights: Option<Vec<f32>>,
}

/// What a fit needs of the files.
pub struct FitRows {
    pub train: WeightedRows,
    /// Rows to score.
    pub test: Option<Dataset>,
    /// All rows of the data, if the model is fitted again on them.
    pub whole: Option<WeightedRows>,
    /// The names of the target's columns.
    pub targets: Vec<String>,
}

impl FitRows {
    /// Rows that are fitted and nothing else.
    pub fn fitted(data: Dataset) -> FitRows {
        let train = WeightedRows { data, weights: None };
        FitRows { train, test: None, whole: None, targets: vec![] }
    }

    /// Reads the files, and parts the rows if that is asked for.
    pub fn read(args: &FitArgs, pipeline: &Pipeline, global: &GlobalArgs) -> CommandResult<FitRows> {
        let (Loaded { data, targets }, test) = load(args, pipeline, global)?;
        let weights = args.data.weights(&args.read, data.rows())?;
        let rows = data.rows();
        let (train, test) = match (args.split, &args.split_column) {
            (_, Some(column)) => split_by_column((&args.data, &args.read), column, rows)?,
            (Some(share), None) if args.last => split_last(rows, share)?,
            (Some(share), None) => split(&data, pipeline.estimator().task(), share, global.seed.unwrap_or(0))?,
            (None, None) => return Ok(FitRows { train: WeightedRows { data, weights }, test, whole: None, targets }),
        };
        let of_train = weights.as_ref().map(|weights| train.iter().map(|row| weights[*row]).collect());
        Ok(FitRows {
            train: WeightedRows { data: data.select(&train)?, weights: of_train },
            test: Some(data.select(&test)?),
            whole: args.refit.then_some(WeightedRows { data, weights }),
            targets,
        })
    }
}

/// Reads the data and, if there is one, the file of test rows.
fn load(args: &FitArgs, pipeline: &Pipeline, global: &GlobalArgs) -> CommandResult<(Loaded, Option<Dataset>)> {
    let mut data = args.data.clone();
    data.set_aside.extend(args.split_column.clone().map(|column| ("--split-column", column)));
    let loaded = data.read(&args.read, pipeline, global)?;
    let Some(path) = &args.test else { return Ok((loaded, None)) };
    let test = KnownColumns::of(&loaded.data, pipeline.abilities().missing, &args.read).read(path, &loaded.targets)?;
    test.note_columns(global);
    let test = test.data;
    let test = match &args.test_labels {
        Some(labels) => test.with_labels_file(labels)?,
        None => test,
    };
    if pipeline.estimator().task().needs_target() && matches!(test.target, Target::None) {
        let why = format!("the target of {} is not known: name its file with --test-labels", path.display());
        return Err(CliError::Usage(why));
    }
    Ok((loaded, Some(test)))
}

/// The rows to fit on and those to score; with classes to learn, each part has its share of every class.
fn split(data: &Dataset, task: Task, share: f64, seed: u64) -> Result<(Vec<usize>, Vec<usize>)> {
    match task {
        Task::Classification => stratified_train_test_split(data.labels()?, share, seed),
        _ => train_test_split(data.rows(), share, seed),
    }
}
