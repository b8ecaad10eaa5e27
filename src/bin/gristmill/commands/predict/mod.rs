//! `gristmill predict`: the predictions of a saved model for the rows of a file.

mod chunks;
mod columns;
mod contributions;

use std::path::PathBuf;

use gristmill::data::Missing;
use gristmill::estimator::{Prediction, Task};
use gristmill::prelude::*;
use serde::Serialize;
use serde_json::{Map, Value};

use self::columns::{Columns, kept_text};
use self::contributions::Contributions;
use crate::arguments::{GlobalArgs, OUTPUT, READING, ReadArgs, SavedModel, check_outputs, of_flag};
use crate::report::{CliError, CommandResult, Predicted, Report, predict, print_json, write_file, write_out};

const EXAMPLES: &str = "Columns are matched by name, in any order; others are ignored.

Examples:
  gristmill predict iris.gm flowers.csv
  gristmill predict iris.gm flowers.csv --keep id --proba
  gristmill predict cancer.gm patients.csv --threshold 0.2
  gristmill predict cancer.gm patients.csv --contributions --out why.csv
  gristmill predict iris.gm flowers.csv.gz --proba --out classes.csv
  gristmill predict iris.gm flowers.csv --json --quiet";

/// What `predict` takes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct PredictArgs {
    /// The model file that `fit --save` wrote
    model: PathBuf,
    /// The rows to predict for; a target column is ignored
    data: PathBuf,
    /// Writes the CSV to this file instead of standard output; never a partial file
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    out: Option<PathBuf>,
    /// Adds the probability of each class, in columns p_<class>
    #[arg(long, help_heading = OUTPUT)]
    proba: bool,
    /// Of two classes, predicts the second where its probability is at least this, instead of the likelier one
    #[arg(long, value_name = "P", help_heading = OUTPUT)]
    threshold: Option<f32>,
    /// Adds how far each row is on the side of the others, in a column `score` that is below 0 for outliers
    #[arg(long, help_heading = OUTPUT)]
    scores: bool,
    /// Adds what each column adds to the prediction (Shapley values; of trees), in columns c_<column> with c_base, or c_<class>_<column> for classes; each row adds up to its probability, number, or score before the link of boosting
    #[arg(long, help_heading = OUTPUT)]
    contributions: bool,
    /// Copies these columns of the file in front of the predictions, such as an id
    #[arg(long, value_name = "COLS", value_delimiter = ',', allow_negative_numbers = true, help_heading = OUTPUT)]
    keep: Vec<String>,
    #[command(flatten)]
    read: ReadArgs,
    /// Reads a CSV, LIBSVM or NPY file and writes its predictions this many rows at a time, in memory that does not grow with it
    #[arg(long, value_name = "ROWS", help_heading = READING)]
    chunk_rows: Option<usize>,
}

#[derive(Serialize)]
struct PredictReport {
    #[serde(flatten)]
    report: Report,
    #[serde(skip_serializing_if = "Option::is_none")]
    predictions: Option<Vec<Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    classes: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    probabilities: Option<Vec<Vec<f32>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    row_scores: Option<Vec<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contributions: Option<Contributions>,
    /// The columns that were kept, row by row.
    #[serde(skip_serializing_if = "Option::is_none")]
    kept: Option<Vec<Map<String, Value>>>,
}

pub fn run(args: &PredictArgs, global: &GlobalArgs) -> CommandResult {
    check_outputs([&args.out], [args.model.as_path(), &args.data])?;
    let saved = SavedModel::load(&args.model, &args.read)?;
    let placement = global.placement()?;
    let mut report = Report::new(saved.name());
    if let Some(rows) = args.chunk_rows {
        let placed = placement.or_cpu("a chunk of rows is too little work for a GPU");
        report.take_place(&placed);
        return chunks::run(args, global, &saved, &placed.device, rows, report);
    }
    let data = saved.read_rows(&args.data, global, &mut report)?;
    let placed = global.place(&placement, saved.predict_cost(&data))?;
    report.take_place(&placed);
    let device = placed.device;
    let predicted = asked_for(args, &saved, &data, &device, global, &mut report)?;
    let kept = if args.keep.is_empty() { None } else { Some(kept_columns(args, data.rows())?) };
    let contributions = args.contributions.then(|| Contributions::of(&saved, &data)).transpose()?;
    report.take_profile(global, &device);
    let columns = Columns::new(&predicted, saved.model.targets(), kept.as_ref(), contributions.as_ref());
    if let Some(path) = &args.out {
        write_file(path, |out| columns.write(out))?;
        report.saved = Some(path.display().to_string());
    }
    if global.json {
        let with_rows = args.out.is_none();
        let told = predict_report(report, &predicted, kept.as_ref(), with_rows);
        print_json(&PredictReport { contributions: contributions.filter(|_| with_rows), ..told });
    } else if args.out.is_none() {
        write_out(|out| columns.write(out))?;
    }
    Ok(())
}

/// Predictions with what is asked for beside them.
fn asked_for(
    args: &PredictArgs,
    saved: &SavedModel,
    data: &Dataset,
    device: &Device,
    global: &GlobalArgs,
    report: &mut Report,
) -> CommandResult<Predicted> {
    let in_full = args.proba || args.scores || args.threshold.is_some();
    let mut predicted = predict(&saved.model, data, in_full, device, global, &mut report.seconds)?;
    for (asked, flag) in [(args.proba, "--proba"), (args.threshold.is_some(), "--threshold")] {
        if asked && predicted.probabilities.is_none() {
            let why = format!("{} gives no class probabilities; leave out {flag}", saved.name());
            return Err(CliError::Usage(why));
        }
    }
    if let Some(threshold) = args.threshold {
        predicted.prediction = above_threshold(&predicted, threshold)?;
    }
    if args.scores && predicted.decision.is_none() {
        let why = match saved.model.model().task()? {
            Task::Density => "predicts the logarithm of each row's density, which is its score",
            _ => "gives no scores of rows",
        };
        return Err(CliError::Usage(format!("{} {why}; leave out --scores", saved.name())));
    }
    predicted.probabilities = predicted.probabilities.filter(|_| args.proba);
    predicted.decision = predicted.decision.filter(|_| args.scores);
    Ok(predicted)
}

/// Of two classes the second where its probability is at least the threshold.
fn above_threshold(predicted: &Predicted, threshold: f32) -> CommandResult<Prediction> {
    if !(0.0..=1.0).contains(&threshold) {
        return Err(CliError::Usage(format!("--threshold takes a probability from 0 to 1; got {threshold}")));
    }
    match (&predicted.prediction, &predicted.probabilities) {
        (Prediction::Classes(labels), Some(probabilities)) if labels.classes() == 2 => {
            let above = |row: usize| u32::from(probabilities.get(row, 1) >= threshold);
            Ok(Prediction::Classes(labels.with_codes((0..labels.len()).map(above).collect())?))
        }
        (Prediction::Classes(labels), _) => {
            let why = "--threshold is for two classes, and the model knows";
            Err(CliError::Usage(format!("{why} {}", labels.classes())))
        }
        _ => Err(CliError::Usage("--threshold is for classes".to_string())),
    }
}

/// Columns of the file by name or number, as codes of their texts.
fn kept_columns(args: &PredictArgs, rows: usize) -> CommandResult<Matrix> {
    let mut options = args.read.options().missing(Missing::Keep).features(&args.keep).categorical(&args.keep);
    (options.na, options.dates) = (Some(vec![]), vec![]);
    let x = Dataset::read_with(&args.data, &options).map_err(of_flag("--keep"))?.to_dense(1 << 32)?.x;
    if x.rows() != rows {
        let why = format!("--keep found {} rows, and {rows} were predicted", x.rows());
        return Err(CliError::Usage(why));
    }
    match x.names() {
        Some(_) => Ok(x),
        None => Ok(x.with_names(args.keep.iter().map(|column| format!("column_{column}")))?),
    }
}

/// A number with as many digits as it has.
fn number(numbers: &Matrix, row: usize, column: usize) -> Value {
    match numbers.get(row, column) {
        rounded if f64::from(rounded) == numbers.get_f64(row, column) => rounded.into(),
        _ => numbers.get_f64(row, column).into(),
    }
}

fn predict_report(report: Report, predicted: &Predicted, kept: Option<&Matrix>, with_rows: bool) -> PredictReport {
    let kept_row = |kept: &Matrix, row: usize| {
        let names = kept.names().unwrap_or_default().iter().enumerate();
        names.map(|(column, name)| (name.clone(), kept_text(kept, row, column).into())).collect::<Map<String, Value>>()
    };
    let kept = kept.filter(|_| with_rows).map(|kept| (0..kept.rows()).map(|row| kept_row(kept, row)).collect());
    let probabilities = predicted.probabilities.as_ref().filter(|_| with_rows);
    let rows = |probabilities: &Matrix| (0..probabilities.rows()).map(|row| probabilities.row(row).to_vec()).collect();
    let predictions: Option<Vec<Value>> = with_rows.then(|| match &predicted.prediction {
        Prediction::Classes(labels) => (0..labels.len()).map(|row| labels.name(row).into()).collect(),
        Prediction::Numbers(numbers) if numbers.columns() == 1 => {
            (0..numbers.rows()).map(|row| number(numbers, row, 0)).collect()
        }
        Prediction::Numbers(numbers) => {
            let values = |row: usize| (0..numbers.columns()).map(|column| number(numbers, row, column)).collect();
            (0..numbers.rows()).map(values).collect()
        }
        Prediction::Clusters(clusters) => clusters.iter().map(|cluster| (*cluster).into()).collect(),
        Prediction::Outliers(outliers) => outliers.iter().map(|outlier| (*outlier).into()).collect(),
    });
    let classes = probabilities.and_then(|probabilities| probabilities.names()).map(<[String]>::to_vec);
    let row_scores = predicted.decision.clone().filter(|_| with_rows);
    let (probabilities, contributions) = (probabilities.map(rows), None);
    PredictReport { report, predictions, classes, probabilities, row_scores, contributions, kept }
}
