//! Kernel principal components of two rings beside the rows themselves, kernel k-means of them, and Gram matrices of iris
//! with the rows in the order of their classes.
//!
//! `cargo run --release --example kernel_views [FILE.svg]`

use gristmill::kernel_methods::gram_figure;
use gristmill::plot::{Figure, Panels};
use gristmill::prelude::*;

fn main() -> gristmill::Result<()> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "kernel_views.svg".to_string());
    draw(&path)?.iter().for_each(|line| println!("{line}"));
    println!("{path}");
    Ok(())
}

/// Draws the picture, and tells what the kernel made of the rings.
pub fn draw(path: &str) -> gristmill::Result<Vec<String>> {
    let rings = datasets::circles(300, 0.06, 0.3, 1)?;
    let labels = rings.labels()?;
    let rows = Figure::new().title("Two rings").equal_axes().scatter_classes(&rings.x, [0, 1], labels)?;
    let model = KernelPca::default().n_components(2).kernel(Kernel::rbf(2.0)).fit(&rings.x)?;
    let z = model.transform(&rings.x)?;
    let components = Figure::new().title("Their components by rbf(gamma=2)").x_label("first").y_label("second");
    let components = components.scatter_classes(&z, [0, 1], labels)?;
    let clusters = KernelKMeans::new(2).kernel(Kernel::rbf(4.0)).n_init(10).fit(&rings.x)?;
    let found = Labels::from(clusters.labels());
    let clustered = Figure::new().title("Kernel k-means by rbf(gamma=4)").equal_axes();
    let clustered = clustered.scatter_classes(&rings.x, [0, 1], &found)?;
    let iris = datasets::iris()?;
    let some: Vec<usize> = (0..150).step_by(3).collect();
    let (x, species) = (iris.x.select(&some)?, iris.labels()?.select(&some)?);
    let mut panels = Panels::new(3)?.title("What kernels see").figure(rows).figure(components).figure(clustered);
    for kernel in ["rbf(gamma=0.1)", "rbf(gamma=1)", "cosine^50"] {
        panels = panels.figure(gram_figure(&kernel.parse()?, &x, &species)?);
    }
    panels.save(path)?;
    let same = clusters.labels().iter().zip(labels.codes()).filter(|(found, ring)| found == ring).count();
    Ok(vec![
        format!("eigenvalues {:.2} and {:.2}", model.eigenvalues()[0], model.eigenvalues()[1]),
        format!("{} of 300 rows in the cluster of their ring", same.max(300 - same)),
    ])
}
