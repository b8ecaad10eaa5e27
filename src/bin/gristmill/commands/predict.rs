//! `gristmill predict`: the predictions of a saved model for the rows of a file.

use std::borrow::Cow;
use std::io::Write;
use std::path::PathBuf;

use gristmill::estimator::Prediction;
use gristmill::model_file::write_atomically_with;
use gristmill::prelude::*;
use serde::Serialize;

use crate::arguments::{GlobalArgs, ReadArgs, SavedModel, check_outputs};
use crate::report::{
    CliError, CommandResult, Predicted, Report, predict, print_json, quoted, write_numbers, write_out,
};

const EXAMPLES: &str = "Columns are matched by name, in any order; others are ignored.

Examples:
  gristmill predict iris.gm flowers.csv
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
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Adds the probability of each class, in columns p_<class>
    #[arg(long)]
    proba: bool,
    #[command(flatten)]
    read: ReadArgs,
}

/// The columns of the output: a name each, and a cell for each row.
struct Columns<'a> {
    names: Vec<String>,
    prediction: &'a Prediction,
    probabilities: Option<&'a Matrix>,
}

#[derive(Serialize)]
struct PredictReport {
    #[serde(flatten)]
    report: Report,
    #[serde(skip_serializing_if = "Option::is_none")]
    predictions: Option<Vec<serde_json::Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    classes: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    probabilities: Option<Vec<Vec<f32>>>,
}

pub fn run(args: &PredictArgs, global: &GlobalArgs) -> CommandResult {
    check_outputs([&args.out], [args.model.as_path(), &args.data])?;
    let saved = SavedModel::load(&args.model, &args.read)?;
    let device = global.open_device()?;
    let mut report = Report::new(saved.name(), &device);
    let data = saved.read_rows(&args.data, global, &mut report)?;
    let predicted = predict(&saved.model, &data, args.proba, &device, global, &mut report.seconds)?;
    if args.proba && predicted.probabilities.is_none() {
        let why = format!("{} gives no class probabilities; leave out --proba", saved.name());
        return Err(CliError::Usage(why));
    }
    report.take_profile(global, &device);
    let columns = Columns::new(&predicted, saved.model.targets());
    if let Some(path) = &args.out {
        write_atomically_with(path, |file| {
            let mut out = std::io::BufWriter::with_capacity(1 << 16, file);
            columns.write(&mut out).and_then(|()| out.flush())
        })?;
        report.saved = Some(path.display().to_string());
    }
    if global.json {
        print_json(&predict_report(report, &predicted, args.out.is_none()));
    } else if args.out.is_none() {
        write_out(|out| columns.write(out))?;
    }
    Ok(())
}

fn predict_report(report: Report, predicted: &Predicted, with_rows: bool) -> PredictReport {
    let probabilities = predicted.probabilities.as_ref().filter(|_| with_rows);
    let rows = |probabilities: &Matrix| (0..probabilities.rows()).map(|row| probabilities.row(row).to_vec()).collect();
    let predictions: Option<Vec<serde_json::Value>> = with_rows.then(|| match &predicted.prediction {
        Prediction::Classes(labels) => (0..labels.len()).map(|row| labels.name(row).into()).collect(),
        Prediction::Numbers(numbers) if numbers.columns() == 1 => {
            numbers.as_slice().iter().map(|number| (*number).into()).collect()
        }
        Prediction::Numbers(numbers) => (0..numbers.rows()).map(|row| numbers.row(row).to_vec().into()).collect(),
        Prediction::Clusters(clusters) => clusters.iter().map(|cluster| (*cluster).into()).collect(),
        Prediction::Outliers(outliers) => outliers.iter().map(|outlier| (*outlier).into()).collect(),
    });
    let classes = probabilities.and_then(|probabilities| probabilities.names()).map(<[String]>::to_vec);
    PredictReport { report, predictions, classes, probabilities: probabilities.map(rows) }
}

impl<'a> Columns<'a> {
    fn new(predicted: &'a Predicted, targets: &[String]) -> Columns<'a> {
        let (prediction, probabilities) = (&predicted.prediction, predicted.probabilities.as_ref());
        let mut names = match prediction {
            Prediction::Numbers(numbers) if numbers.columns() > 1 && targets.len() == numbers.columns() => {
                targets.to_vec()
            }
            Prediction::Numbers(numbers) if numbers.columns() > 1 => {
                (1..=numbers.columns()).map(|column| format!("prediction_{column}")).collect()
            }
            Prediction::Numbers(numbers) if numbers.names().is_some() => numbers.names().unwrap_or_default().to_vec(),
            _ => vec!["prediction".to_string()],
        };
        let classes = probabilities.and_then(Matrix::names).unwrap_or_default();
        names.extend(classes.iter().map(|class| format!("p_{class}")));
        Columns { names, prediction, probabilities }
    }

    fn write(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let header: Vec<Cow<str>> = self.names.iter().map(|name| quoted(name)).collect();
        writeln!(out, "{}", header.join(","))?;
        // A class is quoted once, not once a row.
        let classes: Vec<Cow<str>> = match self.prediction {
            Prediction::Classes(labels) => labels.names().iter().map(|name| quoted(name)).collect(),
            _ => vec![],
        };
        for row in 0..self.prediction.len() {
            match self.prediction {
                Prediction::Classes(labels) => write!(out, "{}", classes[labels.codes()[row] as usize])?,
                Prediction::Numbers(numbers) => write_numbers(out, numbers.row(row))?,
                Prediction::Clusters(clusters) => write!(out, "{}", clusters[row])?,
                Prediction::Outliers(outliers) => write!(out, "{}", outliers[row])?,
            }
            if let Some(probabilities) = self.probabilities {
                write!(out, ",")?;
                write_numbers(out, probabilities.row(row))?;
            }
            writeln!(out)?;
        }
        Ok(())
    }
}
