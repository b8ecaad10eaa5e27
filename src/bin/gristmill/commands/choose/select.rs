//! `gristmill select`: which columns.

use clap::ValueEnum;
use gristmill::plot::Figure;
use gristmill::prelude::*;
use gristmill::selection::stats::Sample;
use gristmill::selection::{
    ColumnPath, ColumnStep, Criterion, Scoring, SubsetPath, backward_elimination, backward_subsets, best_subset,
    cross_validate_with, forward_selection, forward_subsets, recursive_elimination,
};
use serde::Serialize;

use super::{ChooseArgs, column_name, scoring};
use crate::arguments::{FoldArgs, GlobalArgs, PlotArgs, SCORING};
use crate::report::{CliError, CommandResult, guarded, number, show, table};

const EXAMPLES: &str = "Examples:
  gristmill select linear-regression data/diabetes.csv --target progression
  gristmill select linear-regression data/diabetes.csv --target progression --by cp --plot cp.svg
  gristmill select ridge data/diabetes.csv --target progression --method forward --by cv
  gristmill select kneighbors-classifier data/wine.csv --target class --scale --method backward
  gristmill select random-forest-classifier data/breast_cancer.csv --target diagnosis --method recursive";

/// What `select` takes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct SelectArgs {
    #[command(flatten)]
    choose: ChooseArgs,
    /// How columns are tried; best, of least squares, looks at every subset of up to 30 columns
    #[arg(long, value_name = "HOW", help_heading = SCORING)]
    method: Option<Method>,
    /// What decides: cv (cross-validation), or for linear-regression cp, aic, bic, bic_of_variance, adjusted_r2
    #[arg(long, value_name = "WHAT", help_heading = SCORING)]
    by: Option<String>,
    /// The score to select by, with cross-validation
    #[arg(long, value_name = "S", help_heading = SCORING)]
    scoring: Option<String>,
    #[command(flatten)]
    folds: FoldArgs,
    #[command(flatten)]
    plot: PlotArgs,
}

/// How columns are tried.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Method {
    /// Every subset, exactly
    Best,
    /// One more at a time
    Forward,
    /// One less at a time
    Backward,
    /// One less at a time: the one that matters least to the fitted model
    Recursive,
}

#[derive(Serialize)]
struct SelectReport {
    model: String,
    method: Method,
    by: String,
    rows: usize,
    columns: usize,
    greater_is_better: bool,
    sizes: Vec<Size>,
    /// The columns of the best size.
    best: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plot: Option<String>,
}

#[derive(Serialize)]
struct Size {
    columns: Vec<String>,
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    deviation: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    residual: Option<f64>,
}

pub fn run(args: &SelectArgs, global: &GlobalArgs) -> CommandResult {
    let pipeline = args.choose.pipeline(global)?;
    let is_least_squares = pipeline.estimator().name() == "linear-regression" && pipeline.steps().is_empty();
    let criterion = match args.by.as_deref() {
        None if is_least_squares => Some(Criterion::Bic),
        None | Some("cv") => None,
        Some(name) => Some(name.parse::<Criterion>().map_err(|error| CliError::Usage(format!("--by: {error}")))?),
    };
    let method = args.method.unwrap_or(if is_least_squares { Method::Best } else { Method::Forward });
    if criterion.is_some() && (!is_least_squares || method == Method::Recursive) {
        let why = "--by compares least squares fits: use linear-regression without steps, or --by cv";
        return Err(CliError::Usage(why.to_string()));
    }
    args.plot.check()?;
    let (data, folds) = args.choose.load_with_folds(&args.folds, &pipeline, global)?;
    let score = scoring(args.scoring.as_deref(), &pipeline);
    let names = |columns: &[usize]| columns.iter().map(|column| column_name(&data, *column)).collect::<Vec<_>>();
    let mut report = SelectReport {
        model: pipeline.estimator().name().to_string(),
        method,
        by: criterion.map_or_else(|| "cv".to_string(), |criterion| criterion.name().to_string()),
        rows: data.rows(),
        columns: data.columns(),
        greater_is_better: true,
        sizes: vec![],
        best: vec![],
        plot: None,
    };
    match criterion {
        Some(criterion) => {
            let path = guarded(|| subsets(method, &data))?;
            report.greater_is_better = criterion.greater_is_better();
            report.best = names(&path.best(criterion).columns);
            let size = |subset: &gristmill::selection::Subset| Size {
                columns: names(&subset.columns),
                value: subset.criterion(criterion),
                deviation: None,
                residual: Some(subset.fit.residual),
            };
            report.sizes = path.subsets.iter().map(size).collect();
        }
        None => {
            let score = score?;
            let path = guarded(|| by_score(method, &pipeline, &data, &folds, score))?;
            (report.by, report.greater_is_better) = (score.name().to_string(), score.greater_is_better());
            report.best = names(&path.best().columns);
            let size = |step: &ColumnStep| Size {
                columns: names(&step.columns),
                value: step.score.mean,
                deviation: Some(step.score.deviation),
                residual: None,
            };
            report.sizes = path.steps.iter().map(size).collect();
        }
    }
    report.plot = args.plot.save(&[picture(&report)])?;
    show(global, &report, describe);
    Ok(())
}

fn subsets(method: Method, data: &Dataset) -> Result<SubsetPath> {
    match method {
        Method::Best => best_subset(data),
        Method::Forward => forward_subsets(data),
        _ => backward_subsets(data),
    }
}

fn by_score(method: Method, pipeline: &Pipeline, data: &Dataset, folds: &Folds, score: Scoring) -> Result<ColumnPath> {
    let options = || CrossValidateOptions::default().scoring([score]);
    match method {
        Method::Forward => forward_selection(pipeline, data, folds, data.columns(), options()),
        Method::Backward => backward_elimination(pipeline, data, folds, 1, options()),
        Method::Recursive => recursive_elimination(pipeline, data, folds, 1, options()),
        Method::Best => {
            let subsets = best_subset(data)?.subsets.into_iter().filter(|subset| !subset.columns.is_empty());
            let step = |subset: gristmill::selection::Subset| -> Result<ColumnStep> {
                let part = Dataset::new(data.x.select_columns(&subset.columns)?, data.target.clone())?;
                let score: Sample = cross_validate_with(pipeline, &part, folds, options())?.score();
                Ok(ColumnStep { columns: subset.columns, score })
            };
            Ok(ColumnPath { steps: subsets.map(step).collect::<Result<_>>()?, scoring: score })
        }
    }
}

fn picture(report: &SelectReport) -> Figure {
    let figure = Figure::new().title("Columns").x_label("number of columns").y_label(report.by.clone());
    let points = || report.sizes.iter().map(|size| (size.columns.len() as f64, size));
    let band = points().filter_map(|(at, size)| size.deviation.map(|own| (at, size.value - own, size.value + own)));
    figure.band(band).steps("", points().map(|(at, size)| (at, size.value)))
}

fn describe(report: &SelectReport) -> String {
    let method = format!("{:?}", report.method).to_lowercase();
    let head = format!("{}: {} of {} columns, {} rows", report.model, method, report.columns, report.rows);
    let mut shown = table(&["columns", &report.by, "which"]);
    for size in &report.sizes {
        let value = match size.deviation {
            Some(deviation) => format!("{} ± {}", number(size.value), number(deviation)),
            None => number(size.value),
        };
        shown.add_row([size.columns.len().to_string(), value, size.columns.join(", ")]);
    }
    let way = if report.greater_is_better { "largest" } else { "least" };
    let mut parts = vec![head, shown.to_string(), format!("best ({way} {}): {}", report.by, report.best.join(", "))];
    parts.extend(report.plot.as_ref().map(|path| format!("picture: {path}")));
    parts.join("\n")
}
