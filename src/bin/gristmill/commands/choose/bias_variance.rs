//! `gristmill bias-variance`: where the error of a model comes from.

use gristmill::datasets::notes;
use gristmill::plot::Figure;
use gristmill::prelude::*;
use gristmill::selection::{BiasVariance, Truth, bias_variance, bias_variance_by_generator};
use serde::Serialize;

use super::ChooseArgs;
use crate::arguments::{GlobalArgs, PlotArgs, SCORING, split_list};
use crate::report::{CliError, CommandResult, guarded, number, show, table};
use gristmill::registry::parse_value;

const EXAMPLES: &str = "Examples:
  gristmill bias-variance decision-tree-regressor data/diabetes.csv --target progression --over max_depth=1,2,4,8
  gristmill bias-variance kneighbors-classifier data/wine.csv --target class --scale --over n_neighbors=1,5,25
  gristmill bias-variance ridge notes:wide --over alpha=0.1,1,3,10,30,100 --repeats 200 --plot ridge.svg
  gristmill bias-variance kneighbors-regressor notes:sines --over n_neighbors=1,3,9,24";

/// Test rows of a generator.
const TEST_SEED: u64 = 1 << 40;

/// What `bias-variance` takes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct BiasVarianceArgs {
    #[command(flatten)]
    choose: ChooseArgs,
    /// Values of a parameter to compare, such as alpha=0.1,1,10
    #[arg(long, value_name = "KEY=V1,V2,...", help_heading = SCORING)]
    over: Option<String>,
    /// Fits of each value: bootstrap samples of a file, or draws of notes:wide, notes:sines, notes:quartic
    #[arg(long, value_name = "N", default_value_t = 100, help_heading = SCORING)]
    repeats: usize,
    /// The share of a file's rows to draw from; the others are predicted
    #[arg(long, value_name = "SHARE", default_value_t = 0.7, help_heading = SCORING)]
    split: f64,
    #[command(flatten)]
    plot: PlotArgs,
}

#[derive(Serialize)]
struct BiasVarianceReport {
    model: String,
    over: String,
    fits: usize,
    /// squared or zero_one.
    loss: &'static str,
    /// Whether the noise is known, and apart.
    noise_known: bool,
    values: Vec<Parts>,
    /// The value with the least error.
    #[serde(skip_serializing_if = "Option::is_none")]
    best: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plot: Option<String>,
}

#[derive(Serialize)]
struct Parts {
    value: String,
    bias: f64,
    variance: f64,
    noise: f64,
    error: f64,
}

pub fn run(args: &BiasVarianceArgs, global: &GlobalArgs) -> CommandResult {
    let pipeline = args.choose.pipeline(global)?;
    args.plot.check()?;
    let (key, pipelines) = candidates(args.over.as_deref(), &pipeline)?;
    let name = args.choose.data.data.display().to_string();
    let generator = name.strip_prefix("notes:").map(Generator::find).transpose()?;
    let data = match generator {
        Some(_) => None,
        None => Some(args.choose.load(None, &pipeline, global)?.split(args.split, global.seed.unwrap_or(0))?),
    };
    let one = |pipeline: &Pipeline| match (&generator, &data) {
        (Some(generator), _) => generator.measure(pipeline, args.repeats, global.seed.unwrap_or(0)),
        (None, Some((train, test))) => bias_variance(pipeline, train, test, args.repeats, global.seed.unwrap_or(0)),
        (None, None) => Err(Error::shape("bias-variance", "data", "none")),
    };
    let mut values = vec![];
    for (value, pipeline) in &pipelines {
        let BiasVariance { bias, variance, noise, error, .. } = guarded(|| one(pipeline))?;
        values.push(Parts { value: value.clone(), bias, variance, noise, error });
    }
    let least = (1..values.len()).fold(0, |best, at| if values[at].error < values[best].error { at } else { best });
    let classes = pipeline.estimator().task() == gristmill::estimator::Task::Classification;
    let mut report = BiasVarianceReport {
        model: pipeline.estimator().name().to_string(),
        fits: args.repeats,
        loss: if classes { "zero_one" } else { "squared" },
        noise_known: generator.is_some(),
        best: (values.len() > 1).then(|| values[least].value.clone()),
        over: key,
        values,
        plot: None,
    };
    report.plot = args.plot.save(&[picture(&report)?])?;
    show(global, &report, describe);
    Ok(())
}

/// The pipeline as it is, or with each value.
fn candidates(over: Option<&str>, pipeline: &Pipeline) -> CommandResult<(String, Vec<(String, Pipeline)>)> {
    let Some(text) = over else { return Ok((String::new(), vec![("as set".to_string(), pipeline.clone())])) };
    let wrong = || CliError::Usage(format!("--over takes KEY=V1,V2,…; got {text:?}"));
    let (key, list) =
        text.split_once('=').filter(|(key, list)| !key.is_empty() && !list.is_empty()).ok_or_else(wrong)?;
    let one = |word: &str| Ok((word.to_string(), pipeline.set(key, parse_value(word)?)?));
    let found = split_list(list).into_iter().map(one).collect::<gristmill::Result<Vec<_>>>()?;
    Ok((key.to_string(), found))
}

/// A generator with a known truth.
struct Generator {
    draw: fn(u64) -> Result<Dataset>,
    truth: fn(&[f32]) -> f64,
    noise_variance: f64,
}

impl Generator {
    fn find(name: &str) -> CommandResult<Generator> {
        match name {
            "wide" => Ok(Generator { draw: notes::wide, truth: notes::wide_at, noise_variance: 1.0 }),
            "sines" => Ok(Generator {
                draw: |seed| Ok(notes::sines(seed)?.0),
                truth: |row| notes::sines_at(f64::from(row[0])),
                noise_variance: 0.09,
            }),
            "quartic" => Ok(Generator {
                draw: notes::quartic,
                truth: |row| notes::quartic_at(f64::from(row[0])),
                noise_variance: 0.04,
            }),
            _ => Err(CliError::Usage(format!(
                "there is no generator notes:{name}: notes:wide, notes:sines, notes:quartic"
            ))),
        }
    }

    fn measure(&self, pipeline: &Pipeline, repeats: usize, seed: u64) -> Result<BiasVariance> {
        let test = (self.draw)(seed.wrapping_add(TEST_SEED))?;
        let values: Vec<f64> = (0..test.rows()).map(|row| (self.truth)(test.x.row(row))).collect();
        let truth = Truth::Numbers { values: &values, noise_variance: self.noise_variance };
        let draw = |repeat: u64| (self.draw)(seed.wrapping_add(repeat));
        bias_variance_by_generator(pipeline, &draw, &test.x, &truth, repeats)
    }
}

fn picture(report: &BiasVarianceReport) -> gristmill::Result<Figure> {
    let numbers: Option<Vec<f64>> = report.values.iter().map(|parts| parts.value.parse().ok()).collect();
    let mut figure = Figure::new().title("Bias and variance").x_label(report.over.clone()).y_label("error");
    let places = match numbers {
        Some(numbers) => {
            let (low, high) =
                numbers.iter().fold((f64::MAX, f64::MIN), |(low, high), at| (low.min(*at), high.max(*at)));
            if low > 0.0 && high >= 100.0 * low {
                figure = figure.logarithmic_x();
            }
            numbers
        }
        None => {
            let names: Vec<&str> = report.values.iter().map(|parts| parts.value.as_str()).collect();
            figure = figure.x_names(&names)?;
            (0..names.len()).map(|at| at as f64).collect()
        }
    };
    let line = |part: fn(&Parts) -> f64| places.iter().copied().zip(report.values.iter().map(part)).collect::<Vec<_>>();
    let bias = if report.loss == "squared" { "bias²" } else { "bias" };
    figure = figure.steps(bias, line(|parts| parts.bias)).steps("variance", line(|parts| parts.variance));
    figure = figure.steps("error", line(|parts| parts.error));
    Ok(if report.noise_known { figure.dashed("noise", line(|parts| parts.noise)) } else { figure })
}

fn describe(report: &BiasVarianceReport) -> String {
    let bias = if report.loss == "squared" { "bias²" } else { "bias" };
    let over = if report.over.is_empty() { "parameters" } else { &report.over };
    let mut shown = table(&[over, bias, "variance", "noise", "error"]);
    for parts in &report.values {
        let noise = if report.noise_known { number(parts.noise) } else { String::new() };
        shown.add_row([parts.value.clone(), number(parts.bias), number(parts.variance), noise, number(parts.error)]);
    }
    let mut lines = vec![format!("{}: {} fits of each", report.model, report.fits), shown.to_string()];
    if !report.noise_known {
        lines.push("The noise of the targets is not known, and is part of the bias.".to_string());
    }
    lines.extend(report.best.as_ref().map(|best| format!("least error: {over}={best}")));
    lines.extend(report.plot.as_ref().map(|path| format!("picture: {path}")));
    lines.join("\n")
}
