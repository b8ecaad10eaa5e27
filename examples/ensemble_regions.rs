//! How the regions of boosting and bagging change with their rounds, on the notes' rectangle (lecture notes 000 §4.3–4.4).
//!
//! `cargo run --release --example ensemble_regions [FILE.svg]`

use gristmill::ensemble::{AdaBoostClassifier, BaggingClassifier};
use gristmill::plot::{Figure, Grid, Panels};
use gristmill::prelude::*;

fn main() -> gristmill::Result<()> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "ensemble_regions.svg".to_string());
    let (train, test) = (datasets::rectangle(200, 1)?, datasets::rectangle(5000, 2)?);
    let (y, truth) = (train.labels()?, test.labels()?);
    let grid = Grid::new((0.0, 1.0), (0.0, 1.0), 160, 160)?;
    let cells = grid.points()?;

    let boosting = AdaBoostClassifier::default().n_estimators(50).fit(&train.x, y)?;
    let mut pictures = vec![];
    for rounds in [2, 10, 50] {
        let accuracy = metrics::accuracy(truth, &boosting.staged_predict(&test.x, rounds)?)?;
        pictures.push((format!("AdaBoost, {rounds} stumps"), boosting.staged_predict(&cells, rounds)?, accuracy));
    }
    for bags in [1, 10, 100] {
        let model = BaggingClassifier::default().n_estimators(bags).fit(&train.x, y)?;
        pictures.push((format!("bagging, {bags} trees"), model.predict(&cells)?, model.score(&test.x, truth)?));
    }

    let mut panels = Panels::new(3)?.title("Boosting and bagging on 200 points of the rectangle");
    for (name, said, accuracy) in pictures {
        let title = format!("{name}: {:.1} % of new points right", 100.0 * accuracy);
        println!("{title}");
        let figure = Figure::new().size(480, 400)?.title(title).equal_axes().regions(&grid, said.codes())?;
        panels = panels.figure(figure.scatter_classes(&train.x, [0, 1], y)?);
    }
    panels.save(&path)?;
    println!("{path}");
    Ok(())
}
