//! The pictures of trees, ensembles and kernels: those of the examples, and two trees.

#[allow(dead_code)]
#[path = "../../../../../examples/decision_views.rs"]
mod decision_views;
#[allow(dead_code)]
#[path = "../../../../../examples/density_views.rs"]
mod density_views;
#[allow(dead_code)]
#[path = "../../../../../examples/ensemble_regions.rs"]
mod ensemble_regions;
#[allow(dead_code)]
#[path = "../../../../../examples/kernel_ridge_fits.rs"]
mod kernel_ridge_fits;
#[allow(dead_code)]
#[path = "../../../../../examples/kernel_views.rs"]
mod kernel_views;
#[allow(dead_code)] // Its `main`.
#[path = "../../../../../examples/linear_views.rs"]
mod linear_views;
#[allow(dead_code)]
#[path = "../../../../../examples/network_studies.rs"]
mod network_studies;
#[allow(dead_code)]
#[path = "../../../../../examples/regression_views.rs"]
mod regression_views;
#[allow(dead_code)]
#[path = "../../../../../examples/representation_views.rs"]
mod representation_views;
#[allow(dead_code)]
#[path = "../../../../../examples/svm_margins.rs"]
mod svm_margins;
#[allow(dead_code)]
#[path = "../../../../../examples/tree_curves.rs"]
mod tree_curves;
#[allow(dead_code)]
#[path = "../../../../../examples/tree_regions.rs"]
mod tree_regions;

use std::path::Path;

use gristmill::prelude::*;
use gristmill::tree::{Id3Classifier, NominalTreeFigure, TreeFigure};

use super::page::Page;

/// Draws all of them into a folder.
pub fn draw(page: &mut Page, folder: &Path) -> Result<()> {
    page.section(&format!("Pictures, in {}", folder.display()));
    std::fs::create_dir_all(folder)
        .map_err(|error| Error::Io { path: folder.display().to_string(), why: format!("cannot be made: {error}") })?;
    let path = |name: &str| folder.join(name).display().to_string();
    let mut written = |name: &str, what: &str| page.fact(name, what.to_string());
    let iris = datasets::iris()?;
    let tree = DecisionTreeClassifier::default().max_depth(3).fit(&iris.x, iris.labels()?)?;
    TreeFigure::of_classifier(&tree).title("Iris").save(path("tree.svg"))?;
    written("tree.svg", "a decision tree");
    let days = datasets::play_tennis()?;
    let tree = Id3Classifier::default().fit(&days.x, days.labels()?)?;
    NominalTreeFigure::new(&tree, &days.categories()).title("To play or not").save(path("play_tennis.svg"))?;
    written("play_tennis.svg", "ID3's tree of PlayTennis");
    tree_regions::draw(&path("tree_regions.svg"))?;
    written("tree_regions.svg", "regions of a tree, of one after a label flipped, of a forest and of boosting");
    ensemble_regions::draw(&path("ensemble_regions.svg"))?;
    written("ensemble_regions.svg", "AdaBoost after 2, 10 and 50 rounds, bagging after 1, 10 and 100");
    tree_curves::draw(&path("tree_curves.svg"))?;
    written("tree_curves.svg", "pruning, errors round by round, importances, Shapley values");
    network_studies::draw(&path("network_studies.svg"))?;
    written(
        "network_studies.svg",
        "XOR's hidden units, width, double descent, lottery tickets, depth, regions over epochs",
    );
    linear_views::draw(&path("linear_views.svg"))?;
    written(
        "linear_views.svg",
        "optimisers in a valley, least squares beside logistic regression, losses, weights of digits",
    );
    regression_views::draw(&path("regression_views.svg"))?;
    written("regression_views.svg", "coefficients over the penalties of ridge and lasso, sine fits, a predictive band");
    regression_views::draw_line(&path("bayesian_line.svg"))?;
    written("bayesian_line.svg", "a posterior over lines as points come in");
    kernel_views::draw(&path("kernel_views.svg"))?;
    written("kernel_views.svg", "kernel principal components and k-means of two rings, Gram matrices of iris by class");
    density_views::draw(&path("density_views.svg"))?;
    written(
        "density_views.svg",
        "mixtures and kernel densities as lines of equal density, nearest neighbours before and after a learnt metric",
    );
    kernel_ridge_fits::draw(&path("kernel_ridge_fits.svg"))?;
    written(
        "kernel_ridge_fits.svg",
        "kernel ridge by three widths, with the error of leaving rows out over the penalty",
    );
    representation_views::draw(&path("representation_views.svg"))?;
    written(
        "representation_views.svg",
        "principal components and where they fail, atoms and parts of digits, iris on a map",
    );
    decision_views::draw(&path("decision_views.svg"))?;
    written("decision_views.svg", "values and policies on a grid and a cliff, learning curves, the graph of a chain");
    svm_margins::draw(&path("svm_margins.svg"))?;
    written(
        "svm_margins.svg",
        "margins and support vectors of five kernels, coordinate ascent, the contours of one class",
    );
    Ok(())
}
