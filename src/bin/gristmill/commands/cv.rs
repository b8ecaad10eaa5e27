//! `gristmill cv`: cross-validation and grid search.

use std::collections::BTreeMap;
use std::path::PathBuf;

use gristmill::estimator::{Estimator, FitShape};
use gristmill::placement::{Placed, Placement};
use gristmill::plot::{self, Figure};
use gristmill::prelude::*;
use gristmill::registry::parse_value;
use gristmill::selection::stats::Sample;
use gristmill::selection::{
    Candidate, CrossValidateOptions, CrossValidation, Folds, GridSearch, GridSearchResult, Scoring, learning_curve_with,
};
use serde::Serialize;
use serde_json::Value;

use crate::arguments::{DataArgs, FoldArgs, GlobalArgs, Loaded, ModelArgs, check_folder, check_outputs, split_list};
use crate::pictures::check_picture;
use crate::report::{CliError, CommandResult, Progress, Seconds, guarded, label, number, profile, show, table, timed};

const EXAMPLES: &str = "Examples:
  gristmill cv kneighbors-classifier data/digits.csv --target digit --folds 5
  gristmill cv kneighbors-classifier data/wine.csv --target class --scale --grid n_neighbors=1,5,15 --grid weights=uniform,distance
  gristmill cv ridge data/diabetes.csv --target progression --grid alpha=0.01,0.1,1,10 --scoring rmse --plot alpha.svg
  gristmill cv kmeans data/iris.csv --drop species --grid n_clusters=2,3,4,5
  gristmill cv decision-tree-classifier data/wine.csv --target class --grid max_depth=1,2,3,none --plot depth.svg
  gristmill cv gradient-boosting-regressor data/diabetes.csv --target progression --grid learning_rate=0.03,0.1 --grid max_leaf_nodes=4,8,31
  gristmill cv ada-boost-classifier data/breast_cancer.csv --target diagnosis --grid estimator.max_depth=1,2,3
  gristmill cv ridge data/diabetes.csv --target progression --step polynomial-features:degree=2 --grid alpha=0.1,1,10
  gristmill cv ridge data/diabetes.csv --target progression --repeats 10
  gristmill cv ridge visits.csv --target cost --group patient
  gristmill cv ridge sales.csv --target sold --time day --gap 7
  gristmill cv voting-classifier data/wine.csv --target class --set estimators=random-forest-classifier,ada-boost-classifier";

/// Combinations of three or more parameters that a picture shows.
const MOST_SHOWN: usize = 30;

/// What `cv` takes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct CvArgs {
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    data: DataArgs,
    #[command(flatten)]
    folds: FoldArgs,
    /// Values of a parameter to try, such as n_neighbors=1,5,15; several --grid try every combination
    #[arg(long, value_name = "KEY=V1,V2,…")]
    grid: Vec<String>,
    #[arg(long, value_name = "S", help = scoring_help())]
    scoring: Option<String>,
    /// Fits the best parameters on all rows and writes the model to this file
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Draws the learning curve, or the scores over the grid, into this SVG file
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
}

/// What `cv` reports.
#[derive(Serialize)]
struct CvReport {
    model: String,
    device: String,
    /// Why there.
    why: String,
    rows: usize,
    columns: usize,
    seconds: Seconds,
    /// What decides.
    scoring: Scoring,
    /// The means over the folds, of the best parameters if there were several.
    scores: BTreeMap<&'static str, f64>,
    /// The standard deviations over the folds.
    deviations: BTreeMap<&'static str, f64>,
    /// The score of each fold; null where it cannot be computed.
    folds: BTreeMap<&'static str, Vec<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    best: Option<BTreeMap<String, Value>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    candidates: Vec<Tried>,
    #[serde(skip_serializing_if = "Option::is_none")]
    saved: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plot: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<gristmill::Profile>,
}

/// One combination of parameters.
#[derive(Serialize)]
struct Tried {
    parameters: BTreeMap<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mean: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deviation: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

pub fn run(args: &CvArgs, global: &GlobalArgs) -> CommandResult {
    let pipeline = args.model.pipeline(&args.data, global.seed)?;
    let task = pipeline.estimator().task();
    let decides = match &args.scoring {
        Some(name) => name.parse::<Scoring>()?,
        None => Scoring::of_task(task)?,
    };
    let grid = parse_grids(&args.grid)?;
    check_outputs([&args.save, &args.plot], args.data.inputs())?;
    args.save.as_deref().map_or(Ok(()), check_folder)?;
    args.plot.as_deref().map_or(Ok(()), check_picture)?;
    let mut search = GridSearch::new(pipeline.clone());
    for (name, values) in &grid {
        search = search.parameter(name, values.clone());
    }
    search.check()?;
    let placement = global.placement()?;
    let mut seconds = Seconds::default();
    let read = || args.folds.without_columns(&args.data).read(&pipeline, global);
    let Loaded { data, targets } = timed(&mut seconds, "load", read)?;
    let (data, folds) = args.folds.of(&args.data, data, task, global.seed.unwrap_or(0))?;
    decides.check_folds(&folds)?;
    let placed = place(&placement, &pipeline, &data, global)?;
    let device = placed.device.clone();
    let mut found = guarded(|| {
        let mut progress = Progress::new(global);
        let trial = CrossValidateOptions::default()
            .scoring([decides])
            .extra_scoring(Scoring::ALL.into_iter().filter(|scoring| scoring.task() == task))
            .observer(&mut progress);
        // The scores of fitted rows are half of the picture over one parameter.
        let trial = trial.train_scores(args.plot.is_some() && grid.len() == 1);
        timed(&mut seconds, "fit", || search.fit_with(&data, &folds, trial, &device))
    })?;
    let best = found.best().result.clone()?;
    let mut report = report(args, &placed, &data, seconds, decides, &best);
    if !grid.is_empty() {
        report.best = Some(found.best().parameters.iter().cloned().collect());
        report.candidates = found.candidates.iter().map(tried).collect();
    }
    if let Some(path) = &args.save {
        found.model = found.model.with_targets(targets);
        guarded(|| found.model.save(path))?;
        report.saved = Some(path.display().to_string());
    }
    // The result is reported before a picture that cannot be drawn ends the command.
    let drawn = args.plot.as_ref().map_or(Ok(()), |path| {
        let input = PlotInput { pipeline: &pipeline, data: &data, folds: &folds, decides, device: &device };
        guarded(|| input.of(&grid, &found, &mut Progress::new(global)))?.save(path)
    });
    report.plot = args.plot.as_ref().filter(|_| drawn.is_ok()).map(|path| path.display().to_string());
    report.profile = global.profile.then(|| device.profile_report());
    show(global, &report, describe);
    Ok(drawn?)
}

/// Every `--grid`; values of a parameter that is named again are added to its others.
fn parse_grids(texts: &[String]) -> CommandResult<Vec<(String, Vec<Value>)>> {
    let mut grid: Vec<(String, Vec<Value>)> = vec![];
    for (key, values) in texts.iter().map(|text| parse_grid(text)).collect::<CommandResult<Vec<_>>>()? {
        match grid.iter_mut().find(|(known, _)| *known == key) {
            Some((_, known)) => known.extend(values),
            None => grid.push((key, values)),
        }
    }
    for (_, values) in &mut grid {
        let mut seen: Vec<Value> = vec![];
        values.retain(|value| {
            !seen.contains(value) && {
                seen.push(value.clone());
                true
            }
        });
    }
    Ok(grid)
}

/// `key=v1,v2,…`.
fn parse_grid(text: &str) -> CommandResult<(String, Vec<Value>)> {
    let wrong = || CliError::Usage(format!("--grid takes KEY=V1,V2,…, such as n_neighbors=1,5,15; got {text:?}"));
    let (key, list) =
        text.split_once('=').filter(|(key, list)| !key.is_empty() && !list.is_empty()).ok_or_else(wrong)?;
    let values = split_list(list).into_iter().map(parse_value).collect::<gristmill::Result<Vec<Value>>>()?;
    Ok((key.to_string(), values))
}

fn scoring_help() -> String {
    format!("The score to select by: {}", Scoring::ALL.map(Scoring::name).join(", "))
}

/// The device for the fits: those of one fold decide, for all of them.
fn place(placement: &Placement, pipeline: &Pipeline, data: &Dataset, global: &GlobalArgs) -> Result<Placed> {
    let shape = FitShape::of(data).target(&data.target).queries(data.rows() / 5);
    global.place(placement, pipeline.cost(&shape).filter(|_| data.sparse.is_none()))
}

fn report(
    args: &CvArgs,
    placed: &Placed,
    data: &Dataset,
    seconds: Seconds,
    scoring: Scoring,
    best: &CrossValidation,
) -> CvReport {
    // Folds that cannot have a score are left out of its mean, and a score that no fold has is left out.
    let there = |test: &[f64]| test.iter().copied().filter(|score| !score.is_nan()).collect::<Vec<f64>>();
    let scores = || best.scoring.iter().map(|scoring| scoring.name()).zip(&best.test);
    let scores = || scores().filter(|(_, test)| !there(test).is_empty());
    let samples = || scores().map(|(name, test)| (name, Sample::of(&there(test))));
    CvReport {
        model: args.model.model.clone(),
        device: placed.device.info().name,
        why: placed.why.clone(),
        rows: data.rows(),
        columns: data.columns(),
        seconds,
        scoring,
        scores: samples().map(|(name, sample)| (name, sample.mean)).collect(),
        deviations: samples().map(|(name, sample)| (name, sample.deviation)).collect(),
        folds: scores().map(|(name, test)| (name, test.clone())).collect(),
        best: None,
        candidates: vec![],
        saved: None,
        plot: None,
        profile: None,
    }
}

fn tried(candidate: &Candidate) -> Tried {
    let parameters = candidate.parameters.iter().cloned().collect();
    match &candidate.result {
        Ok(result) => {
            let score = result.score();
            Tried { parameters, mean: Some(score.mean), deviation: Some(score.deviation), error: None }
        }
        Err(error) => Tried { parameters, mean: None, deviation: None, error: Some(error.to_string()) },
    }
}

fn describe(report: &CvReport) -> String {
    let folds = |name: &str| report.folds.get(name).map_or(&[][..], Vec::as_slice);
    let count = folds(report.scoring.name()).len();
    let head = format!("{} on {}: {} rows × {} columns", report.model, report.device, report.rows, report.columns);
    let mut parts = vec![head];
    if !report.candidates.is_empty() {
        let mut shown = table(&["parameters", &format!("{}, mean ± deviation", report.scoring)]);
        for tried in &report.candidates {
            let result = match (tried.mean, tried.deviation, &tried.error) {
                (Some(mean), Some(deviation), _) => format!("{} ± {}", number(mean), number(deviation)),
                (_, _, error) => error.clone().unwrap_or_default(),
            };
            shown.add_row([written(&tried.parameters), result]);
        }
        parts.push(shown.to_string());
    }
    if let Some(best) = &report.best {
        parts.push(format!("best: {}", written(best)));
    }
    let mut shown = table(&["score", &format!("mean ± deviation of {count} folds")]);
    for (name, mean) in &report.scores {
        let deviation = report.deviations.get(name).copied().unwrap_or(0.0);
        let there = folds(name).iter().filter(|score| !score.is_nan()).count();
        let of = if there < count { format!(" (of {there} folds)") } else { String::new() };
        shown.add_row([label(name), format!("{} ± {}{of}", number(*mean), number(deviation))]);
    }
    parts.push(shown.to_string());
    parts.extend(report.saved.as_ref().map(|path| format!("saved: {path}")));
    parts.extend(report.plot.as_ref().map(|path| format!("picture: {path}")));
    parts.extend(report.profile.as_ref().map(profile::describe));
    parts.join("\n")
}

/// Parameters in one line.
fn written(parameters: &BTreeMap<String, Value>) -> String {
    let one = |(name, value): (&String, &Value)| format!("{name}={}", word(value));
    parameters.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn word(value: &Value) -> String {
    match value {
        // As it is written at the shell.
        Value::Null => "none".to_string(),
        Value::String(word) => word.clone(),
        other => other.to_string(),
    }
}

/// What a picture is drawn from.
struct PlotInput<'a> {
    pipeline: &'a Pipeline,
    data: &'a Dataset,
    folds: &'a Folds,
    decides: Scoring,
    device: &'a Device,
}

impl PlotInput<'_> {
    /// The learning curve without a grid; over one parameter the scores with their intervals; over two a map; else the best.
    /// What could not be fitted is left out.
    fn of(
        &self,
        grid: &[(String, Vec<Value>)],
        found: &GridSearchResult,
        progress: &mut Progress,
    ) -> gristmill::Result<Figure> {
        let title = self.decides.name();
        match grid {
            [] => {
                let trial =
                    CrossValidateOptions::default().scoring([self.decides]).device(self.device).observer(progress);
                let shares = [0.1, 0.25, 0.5, 0.75, 1.0];
                learning_curve_with(self.pipeline, self.data, self.folds, &shares, trial)?.figure()
            }
            [_] => found.curve()?.figure(),
            [(rows, down), (columns, across)] => {
                let words = |values: &[Value]| values.iter().map(word).collect::<Vec<String>>();
                let means: Vec<f64> = found.candidates.iter().map(|candidate| candidate.score().mean).collect();
                let figure = Figure::new().title(title).x_label(columns.clone()).y_label(rows.clone());
                figure.heatmap(&words(down), &words(across), &means)
            }
            _ => {
                let mut tried: Vec<&Candidate> = found.candidates.iter().filter(|tried| tried.result.is_ok()).collect();
                let worth = |tried: &Candidate| tried.score().mean;
                tried.sort_by(|one, other| worth(other).total_cmp(&worth(one)));
                if !self.decides.greater_is_better() {
                    tried.reverse();
                }
                let best = &tried[..tried.len().min(MOST_SHOWN)];
                let values =
                    |tried: &Candidate| tried.parameters.iter().map(|(_, value)| word(value)).collect::<Vec<_>>();
                let names: Vec<String> = best.iter().map(|tried| values(tried).join(", ")).collect();
                let score = |tried: &&Candidate| (tried.score().mean, tried.score().deviation);
                let scores: Vec<(f64, f64)> = best.iter().map(score).collect();
                let keys: Vec<&str> = grid.iter().map(|(name, _)| name.as_str()).collect();
                let figure = plot::ranking(&names, &scores)?.x_label(title);
                let of = format!("the best {} of {}", best.len(), found.candidates.len());
                Ok(figure.title(format!("{}: {of}", keys.join(", "))))
            }
        }
    }
}
