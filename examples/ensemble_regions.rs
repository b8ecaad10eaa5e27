//! How the regions of boosting and bagging change with their rounds on points of a rectangle.
//!
//! `cargo run --release --example ensemble_regions [FILE.svg]`

use gristmill::ensemble::{AdaBoostClassifier, BaggingClassifier};
use gristmill::plot::{self, Panels};
use gristmill::prelude::*;

fn main() -> gristmill::Result<()> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "ensemble_regions.svg".to_string());
    draw(&path)?.iter().for_each(|line| println!("{line}"));
    println!("{path}");
    Ok(())
}

/// Draws the picture, and tells how good each ensemble is.
pub fn draw(path: &str) -> gristmill::Result<Vec<String>> {
    let (train, test) = (datasets::rectangle(200, 1)?, datasets::rectangle(5000, 2)?);
    let (x, y) = (&train.x, train.labels()?);
    let ada = AdaBoostClassifier::default().n_estimators(50).fit(x, y)?;
    let bagging = BaggingClassifier::default().n_estimators(100).fit(x, y)?;
    let boosted = |rows: &Matrix, rounds: usize| ada.staged_predict(rows, rounds);
    let bagged = |rows: &Matrix, bags: usize| bagging.staged_predict(rows, bags);
    let (mut figures, mut lines) = (vec![], vec![]);
    let mut add = |name: &str, stages: [usize; 3], say: &dyn Fn(&Matrix, usize) -> gristmill::Result<Labels>| {
        for (figure, stage) in plot::staged_regions(x, y, 160, &stages, say)?.into_iter().zip(stages) {
            let right = 100.0 * metrics::accuracy(test.labels()?, &say(&test.x, stage)?)?;
            let plural = if stage == 1 { "" } else { "s" };
            let title = format!("{name}, {stage} tree{plural}: {right:.1} % of new points right");
            figures.push(figure.size(480, 400)?.title(&title));
            lines.push(title);
        }
        Ok::<(), Error>(())
    };
    add("AdaBoost", [2, 10, 50], &boosted)?;
    add("bagging", [1, 10, 100], &bagged)?;
    let panels = Panels::new(3)?.title("Boosting and bagging on 200 points of the rectangle");
    figures.into_iter().fold(panels, Panels::figure).save(path)?;
    Ok(lines)
}
