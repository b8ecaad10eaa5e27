//! `gristmill clusters`: cost and silhouette over the number of clusters.

use gristmill::selection::cluster_curve;
use serde::Serialize;

use crate::arguments::{DataArgs, GlobalArgs, Loaded, ModelArgs, PlotArgs, ReadArgs, SCORING, split_list};
use crate::report::{CliError, CommandResult, guarded, number, show, table};

const EXAMPLES: &str = "Examples:
  gristmill clusters data/iris.csv --drop species --k 2..10
  gristmill clusters data/wine.csv --drop class --scale --k 2..12 --plot clusters.svg
  gristmill clusters data/digits.csv --drop digit --model bisecting-kmeans --k 5,10,20";

/// What `clusters` takes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct ClustersArgs {
    #[command(flatten)]
    data: DataArgs,
    /// The clustering: one with n_clusters and centres
    #[arg(long, value_name = "NAME", default_value = "kmeans", help_heading = SCORING)]
    model: String,
    /// The numbers of clusters, as 2..12 or 2,4,8
    #[arg(long, value_name = "K", default_value = "2..10", help_heading = SCORING)]
    k: String,
    #[command(flatten)]
    settings: ModelArgs,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    plot: PlotArgs,
}

#[derive(Serialize)]
struct ClustersReport {
    model: String,
    rows: usize,
    points: Vec<Point>,
    /// The number of clusters at the bend of the cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    elbow: Option<usize>,
    /// The number of clusters of the largest silhouette.
    #[serde(skip_serializing_if = "Option::is_none")]
    best_silhouette: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plot: Option<String>,
}

#[derive(Serialize)]
struct Point {
    clusters: usize,
    inertia: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    silhouette: Option<f64>,
}

pub fn run(args: &ClustersArgs, global: &GlobalArgs) -> CommandResult {
    let clusters = parse_clusters(&args.k)?;
    let pipeline = args.settings.pipeline(&args.model, &args.data, global.seed)?;
    args.plot.check()?;
    let Loaded { data, .. } = args.data.read(&args.read, &pipeline, global)?;
    let curve = guarded(|| cluster_curve(&pipeline, &data, &clusters))?;
    let points = (0..clusters.len()).map(|at| Point {
        clusters: clusters[at],
        inertia: curve.inertia[at],
        silhouette: curve.silhouette[at],
    });
    let report = ClustersReport {
        model: args.model.clone(),
        rows: data.rows(),
        points: points.collect(),
        elbow: curve.elbow(),
        best_silhouette: curve.best_silhouette(),
        plot: args.plot.save(&curve.figures())?,
    };
    show(global, &report, describe);
    Ok(())
}

/// `2..12`, both ends too, or `2,4,8`.
fn parse_clusters(text: &str) -> CommandResult<Vec<usize>> {
    let wrong = || CliError::Usage(format!("--k takes 2..12 or 2,4,8; got {text:?}"));
    let one = |text: &str| text.trim().parse::<usize>().ok().filter(|k| *k > 0).ok_or_else(wrong);
    let found: Vec<usize> = match text.split_once("..") {
        Some((low, high)) => (one(low)?..=one(high)?).collect(),
        None => split_list(text).into_iter().map(one).collect::<CommandResult<_>>()?,
    };
    if found.is_empty() { Err(wrong()) } else { Ok(found) }
}

fn describe(report: &ClustersReport) -> String {
    let mut shown = table(&["clusters", "inertia", "silhouette"]);
    for point in &report.points {
        shown.add_row([
            point.clusters.to_string(),
            number(point.inertia),
            point.silhouette.map_or(String::new(), number),
        ]);
    }
    let mut parts = vec![format!("{}: {} rows", report.model, report.rows), shown.to_string()];
    parts.extend(report.best_silhouette.map(|k| format!("largest silhouette: {k} clusters")));
    parts.extend(report.elbow.map(|k| format!("elbow of the inertia: {k} clusters")));
    parts.extend(report.plot.as_ref().map(|path| format!("picture: {path}")));
    parts.join("\n")
}
