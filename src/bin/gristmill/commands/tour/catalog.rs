//! Everything that the registry lists, each fitted by its name with default parameters.

use gristmill::estimator::Task;
use gristmill::prelude::*;
use gristmill::registry::{self, Entry};

use super::page::Page;

/// A row for each estimator: one that is added to the registry is in the tour.
pub fn show(page: &mut Page) -> Result<()> {
    page.section("Everything there is, by its name: defaults, 30 % of the rows for scores");
    let tables =
        [("iris", datasets::iris()?), ("diabetes", datasets::diabetes()?), ("tennis", datasets::play_tennis()?)];
    let rows = registry::entries().iter().map(|entry| row(entry, &tables)).collect::<Result<Vec<_>>>()?;
    page.table(&["name", "data", "result"], rows);
    page.text(
        "At the shell: gristmill fit NAME DATA, or gristmill transform NAME DATA; gristmill models for what each does",
    );
    Ok(())
}

/// The first table that the estimator takes decides: some take numbers for a target, some take categories alone.
fn row(entry: &Entry, tables: &[(&str, Dataset)]) -> Result<Vec<String>> {
    let mut refused = None;
    for (name, data) in tables {
        match result(entry, data) {
            Ok(result) => return Ok(vec![entry.name.into(), (*name).into(), result]),
            Err(error) => refused = refused.or(Some(error)),
        }
    }
    refused.map_or_else(|| Ok(vec![]), Err)
}

fn result(entry: &Entry, data: &Dataset) -> Result<String> {
    let (mut train, mut test) = data.split(0.7, 0)?;
    if entry.estimator().has("eta0") {
        // Stochastic steps diverge on columns that are not scaled.
        let scaler = StandardScaler::default().fit(&train.x)?;
        (train.x, test.x) = (scaler.transform(&train.x)?, scaler.transform(&test.x)?);
    }
    let model = entry.estimator().fit(&train.x, &train.target, Fit::default())?;
    Ok(match entry.task {
        Task::Classification => format!("{:.1} % right", 100.0 * model.score(&test.x, &test.target)?),
        Task::Regression => format!("R² {:.3}", model.score(&test.x, &test.target)?),
        Task::Transformation => {
            let columns = model.transform(&test.x)?.columns();
            format!("{} columns become {columns}", test.x.columns())
        }
        _ => {
            let numbers = model.report().numbers;
            numbers.first().map_or_else(|| "fitted".to_string(), |(name, value)| format!("{name} {value:.3}"))
        }
    })
}
