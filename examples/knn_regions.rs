//! What 1, 5 and 15 neighbours make of a rectangle: the regions that each would call inside.
//!
//! `cargo run --release --example knn_regions [FILE.svg]`

use gristmill::plot::{Figure, Grid, Panels};
use gristmill::prelude::*;

fn main() -> gristmill::Result<()> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "knn_regions.svg".to_string());
    let (train, test) = (datasets::rectangle(200, 1)?, datasets::rectangle(5000, 2)?);
    let grid = Grid::new((0.0, 1.0), (0.0, 1.0), 160, 160)?;
    let cells = grid.points()?;

    let mut panels = Panels::new(3)?.title("Nearest neighbours on 200 points of the rectangle");
    for k in [1, 5, 15] {
        let model = KNeighborsClassifier::new(k).fit(&train.x, train.labels()?)?;
        let accuracy = model.score(&test.x, test.labels()?)?;
        let title = format!("k = {k}: {:.1} % of 5000 new points right", 100.0 * accuracy);
        println!("{title}");
        let figure =
            Figure::new().size(500, 420)?.title(title).equal_axes().regions(&grid, model.predict(&cells)?.codes())?;
        panels = panels.figure(figure.scatter_classes(&train.x, [0, 1], train.labels()?)?);
    }
    panels.save(&path)?;
    println!("{path}");
    Ok(())
}
