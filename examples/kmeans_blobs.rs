//! The steps of Lloyd's iterations on generated blobs, drawn side by side.
//!
//! `cargo run --release --example kmeans_blobs [FILE.svg]`

use gristmill::plot::{self, Figure, Panels};
use gristmill::prelude::*;

fn main() -> gristmill::Result<()> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "kmeans_blobs.svg".to_string());
    let x = datasets::Blobs::default().n_samples(600).centers(5).cluster_std(1.1).seed(7).generate()?.x;
    // Five rows as they come: some clusters begin with two centres, some with none.
    let start = Matrix::from_rows(&(0..5).map(|row| x.row(row)).collect::<Vec<_>>())?;

    let mut panels = Panels::new(3)?.title("k-means, iteration by iteration");
    for iterations in [1, 2, 3, 5, 8, 300] {
        let params = KMeans::new(5).init(Init::Centers(start.clone())).max_iter(iterations).tol(0.0);
        let model = params.fit(&x)?;
        let state = if model.converged() { "converged after" } else { "after" };
        let title = format!("{state} {}: inertia {:.0}", model.iterations(), model.inertia());
        println!("{title}");
        let clusters = Labels::from(model.labels());
        let figure = Figure::new().title(title).equal_axes().without_legend().scatter_classes(&x, [0, 1], &clusters)?;
        panels = panels.figure(figure.centers("centres", plot::points(model.cluster_centers(), [0, 1])?));
    }
    panels.save(&path)?;
    println!("{path}");
    Ok(())
}
