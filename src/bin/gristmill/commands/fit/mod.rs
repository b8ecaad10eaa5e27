//! `gristmill fit`: learn from a file.

mod chunks;

use std::path::{Path, PathBuf};

use gristmill::Target;
use gristmill::estimator::{Estimator, Prediction, Task};
use gristmill::pipeline::{Aligned, PipelineModel, Prepared};
use gristmill::placement::Placed;
use gristmill::prelude::*;
use gristmill::selection::{stratified_train_test_split, train_test_split};

use crate::arguments::{
    DataArgs, GlobalArgs, KnownColumns, Loaded, ModelArgs, check_folder, check_outputs, split_by_column, split_last,
};
use crate::pictures::{Picture, check_picture, draw_transformed};
use crate::report::{
    CliError, CommandResult, Confusion, Predicted, Progress, Report, Scores, Seconds, dense, guarded, note,
    note_unknown_classes, predict, print, print_json, take_interrupted, timed,
};

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
    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub data: DataArgs,
    /// Scores the model on the rows of this file
    #[arg(long, value_name = "FILE", conflicts_with = "split")]
    pub test: Option<PathBuf>,
    /// A file with one column: the target of each row of --test
    #[arg(long, value_name = "FILE", requires = "test")]
    test_labels: Option<PathBuf>,
    /// Fits on this share of the rows and scores on the others; stratified for classes
    #[arg(long, value_name = "SHARE")]
    pub split: Option<f64>,
    /// Scores on the last rows of the file instead of random ones, with --split
    #[arg(long, requires = "split")]
    last: bool,
    /// The column that says of each row whether it is fitted (train, 0) or scored (test, 1); the model does not learn
    /// from it otherwise
    #[arg(long, value_name = "COL", allow_negative_numbers = true, conflicts_with_all = ["split", "test"])]
    pub split_column: Option<String>,
    /// The column that says how much each row counts, at least 0; the model does not learn from it otherwise
    #[arg(long, value_name = "COL", allow_negative_numbers = true)]
    weight: Option<String>,
    /// Writes the model to this file
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Draws pictures of the model into this SVG file
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    /// Fits a CSV file in one pass, this many rows at a time, for models that take chunks of rows (see `gristmill models`); automatic above 256 MiB
    #[arg(long, value_name = "ROWS")]
    pub chunk_rows: Option<usize>,
}

/// Rows with their targets, and the predictions for them.
struct ScoredRows {
    data: Dataset,
    predicted: Predicted,
}

pub fn run(args: &FitArgs, global: &GlobalArgs) -> CommandResult {
    let pipeline = args.model.pipeline(&args.data, global.seed)?;
    let estimator = pipeline.estimator();
    let tests = [&args.test, &args.test_labels].into_iter().flatten().map(PathBuf::as_path);
    check_outputs([&args.save, &args.plot], args.data.inputs().chain(tests))?;
    args.save.as_deref().map_or(Ok(()), check_folder)?;
    args.plot.as_deref().map_or(Ok(()), check_picture)?;
    let scored = args.split.is_some() || args.test.is_some() || args.split_column.is_some();
    if estimator.task() == Task::Transformation && scored {
        let why = format!("{} transforms rows, which have no score: leave out --split and --test", estimator.name());
        return Err(CliError::Usage(why));
    }
    let chunk = chunks::chunk_rows(args, estimator)?;
    let placement = global.placement()?;
    let mut report = Report::new(estimator.name());
    report.parameters = estimator.parameters()?;
    report.seed = Some(global.seed.unwrap_or(0));
    report.files = args.data.inputs().chain(args.test.as_deref()).map(|path| path.display().to_string()).collect();
    if let Some(rows) = chunk {
        let placed = placement.or_cpu("a chunk of rows is too little work for a GPU");
        report.take_place(&placed);
        let (model, last) = chunks::fit(args, global, &pipeline, &placed.device, rows, &mut report)?;
        return Run { args, global, device: &placed.device, by_chunks: true }.finish(report, model, last, None);
    }
    let (loaded, test) = timed(&mut report.seconds, "load", || load(args, &pipeline, global))?;
    (report.rows, report.columns) = (loaded.data.rows(), loaded.data.columns());
    let mut weights = args.weight.as_deref().map(|column| weights(args, column, loaded.data.rows())).transpose()?;
    let rows = loaded.data.rows();
    let parts = match (args.split, &args.split_column) {
        (_, Some(column)) => Some(split_by_column(&args.data, column, rows)?),
        (Some(share), None) if args.last => Some(split_last(rows, share)?),
        (Some(share), None) => Some(split(&loaded.data, estimator.task(), share, global.seed.unwrap_or(0))?),
        (None, None) => None,
    };
    let (train, test) = match (parts, test) {
        (Some((train, test)), _) => {
            weights = weights.map(|weights| train.iter().map(|row| weights[*row]).collect());
            (loaded.data.select(&train)?, Some(loaded.data.select(&test)?))
        }
        (None, test) => (loaded.data, test),
    };
    let prepared = guarded(|| timed(&mut report.seconds, "prepare", || pipeline.prepare(&train)))?;
    let placed = prepared.place(&placement, test.as_ref().map_or(0, Dataset::rows))?;
    global.count(&placed.device);
    report.take_place(&placed);
    let run = Run { args, global, device: &placed.device, by_chunks: false };
    let model = guarded(|| run.fit(prepared, &placed, weights.as_deref(), &mut report))?;
    run.finish(report, model.with_targets(loaded.targets), train, test)
}

/// What was asked for.
struct Run<'a> {
    args: &'a FitArgs,
    global: &'a GlobalArgs,
    device: &'a Device,
    by_chunks: bool,
}

impl Run<'_> {
    /// Fits the model on the device; sparse rows stay on the host.
    fn fit(
        &self,
        prepared: Prepared,
        placed: &Placed,
        weights: Option<&[f32]>,
        report: &mut Report,
    ) -> CommandResult<PipelineModel> {
        let mut progress = Progress::new(self.global);
        let mut options = Fit::default().observer(&mut progress);
        if let Some(weights) = weights {
            options = options.sample_weight(weights);
        }
        if let Device::Gpu(_) = self.device {
            timed(&mut report.seconds, "upload", || prepared.rows_on(self.device))?;
        }
        Ok(timed(&mut report.seconds, "fit", || prepared.fit_placed(placed, options))?)
    }

    /// Saves, scores, draws and reports. A long fit is saved before anything else can go wrong. `train` has the fitted
    /// rows, of a fit by chunks the last ones.
    fn finish(&self, mut report: Report, model: PipelineModel, train: Dataset, test: Option<Dataset>) -> CommandResult {
        report.stopped = take_interrupted();
        report.take_model(&model);
        self.save(&mut report, &model)?;
        let fitted = model.model().fitted_prediction();
        report.scores = fitted.map_or_else(Scores::default, |fitted| Scores::of_groups(&fitted, &train.target));
        if model.model().task()? == Task::Transformation {
            let made = model.model().transformed_columns(&model.input_columns());
            report.transformed_columns = made.map(|columns| columns.names.len());
        }
        // The fit is reported before a picture that cannot be drawn ends the command.
        let (mut scored, mut drawn) = (None, Ok(()));
        if let Some(test) = test {
            scored = Some(self.score(&mut report, &model, test)?);
        }
        if let Some(path) = self.args.plot.as_ref().filter(|_| !report.stopped) {
            drawn = self.draw(path, &model, train, scored.as_ref());
            report.plot = drawn.is_ok().then(|| path.display().to_string());
        }
        self.take_fit(&mut report, &model);
        report.take_profile(self.global, self.device);
        if self.global.json {
            print_json(&report);
            return drawn;
        }
        print(&report.to_string());
        if let Some(ScoredRows { data, predicted: Predicted { prediction: Prediction::Classes(labels), .. } }) = &scored
        {
            print(&format!("\n{}", metrics::classification_report(data.labels()?, labels)?));
        }
        drawn
    }

    fn take_fit(&self, report: &mut Report, model: &PipelineModel) {
        let mut fit = model.model().report();
        if let Some(iterations) = fit.iterations.as_mut().filter(|_| self.by_chunks) {
            // One pass over a file has no end of its own to come to.
            iterations.converged = None;
        }
        report.take_fit(fit, model.input_columns().names);
    }

    fn save(&self, report: &mut Report, model: &PipelineModel) -> CommandResult {
        let Some(path) = &self.args.save else {
            if report.stopped {
                note(self.global, "stopped early; this is what there is, and it was not saved");
            }
            return Ok(());
        };
        guarded(|| model.save(path))?;
        report.saved = Some(path.display().to_string());
        if report.stopped {
            note(self.global, &format!("stopped early; what there is was saved to {}", path.display()));
        }
        Ok(())
    }

    fn score(&self, report: &mut Report, model: &PipelineModel, data: Dataset) -> CommandResult<ScoredRows> {
        let Aligned { x, sparse, .. } = model.align(&data)?;
        let data = Dataset { x, sparse, ..data };
        let predicted = predict(model, &data, true, self.device, self.global, &mut report.seconds)?;
        note_unknown_classes(model, &data.target, self.global);
        report.scores = predicted.scores(model, &data.target)?;
        if let Prediction::Classes(labels) = &predicted.prediction {
            report.confusion = Some(Confusion::of(data.labels()?, labels)?);
        }
        report.scored_rows = Some(data.rows());
        Ok(ScoredRows { data, predicted })
    }

    /// Draws the rows that were scored, or else those that were fitted.
    fn draw(&self, path: &Path, model: &PipelineModel, train: Dataset, scored: Option<&ScoredRows>) -> CommandResult {
        let device = self.device;
        dense(&train, "--plot")?;
        if let Some(ScoredRows { data, predicted }) = scored {
            return Ok(Picture { model, data, predicted, device, fitted: false }.save(path)?);
        }
        if model.model().task()? == Task::Transformation {
            return Ok(draw_transformed(model, &train, path)?);
        }
        let predicted = match model.model().fitted_prediction() {
            Some(prediction) => Predicted {
                inputs: model.transformed_input(&train.x)?,
                prediction,
                probabilities: None,
                inertia: None,
                decision: None,
            },
            None => predict(model, &train, true, device, self.global, &mut Seconds::default())?,
        };
        Ok(Picture { model, data: &train, predicted: &predicted, device, fitted: true }.save(path)?)
    }
}

/// Reads the data and, if there is one, the file of test rows.
fn load(args: &FitArgs, pipeline: &Pipeline, global: &GlobalArgs) -> CommandResult<(Loaded, Option<Dataset>)> {
    let mut data = args.data.clone();
    let columns = args.weight.iter().chain(&args.split_column).filter(|_| data.features.is_empty());
    data.drop.extend(columns.cloned());
    let loaded = data.read(pipeline, global)?;
    let Some(path) = &args.test else { return Ok((loaded, None)) };
    let test =
        KnownColumns::of(&loaded.data, pipeline.abilities().missing, &args.data.read).read(path, &loaded.targets)?;
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

/// How much each row counts, from a column of the data.
fn weights(args: &FitArgs, column: &str, rows: usize) -> CommandResult<Vec<f32>> {
    let mut options = args.data.read.options().features([column]);
    options.dates = vec![];
    let x = Dataset::read_all(&args.data.files(), &options)?.0.to_dense(1 << 32)?.x;
    if x.rows() != rows {
        let why = "--weight needs every row: leave out --missing drop and --drop-unlabelled";
        return Err(CliError::Usage(why.to_string()));
    }
    if x.categories(0).is_some() {
        return Err(CliError::Usage(format!("--weight takes a column of numbers, and {column} is text")));
    }
    Ok(x.into_vec())
}
