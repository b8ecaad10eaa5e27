//! What `fit` takes.

use std::path::{Path, PathBuf};

use gristmill::estimator::Task;
use gristmill::pipeline::Pipeline;
use gristmill::registry;

use crate::arguments::{
    DataArgs, ModelArgs, OUTPUT, PlotArgs, READING, ReadArgs, SCORING, check_folder, check_outputs,
};
use crate::report::{CliError, CommandResult, check_page};

/// The parameter of early stopping.
pub const STOPS: &str = "n_iter_no_change";

const EXAMPLES: &str = "Examples:
  gristmill fit kneighbors-classifier data/digits.csv --target digit --split 0.8 --plot digits.svg
  gristmill fit kneighbors-regressor data/diabetes.csv --target progression --scale --split 0.8
  gristmill fit kmeans data/iris.csv --drop species --set n_clusters=3 --set n_init=10 --save iris.gm
  gristmill fit kneighbors-classifier data/play_tennis.csv --target play --one-hot --save tennis.gm
  gristmill fit local-outlier-factor data/wine.csv --target class --scale --plot outliers.svg
  gristmill fit decision-tree-classifier data/play_tennis.csv --target play --set max_depth=3 --plot tree.svg
  gristmill fit gradient-boosting-classifier data/breast_cancer.csv --target diagnosis --split 0.8 --set learning_rate=0.05
  gristmill fit random-forest-classifier data/wine.csv --target class --set oob_score=true --save forest.gm
  gristmill fit stacking-regressor data/diabetes.csv --target progression --split 0.8 --set estimators=kneighbors-regressor,random-forest-regressor
  gristmill fit bagging-classifier data/iris.csv --target species --set estimator=kneighbors-classifier --set estimator.n_neighbors=3
  gristmill fit ridge data/diabetes.csv --target progression --step min-max-scaler --step polynomial-features:degree=2 --split 0.8
  gristmill fit standard-scaler data/iris.csv --drop species --save scaler.gm";

/// What `fit` takes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct FitArgs {
    /// The model; `gristmill models` lists them
    pub model: String,
    #[command(flatten)]
    pub data: DataArgs,
    #[command(flatten)]
    pub settings: ModelArgs,
    /// Scores the model on the rows of this file
    #[arg(long, value_name = "FILE", conflicts_with = "split", help_heading = SCORING)]
    pub test: Option<PathBuf>,
    /// A file with one column: the target of each row of --test
    #[arg(long, value_name = "FILE", requires = "test", help_heading = SCORING)]
    pub test_labels: Option<PathBuf>,
    /// Fits on this share of the rows and scores on the others; stratified for classes
    #[arg(long, value_name = "SHARE", help_heading = SCORING)]
    pub split: Option<f64>,
    /// Scores on the last rows of the file instead of random ones, with --split
    #[arg(long, requires = "split", help_heading = SCORING)]
    pub last: bool,
    /// The column that says of each row whether it is fitted (train, 0) or scored (test, 1); it is no column to learn from
    #[arg(long, value_name = "COL", allow_negative_numbers = true, conflicts_with_all = ["split", "test"], help_heading = SCORING)]
    pub split_column: Option<String>,
    /// Ends the fit of a model that learns in rounds when the loss of the rows to score has not fallen for so many rounds, and keeps the best; needs --split or --test
    #[arg(long, value_name = "ROUNDS", help_heading = SCORING)]
    pub early_stopping: Option<usize>,
    /// Fits the model again on all rows once those that --split left out are scored; --save writes that one
    #[arg(long, conflicts_with = "test", help_heading = SCORING)]
    pub refit: bool,
    /// Writes the model to this file
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub save: Option<PathBuf>,
    #[command(flatten)]
    pub plot: PlotArgs,
    /// Writes a report with parameters, scores, importances and pictures as one page of HTML
    #[arg(long, value_name = "FILE.html", help_heading = OUTPUT)]
    pub report: Option<PathBuf>,
    #[command(flatten)]
    pub read: ReadArgs,
    /// Fits a CSV, LIBSVM or NPY file in one pass, this many rows at a time, for models that take chunks of rows (see `gristmill models`); automatic for clusters of CSV files above 256 MiB
    #[arg(long, value_name = "ROWS", help_heading = READING)]
    pub chunk_rows: Option<usize>,
    /// All classes of the target, for --chunk-rows where the first chunk may lack some
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "chunk_rows", help_heading = READING)]
    pub classes: Vec<String>,
}

impl FitArgs {
    /// The model that is asked for, with early stopping if that is.
    pub fn pipeline(&self, seed: Option<u64>) -> CommandResult<Pipeline> {
        let pipeline = self.settings.pipeline(&self.model, &self.data, seed)?;
        let Some(rounds) = self.early_stopping else { return Ok(pipeline) };
        if !self.splits() && self.test.is_none() {
            let why = "--early-stopping goes by the loss of rows that are scored: add --split or --test";
            return Err(CliError::Usage(why.to_string()));
        }
        if !pipeline.estimator().has(STOPS) {
            let known = registry::entries().iter().filter(|entry| entry.estimator().has(STOPS));
            let known: Vec<&str> = known.map(|entry| entry.name).collect();
            let name = pipeline.estimator().name();
            return Err(CliError::Usage(format!("{name} has no early stopping; these have: {}", known.join(", "))));
        }
        Ok(pipeline.set(STOPS, rounds.into())?)
    }

    /// Whether some rows of the data are scored and not fitted.
    pub fn splits(&self) -> bool {
        self.split.is_some() || self.split_column.is_some()
    }

    /// Refuses files that cannot be written, and scores of what has none, before the work is done.
    pub fn check(&self, pipeline: &Pipeline) -> CommandResult {
        let tests = [&self.test, &self.test_labels].into_iter().flatten().map(PathBuf::as_path);
        check_outputs([&self.save, &self.plot.plot, &self.report], self.data.inputs().chain(tests))?;
        self.save.as_deref().map_or(Ok(()), check_folder)?;
        self.plot.check()?;
        self.report.as_deref().map_or(Ok(()), check_page)?;
        if self.refit && !self.splits() {
            let why = "--refit fits again on all rows once some are scored: add --split or --split-column";
            return Err(CliError::Usage(why.to_string()));
        }
        let estimator = pipeline.estimator();
        if estimator.task() == Task::Transformation && (self.splits() || self.test.is_some()) {
            let why = "transforms rows, which have no score: leave out --split and --test";
            return Err(CliError::Usage(format!("{} {why}", estimator.name())));
        }
        Ok(())
    }

    /// The files that are read.
    pub fn files(&self) -> Vec<String> {
        let paths = self.data.inputs().chain(self.test.as_deref());
        paths.map(|path: &Path| path.display().to_string()).collect()
    }
}
