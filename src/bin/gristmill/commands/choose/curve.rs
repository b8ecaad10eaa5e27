//! `gristmill curve`: scores over the rows, a parameter or the iterations.

use gristmill::plot::Figure;
use gristmill::prelude::*;
use gristmill::registry::parse_value;
use gristmill::selection::stats::Sample;
use gristmill::selection::{Curve, iteration_curve, learning_curve_with, validation_curve_with};
use serde::Serialize;
use serde_json::Value;

use super::{ChooseArgs, scoring};
use crate::arguments::{FoldArgs, GlobalArgs, PlotArgs, SCORING, split_list};
use crate::report::{CliError, CommandResult, Progress, guarded, number, show, table};

const EXAMPLES: &str = "Examples:
  gristmill curve kneighbors-classifier data/digits.csv --target digit
  gristmill curve ridge data/diabetes.csv --target progression --over alpha=0.001,0.01,0.1,1,10 --plot alpha.svg
  gristmill curve kneighbors-classifier data/wine.csv --target class --scale --over n_neighbors=1..29
  gristmill curve gradient-boosting-regressor data/diabetes.csv --target progression --over iterations";

/// Shares of the rows of a learning curve.
const SHARES: [f64; 8] = [0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 1.0];
/// Iterations that the page shows; the JSON object has all.
const SHOWN: usize = 20;

/// What `curve` takes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct CurveArgs {
    #[command(flatten)]
    choose: ChooseArgs,
    /// What changes: rows, iterations, or a parameter as KEY=V1,V2,... or KEY=1..29
    #[arg(long, value_name = "WHAT", default_value = "rows", help_heading = SCORING)]
    over: String,
    /// The score
    #[arg(long, value_name = "S", help_heading = SCORING)]
    scoring: Option<String>,
    #[command(flatten)]
    folds: FoldArgs,
    #[command(flatten)]
    plot: PlotArgs,
}

#[derive(Serialize)]
struct CurveReport {
    model: String,
    over: String,
    score: String,
    rows: usize,
    points: Vec<Point>,
    /// The value with the best score on new rows; none of rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    best: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plot: Option<String>,
}

/// A value, and mean and half of the 95 % confidence interval on fitted and on new rows.
#[derive(Serialize)]
struct Point {
    value: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    train: Option<[f64; 2]>,
    test: [f64; 2],
}

/// What `--over` asks for.
enum Over {
    Rows,
    Iterations,
    Parameter(String, Vec<Value>),
}

pub fn run(args: &CurveArgs, global: &GlobalArgs) -> CommandResult {
    let pipeline = args.choose.pipeline(global)?;
    let over = parse_over(&args.over)?;
    args.plot.check()?;
    let (data, folds) = args.choose.load_with_folds(&args.folds, &pipeline, global)?;
    let model = pipeline.estimator().name().to_string();
    let (mut report, figure) = match over {
        Over::Iterations => {
            let curve = guarded(|| iteration_curve(&pipeline, &data, &folds))?;
            let points = curve.validation.iter().enumerate().map(|(at, test)| point(at + 1, curve.train.get(at), test));
            let points = points.collect::<gristmill::Result<Vec<Point>>>()?;
            let best = Some(curve.best().to_string());
            let (over, score) = ("iterations".to_string(), "loss".to_string());
            (CurveReport { model, over, score, rows: data.rows(), points, best, plot: None }, curve.figure())
        }
        over => {
            let score = scoring(args.scoring.as_deref(), &pipeline)?;
            let mut progress = Progress::new(global);
            let options = CrossValidateOptions::default().scoring([score]).observer(&mut progress);
            let curve = guarded(|| match &over {
                Over::Parameter(name, values) => validation_curve_with(&pipeline, &data, &folds, name, values, options),
                _ => learning_curve_with(&pipeline, &data, &folds, &SHARES, options),
            })?;
            of_curve(model, &curve, data.rows())?
        }
    };
    report.plot = args.plot.save(&[figure])?;
    show(global, &report, describe);
    Ok(())
}

fn of_curve(model: String, curve: &Curve, rows: usize) -> gristmill::Result<(CurveReport, Figure)> {
    let point = |at: usize| point(&curve.labels[at], curve.train.get(at), &curve.test[at]);
    let points = (0..curve.labels.len()).map(point).collect::<gristmill::Result<Vec<Point>>>()?;
    let sign = if curve.scoring.greater_is_better() { 1.0 } else { -1.0 };
    let value = |at: usize| sign * curve.test[at].mean;
    let best = (1..curve.test.len()).fold(0, |best, at| if value(at) > value(best) { at } else { best });
    let best = (curve.along != "rows").then(|| curve.labels[best].clone());
    let (over, score) = (curve.along.clone(), curve.scoring.name().to_string());
    Ok((CurveReport { model, over, score, rows, points, best, plot: None }, curve.figure()?))
}

fn point(value: impl ToString, train: Option<&Sample>, test: &Sample) -> gristmill::Result<Point> {
    let pair = |sample: &Sample| Ok::<_, gristmill::Error>([sample.mean, sample.half_width(0.95)?]);
    Ok(Point { value: value.to_string(), train: train.map(pair).transpose()?, test: pair(test)? })
}

/// `rows`, `iterations`, `key=v1,v2,…` or `key=1..29`.
fn parse_over(text: &str) -> CommandResult<Over> {
    let wrong = || CliError::Usage(format!("--over takes rows, iterations, KEY=V1,V2,… or KEY=1..29; got {text:?}"));
    match text {
        "rows" => return Ok(Over::Rows),
        "iterations" => return Ok(Over::Iterations),
        _ => {}
    }
    let (key, list) =
        text.split_once('=').filter(|(key, list)| !key.is_empty() && !list.is_empty()).ok_or_else(wrong)?;
    let values = match list.split_once("..") {
        Some((low, high)) => {
            let (low, high) = (low.parse::<i64>().map_err(|_| wrong())?, high.parse::<i64>().map_err(|_| wrong())?);
            (low..=high).map(Value::from).collect()
        }
        None => split_list(list).into_iter().map(parse_value).collect::<gristmill::Result<Vec<Value>>>()?,
    };
    Ok(Over::Parameter(key.to_string(), values))
}

fn describe(report: &CurveReport) -> String {
    let head = format!("{} over {}: {} rows", report.model, report.over, report.rows);
    let mut shown =
        table(&[&report.over, &format!("{}, fitted rows", report.score), &format!("{}, new rows", report.score)]);
    let words = |[mean, half]: &[f64; 2]| match half.is_finite() {
        true => format!("{} ± {}", number(*mean), number(*half)),
        false => number(*mean),
    };
    let every =
        report.points.len().div_ceil(if report.over == "iterations" { SHOWN } else { report.points.len().max(1) });
    for point in report.points.iter().step_by(every.max(1)) {
        shown.add_row([point.value.clone(), point.train.as_ref().map_or(String::new(), words), words(&point.test)]);
    }
    let mut parts = vec![head, shown.to_string(), "± is half of the 95 % confidence interval of the mean.".to_string()];
    parts.extend(report.best.as_ref().map(|best| format!("best on new rows: {}={best}", report.over)));
    parts.extend(report.plot.as_ref().map(|path| format!("picture: {path}")));
    parts.join("\n")
}
