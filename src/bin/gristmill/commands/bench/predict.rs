//! `gristmill bench --predict`: what the cost model expects of fits on cards that are not there.

use gristmill::cost::{CARDS, Card};
use gristmill::estimator::FitShape;
use gristmill::registry;
use gristmill::{Error, Result};
use serde::Serialize;
use serde_json::Value;

use crate::arguments::GlobalArgs;
use crate::report::{CommandResult, print, print_json, seconds, table_of};

/// A fit: what it is called, the model, its settings, and rows, columns, outputs and queries.
type Job = (&'static str, &'static str, &'static [(&'static str, u32)], [usize; 4]);

const JOBS: &[Job] = &[
    ("k-means, iris", "kmeans", &[("n_clusters", 3)], [150, 4, 1, 0]),
    ("5-NN, digits", "kneighbors-classifier", &[], [1437, 64, 10, 360]),
    ("5-NN, 60k×784, 10k queries", "kneighbors-classifier", &[], [60_000, 784, 10, 10_000]),
    ("local outliers, 20k×32", "local-outlier-factor", &[], [20_000, 32, 1, 0]),
    ("k-means, 10⁶×32, k = 8", "kmeans", &[], [1_000_000, 32, 1, 0]),
    ("k-means, 10⁶×32, k = 64", "kmeans", &[("n_clusters", 64)], [1_000_000, 32, 1, 0]),
    ("k-means, 10⁶×32, k = 1024", "kmeans", &[("n_clusters", 1024)], [1_000_000, 32, 1, 0]),
    ("ridge, 500k×128", "ridge", &[], [500_000, 128, 1, 0]),
    ("logistic regression, 500k×128", "logistic-regression", &[], [500_000, 128, 2, 0]),
    ("kernel ridge, 8000×8", "kernel-ridge", &[], [8000, 8, 1, 0]),
    ("kernel ridge, 50k×8, gradients", "kernel-ridge", &[], [50_000, 8, 1, 0]),
    ("Falkon, 500k×32, M = 2000", "falkon", &[("n_centers", 2000)], [500_000, 32, 1, 0]),
    ("forest, 100k×28, 100 trees", "random-forest-classifier", &[("max_depth", 12)], [100_000, 28, 2, 0]),
    ("boosting, 200k×28, 100 trees", "gradient-boosting-classifier", &[("max_leaf_nodes", 63)], [200_000, 28, 2, 0]),
    ("boosting, 1M×28, 100 trees", "gradient-boosting-classifier", &[("max_leaf_nodes", 63)], [1_000_000, 28, 2, 0]),
];

/// What is expected of one fit. No time where there is no work for a GPU.
#[derive(Serialize)]
struct Prediction {
    card: &'static str,
    host: &'static str,
    job: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cpu_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gpu_s: Option<f64>,
    /// Where `auto` would run it.
    device: &'static str,
}

#[derive(Serialize)]
struct Predictions {
    /// Nobody has measured these.
    prediction: bool,
    predictions: Vec<Prediction>,
}

pub fn run(wanted: &str, global: &GlobalArgs) -> CommandResult {
    let part = wanted.to_lowercase();
    let named = |card: &&Card| part == "all" || card.name.to_lowercase().contains(&part);
    let cards: Vec<&Card> = CARDS.iter().filter(named).collect();
    if cards.is_empty() {
        let known: Vec<&str> = CARDS.iter().map(|card| card.name).collect();
        return Err(Error::param("predict", format!("part of one of {}, or all", known.join(", ")), wanted).into());
    }
    let mut predictions = vec![];
    for card in &cards {
        for job in JOBS {
            predictions.push(predict(card, job)?);
        }
    }
    if global.json {
        print_json(&Predictions { prediction: true, predictions });
        return Ok(());
    }
    for (card, rows) in cards.iter().zip(predictions.chunks(JOBS.len())) {
        print(&format!("PREDICTION, not a measurement: {} ({})\nbeside {}", card.name, card.published, card.host));
        print(&table_of(&["fit, rows on the host", "CPU", "GPU", "auto"], rows.iter().map(row)));
    }
    Ok(())
}

fn predict(card: &Card, (job, model, settings, [rows, columns, outputs, queries]): &Job) -> Result<Prediction> {
    let mut estimator = registry::find(model)?.estimator();
    for (name, value) in *settings {
        estimator = estimator.set(name, Value::from(*value))?;
    }
    let shape = FitShape { rows: *rows, columns: *columns, outputs: *outputs, queries: *queries };
    let expected = estimator.cost(&shape).map(|cost| cost.on(&card.cpu, &card.gpu));
    let device = if expected.is_some_and(|expected| expected.gpu_wins()) { "gpu" } else { "cpu" };
    let (cpu_s, gpu_s) = (expected.map(|expected| expected.cpu), expected.map(|expected| expected.gpu));
    Ok(Prediction { card: card.name, host: card.host, job, cpu_s, gpu_s, device })
}

fn row(prediction: &Prediction) -> [String; 4] {
    let time = |time: Option<f64>| time.map_or_else(|| "–".to_string(), seconds);
    let Prediction { job, cpu_s, gpu_s, device, .. } = prediction;
    [job.to_string(), time(*cpu_s), time(*gpu_s), device.to_string()]
}
