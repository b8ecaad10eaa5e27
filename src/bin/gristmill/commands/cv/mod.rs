//! `gristmill cv`: cross-validation and grid search.

mod grid;
mod picture;
mod result;

use std::collections::BTreeMap;
use std::path::PathBuf;

use gristmill::estimator::{Estimator, FitShape};
use gristmill::placement::{Placed, Placement};
use gristmill::prelude::*;
use gristmill::selection::{CrossValidateOptions, GridSearch, HalvingSearch, ParameterRange, RandomSearch, Scoring};
use serde_json::Value;

use self::grid::parse_grids;
use self::picture::PlotInput;
use self::result::{CvReport, describe, tried};
use crate::arguments::{
    DataArgs, FoldArgs, GlobalArgs, Loaded, ModelArgs, OUTPUT, PlotArgs, ReadArgs, SCORING, check_folder, check_outputs,
};
use crate::report::{CliError, CommandResult, Progress, Seconds, guarded, seconds as shown_seconds, show, timed};

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
  gristmill cv random-forest-classifier data/digits.csv --target digit --grid max_depth=4,8,16 --grid max_features=4,8,16 --halving
  gristmill cv svc data/digits.csv --target digit --grid c=1,10,100 --estimate
  gristmill cv ridge visits.csv --target cost --group patient
  gristmill cv ridge sales.csv --target sold --time day --gap 7
  gristmill cv voting-classifier data/wine.csv --target class --set estimators=random-forest-classifier,ada-boost-classifier";

/// What `cv` takes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct CvArgs {
    /// The model; `gristmill models` lists them
    model: String,
    #[command(flatten)]
    data: DataArgs,
    #[command(flatten)]
    settings: ModelArgs,
    #[command(flatten)]
    folds: FoldArgs,
    /// Values of a parameter to try, such as n_neighbors=1,5,15; several --grid try every combination
    #[arg(long, value_name = "KEY=V1,V2,...", help_heading = SCORING)]
    grid: Vec<String>,
    /// Tries so many random combinations of the values of --grid instead of all
    #[arg(long, value_name = "N", conflicts_with_all = ["halving", "plot"], help_heading = SCORING)]
    random: Option<usize>,
    /// Tries all combinations on few rows and the best third on three times as many, until all rows are used
    #[arg(long, conflicts_with = "plot", help_heading = SCORING)]
    halving: bool,
    /// Only says how many fits the search takes, and how long, from three of them
    #[arg(long, conflicts_with_all = ["random", "halving", "save", "plot"], help_heading = SCORING)]
    estimate: bool,
    #[arg(long, value_name = "S", help = scoring_help(), help_heading = SCORING)]
    scoring: Option<String>,
    /// Fits the best parameters on all rows and writes the model to this file
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    save: Option<PathBuf>,
    #[command(flatten)]
    plot: PlotArgs,
    #[command(flatten)]
    read: ReadArgs,
}

pub fn run(args: &CvArgs, global: &GlobalArgs) -> CommandResult {
    let pipeline = args.settings.pipeline(&args.model, &args.data, global.seed)?;
    let task = pipeline.estimator().task();
    let decides = match &args.scoring {
        Some(name) => name.parse::<Scoring>()?,
        None => Scoring::of_task(task)?,
    };
    let grid = parse_grids(&args.grid)?;
    check_outputs([&args.save, &args.plot.plot], args.data.inputs())?;
    args.save.as_deref().map_or(Ok(()), check_folder)?;
    args.plot.check()?;
    let mut search = GridSearch::new(pipeline.clone());
    for (name, values) in &grid {
        search = search.parameter(name, values.clone());
    }
    search.check()?;
    let placement = global.placement()?;
    let mut seconds = Seconds::default();
    let read = || args.folds.without_columns(&args.data).read(&args.read, &pipeline, global);
    let Loaded { mut data, targets } = timed(&mut seconds, "load", read)?;
    let mut weights = args.data.weights(&args.read, data.rows())?;
    let file = (&args.data, &args.read);
    let folds = args.folds.of(file, data.rows(), task, global.seed.unwrap_or(0))?;
    decides.check_folds(&folds)?;
    if let Some(order) = args.folds.order(file, data.rows())? {
        data = data.select(&order)?;
        weights = weights.map(|weights| order.iter().map(|row| weights[*row]).collect());
    }
    if args.estimate {
        return estimate(&search, &data, &folds, global);
    }
    let placed = place(&placement, &pipeline, &data, global)?;
    let device = placed.device.clone();
    let drawn = args.plot.plot.is_some();
    let mut found = guarded(|| {
        let mut progress = Progress::new(global);
        let mut trial = CrossValidateOptions::default()
            .scoring([decides])
            .extra_scoring(Scoring::ALL.into_iter().filter(|scoring| scoring.task() == task))
            .device(&device)
            .observer(&mut progress);
        if let Some(weights) = &weights {
            trial = trial.sample_weight(weights);
        }
        // The scores of fitted rows are half of the picture over one parameter.
        let trial = trial.train_scores(drawn && grid.len() == 1);
        let seed = global.seed.unwrap_or(0);
        timed(&mut seconds, "fit", || match args.random {
            Some(count) => drawn_from(&pipeline, &grid, count, seed).fit_with(&data, &folds, trial),
            None if args.halving => Ok(HalvingSearch::of(&search)?.seed(seed).fit_with(&data, &folds, trial)?.last),
            None => search.fit_with(&data, &folds, trial),
        })
    })?;
    let mut report = CvReport {
        model: pipeline.estimator().name().to_string(),
        device: device.info().name,
        why: placed.why.clone(),
        version: env!("CARGO_PKG_VERSION"),
        parameters: pipeline.estimator().parameters()?,
        seed: global.seed.unwrap_or(0),
        files: args.data.inputs().map(|path| path.display().to_string()).collect(),
        target: targets.clone(),
        known_classes: found.model.model().classes().to_vec(),
        weight: args.data.weight.clone(),
        rows: data.rows(),
        columns: data.columns(),
        seconds,
        scoring: decides,
        scores: BTreeMap::new(),
        deviations: BTreeMap::new(),
        folds: BTreeMap::new(),
        best: None,
        candidates: vec![],
        saved: None,
        plot: None,
        profile: None,
    };
    report.take_scores(&found.best().result.clone()?);
    if !grid.is_empty() {
        report.best = Some(found.best().parameters.iter().cloned().collect());
        report.candidates = found.candidates.iter().map(tried).collect();
    }
    if let Some(path) = &args.save {
        found.model = report.notes().put(found.model.with_targets(targets));
        guarded(|| found.model.save(path))?;
        report.saved = Some(path.display().to_string());
    }
    // The result is reported before a picture that cannot be drawn ends the command.
    let mut done = Ok(());
    if drawn {
        let (pipeline, data, folds, weights) = (&pipeline, &data, &folds, weights.as_deref());
        let input = PlotInput { pipeline, data, folds, decides, weights, device: &device };
        let figure = guarded(|| input.of(&grid, &found, &mut Progress::new(global)));
        done =
            figure.map_err(CliError::from).and_then(|figure| args.plot.save(&[figure])).map(|path| report.plot = path);
    }
    report.profile = global.profile_of(&device);
    show(global, &report, describe);
    done
}

/// A search of random combinations of these values.
fn drawn_from(pipeline: &Pipeline, grid: &[(String, Vec<Value>)], count: usize, seed: u64) -> RandomSearch {
    let search = RandomSearch::new(pipeline.clone()).n_iter(count).seed(seed);
    grid.iter().fold(search, |search, (name, values)| search.parameter(name, ParameterRange::Choice(values.clone())))
}

/// What the search would take, without searching.
fn estimate(search: &GridSearch, data: &Dataset, folds: &Folds, global: &GlobalArgs) -> CommandResult {
    let cost = guarded(|| search.estimate(data, folds))?;
    let (fits, each, all) = (cost.fits, cost.seconds_per_fit, cost.seconds());
    let report = serde_json::json!({ "fits": fits, "seconds_per_fit": each, "threads": cost.threads, "seconds": all });
    show(global, &report, |_| {
        let side = if cost.threads > 1 { format!(", {} side by side", cost.threads) } else { String::new() };
        format!("{fits} fits of about {}{side}: about {}", shown_seconds(each), shown_seconds(all))
    });
    Ok(())
}

fn scoring_help() -> String {
    format!("The score to select by: {}", Scoring::ALL.map(Scoring::name).join(", "))
}

/// The device for the fits: those of one fold decide, for all of them.
fn place(placement: &Placement, pipeline: &Pipeline, data: &Dataset, global: &GlobalArgs) -> Result<Placed> {
    let shape = FitShape::of(data).target(&data.target).queries(data.rows() / 5);
    global.place(placement, pipeline.cost(&shape).filter(|_| data.sparse.is_none()))
}
