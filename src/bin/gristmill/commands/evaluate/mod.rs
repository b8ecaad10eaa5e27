//! `gristmill evaluate`: how good a saved model is on the rows of a file.

mod chunks;

use std::path::PathBuf;

use gristmill::Target;
use gristmill::estimator::Prediction;
use gristmill::metrics::{self, ConfusionMatrix};
use gristmill::selection::{CrossValidateOptions, Scoring, permutation_importance_with};
use gristmill::{Dataset, Device};

use crate::arguments::{
    GlobalArgs, OUTPUT, PlotArgs, READING, ReadArgs, SCORING, SavedModel, TargetArgs, brings_target, check_folder,
    check_outputs, check_target,
};
use crate::pictures::Picture;
use crate::report::{
    CliError, CommandResult, Confusion, FitNotes, Importance, Progress, Report, check_page, dense, guarded, note,
    note_unknown_classes, predict, print, print_json, quoted, timed, write_file, write_page,
};

/// Classes up to which the table of which are taken for which is shown.
const MOST_CLASSES: usize = 20;

const EXAMPLES: &str = "The target is the column that the model was fitted to, unless another is named.

Examples:
  gristmill evaluate digits.gm test.csv
  gristmill evaluate digits.gm test.csv --target digit --json
  gristmill evaluate digits.gm test.csv --permutation-importance 10
  gristmill evaluate digits.gm images.npy --labels labels.npy --plot test.svg";

/// What `evaluate` takes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct EvaluateArgs {
    /// The model file that `fit --save` wrote
    model: PathBuf,
    /// The rows to score it on
    data: PathBuf,
    #[command(flatten)]
    target: TargetArgs,
    /// Reports how much the first score drops when each column is permuted, this many times each
    #[arg(long, value_name = "TIMES", help_heading = SCORING)]
    permutation_importance: Option<usize>,
    /// Writes those to this CSV file too
    #[arg(long, value_name = "FILE.csv", requires = "permutation_importance", help_heading = OUTPUT)]
    importances: Option<PathBuf>,
    #[command(flatten)]
    plot: PlotArgs,
    /// Writes a report with parameters, scores, importances and pictures as one page of HTML
    #[arg(long, value_name = "FILE.html", help_heading = OUTPUT)]
    report: Option<PathBuf>,
    #[command(flatten)]
    read: ReadArgs,
    /// Reads a CSV, LIBSVM or NPY file this many rows at a time; only predictions and targets are kept
    #[arg(long, value_name = "ROWS", conflicts_with_all = ["permutation_importance", "plot", "report"], help_heading = READING)]
    chunk_rows: Option<usize>,
}

pub fn run(args: &EvaluateArgs, global: &GlobalArgs) -> CommandResult {
    let labels = args.target.labels.as_deref();
    let outputs = [&args.plot.plot, &args.importances, &args.report];
    check_outputs(outputs, [args.model.as_path(), &args.data].into_iter().chain(labels))?;
    args.plot.check()?;
    args.importances.as_deref().map_or(Ok(()), check_folder)?;
    args.report.as_deref().map_or(Ok(()), check_page)?;
    let saved = SavedModel::load(&args.model, &args.read)?;
    let placement = global.placement()?;
    let mut report = Report::new(saved.name());
    if FitNotes::of(&saved.model).is_some_and(|notes| notes.is_of(&args.data)) {
        note(global, "warning: the model was fitted on rows of this file, so their scores flatter");
    }
    let (data, predicted, device) = match args.chunk_rows {
        Some(rows) => {
            let placed = placement.or_cpu("a chunk of rows is too little work for a GPU");
            report.take_place(&placed);
            let (data, predicted) = chunks::predict_chunks(args, global, &saved, &placed.device, rows, &mut report)?;
            (data, predicted, placed.device)
        }
        None => {
            let data = timed(&mut report.seconds, "load", || read(args, global, &saved))?;
            let data = saved.align(data)?;
            (report.rows, report.columns) = (data.rows(), data.columns());
            let placed = global.place(&placement, saved.predict_cost(&data))?;
            report.take_place(&placed);
            let predicted = predict(&saved.model, &data, true, &placed.device, global, &mut report.seconds)?;
            (data, predicted, placed.device)
        }
    };
    report.scored_rows = Some(report.rows);
    note_unknown_classes(&saved.model, &data.target, global);
    report.take_model(&saved.model);
    report.files = [&args.model, &args.data].map(|path| path.display().to_string()).to_vec();
    if let Prediction::Classes(labels) = &predicted.prediction {
        report.confusion = Some(Confusion::of(data.labels()?, labels)?);
    }
    report.scores = predicted.scores(&saved.model, &data.target)?;
    if let Some(repeats) = args.permutation_importance {
        report.importances = permutation_importances(&saved, &data, repeats, global, &device)?;
    }
    if let Some(path) = &args.importances {
        write_file(path, |out| {
            writeln!(out, "column,loss,deviation")?;
            let row = |of: &Importance| format!("{},{},{}", quoted(&of.column), of.mean, of.deviation);
            report.importances.iter().try_for_each(|of| writeln!(out, "{}", row(of)))
        })?;
    }
    let mut figures = vec![];
    if args.plot.plot.is_some() || (args.report.is_some() && data.sparse.is_none()) {
        let (model, data) = (&saved.model, dense(&data, "--plot")?);
        figures = Picture { model, data, predicted: &predicted, device: &device, fitted: false }.figures()?;
    }
    report.plot = args.plot.save(&figures)?;
    if let Some(path) = &args.report {
        write_page(path, &report, &figures)?;
        report.page = Some(path.display().to_string());
    }
    report.take_profile(global, &device);
    if global.json {
        print_json(&report);
        return Ok(());
    }
    print(&report.to_string());
    if let Prediction::Classes(labels) = &predicted.prediction {
        print(&format!("\n{}", metrics::classification_report(data.labels()?, labels)?));
        let confusion = ConfusionMatrix::new(data.labels()?, labels)?;
        if confusion.classes().len() <= MOST_CLASSES {
            print(&format!("\n{confusion}"));
        }
    }
    Ok(())
}

/// What each column is worth to the model, the largest first.
fn permutation_importances(
    saved: &SavedModel,
    data: &Dataset,
    repeats: usize,
    global: &GlobalArgs,
    device: &Device,
) -> CommandResult<Vec<Importance>> {
    let scoring = Scoring::of_task(saved.task)?;
    let (x, target) = (&dense(data, "--permutation-importance")?.x, &data.target);
    let mut progress = Progress::new(global);
    let options = CrossValidateOptions::default().scoring([scoring]).device(device).observer(&mut progress);
    let seed = global.seed.unwrap_or(0);
    let found = guarded(|| permutation_importance_with(&saved.model, x, target, repeats, seed, options))?;
    let name = |column: usize| data.x.names().map_or_else(|| format!("x{column}"), |names| names[column].clone());
    let samples = found.importances().into_iter().enumerate();
    let mut all: Vec<Importance> = samples
        .map(|(column, sample)| Importance { column: name(column), mean: sample.mean, deviation: sample.deviation })
        .collect();
    all.sort_by(|one, other| other.mean.total_cmp(&one.mean));
    Ok(all)
}

/// The columns of the target: those that are named, or that the model remembers; none where a file brings it.
fn targets<'a>(args: &'a EvaluateArgs, saved: &'a SavedModel) -> &'a [String] {
    let remembered =
        saved.task.needs_target() && args.target.labels.is_none() && !brings_target(&args.data, &args.read);
    match args.target.target.is_empty() {
        true if remembered => saved.model.targets(),
        true => &[],
        false => &args.target.target,
    }
}

/// The rows with their target: from the column that is named or that the model remembers, or from a file of its own.
fn read(args: &EvaluateArgs, global: &GlobalArgs, saved: &SavedModel) -> CommandResult<Dataset> {
    let task = saved.task;
    let targets = targets(args, saved);
    // A file without the column that the model remembers is not the user's mistake in a flag.
    let read = saved.columns.read(&args.data, targets).map_err(|error| match args.target.target.is_empty() {
        true => CliError::Run(error),
        false => error.into(),
    })?;
    read.note_columns(global);
    let data = match &args.target.labels {
        Some(labels) => read.data.with_labels_file(labels)?,
        None => read.data,
    };
    if task.needs_target() || !matches!(data.target, Target::None) {
        check_target(saved.name(), task, &data.target)?;
    }
    Ok(data)
}
