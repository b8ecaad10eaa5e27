//! What a tree, a forest and boosting make of a rectangle, and how the tree changes when one label flips.
//!
//! `cargo run --release --example tree_regions [FILE.svg]`

use gristmill::plot::{Figure, Grid, Panels};
use gristmill::prelude::*;

fn main() -> gristmill::Result<()> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "tree_regions.svg".to_string());
    draw(&path)?.iter().for_each(|line| println!("{line}"));
    println!("{path}");
    Ok(())
}

/// Draws the picture, and tells how good each model is.
pub fn draw(path: &str) -> gristmill::Result<Vec<String>> {
    let (train, test) = (datasets::rectangle(200, 1)?, datasets::rectangle(5000, 2)?);
    let (y, target) = (train.labels()?, test.labels()?);
    let mut flipped = y.codes().to_vec();
    flipped[0] = 1 - flipped[0];
    let flipped = y.with_codes(flipped)?;

    let tree = DecisionTreeClassifier::default();
    let one = tree.fit(&train.x, y)?;
    let other = tree.fit(&train.x, &flipped)?;
    let forest = RandomForestClassifier::new(100).fit(&train.x, y)?;
    let boosting = GradientBoostingClassifier::default().min_samples_leaf(5).fit(&train.x, y)?;

    let grid = Grid::new((0.0, 1.0), (0.0, 1.0), 160, 160)?;
    let cells = grid.points()?;
    let mut panels = Panels::new(2)?.title("Trees on 200 points of the rectangle");
    let pictures = [
        ("one tree", one.predict(&cells)?, one.score(&test.x, target)?),
        ("the same, one label flipped", other.predict(&cells)?, other.score(&test.x, target)?),
        ("100 trees of a forest", forest.predict(&cells)?, forest.score(&test.x, target)?),
        ("100 rounds of boosting", boosting.predict(&cells)?, boosting.score(&test.x, target)?),
    ];
    let mut lines = vec![];
    for (name, predicted, accuracy) in pictures {
        let title = format!("{name}: {:.1} % of new points right", 100.0 * accuracy);
        let figure = Figure::new().size(500, 420)?.title(&title).regions(&grid, predicted.codes())?;
        panels = panels.figure(figure.scatter_classes(&train.x, [0, 1], y)?);
        lines.push(title);
    }
    panels.save(path)?;
    Ok(lines)
}
