//! `gristmill lectures`.

use super::{Folder, json, refused, run};

#[test]
fn a_chapter_is_reproduced_with_its_page() {
    let folder = Folder::new();
    let pictures = folder.path("pictures");
    let found = json(&["lectures", "--chapter", "classifiers", "--plot", &pictures]);
    let chapter = &found["chapters"][0];
    assert_eq!(chapter["title"], "Linear classifiers and margins");
    let experiments = chapter["experiments"].as_array().unwrap();
    assert!(experiments.len() >= 4);
    for one in experiments {
        assert!(["place", "title", "notes", "ours"].iter().all(|key| !one[*key].as_str().unwrap().is_empty()), "{one}");
    }
    let page = std::fs::read_to_string(format!("{pictures}/lectures.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<svg") && page.contains("perceptron"));
    assert!(!page.contains("http://") || page.contains("http://www.w3.org/2000/svg"));
}

/// A word of the title of each experiment that a reader of the notes looks for, by chapter of the page.
const EXPERIMENTS: &[(&str, &[&str])] = &[
    ("Learning from examples", &["data sets", "Bayes error", "number of steps", "Losses"]),
    ("Linear models", &["Pseudo-inverse", "quartic", "p sines", "Covariance", "E_RMS", "outlier", "minimum (1, 1)"]),
    (
        "Penalties and priors",
        &["Isotropic", "eigenbasis", "Sparse recovery", "Penalty and constraint", "Bayesian line"],
    ),
    (
        "Linear classifiers and margins",
        &["far on the right side", "three classes", "Randomised", "trees of classifiers", "square wave", "One class"],
    ),
    ("Kernels", &["no kernels", "Tangent kernel"]),
    (
        "Choice of a model, and theory",
        &[
            "No free lunch",
            "cube",
            "Approximation and estimation",
            "draws",
            "Bias²",
            "Bagging lowers variance",
            "Best subset",
            "VC dimension",
            "Sample sizes",
            "Version space",
            "Structural risk",
        ],
    ),
    ("Trees and ensembles", &["PlayTennis", "Margins of a forest", "falls exponentially", "AdaBoost by resampling"]),
    (
        "Networks",
        &["XOR by hand", "XOR trained", "memoriser", "Effect of width", "untrained network", "Variational autoencoder"],
    ),
    (
        "Density and representation",
        &["least squares", "Fewer atoms", "One code", "Which rows", "five diagonal", "Regression on codes"],
    ),
    ("Sequences and decisions", &["A chain", "students", "Text from counts", "A grid", "A mean"]),
];

#[test]
fn every_experiment_of_the_notes_has_its_place() {
    let found = json(&["lectures"]);
    for (chapter, wanted) in found["chapters"].as_array().unwrap().iter().zip(EXPERIMENTS) {
        assert_eq!(chapter["title"], wanted.0);
        let titles: Vec<&str> =
            chapter["experiments"].as_array().unwrap().iter().map(|one| one["title"].as_str().unwrap()).collect();
        for word in wanted.1 {
            assert!(titles.iter().any(|title| title.contains(word)), "{word}: {titles:?}");
        }
    }
    assert_eq!(found["chapters"].as_array().unwrap().len(), EXPERIMENTS.len());
    let error = refused(2, &["lectures", "--chapter", "nosuch"]);
    assert!(error.contains("--chapter") && error.contains("Linear models"), "{error}");
}

#[test]
fn trees_and_images_have_their_chapters() {
    let (shown, _) = run(&["lectures", "--chapter", "trees"]);
    assert!(shown.contains("outlook 0.2467") || shown.to_lowercase().contains("outlook 0.2467"), "{shown}");
    let error = refused(1, &["lectures", "--chapter", "trees", "--mnist", "no-such-folder"]);
    assert!(error.contains("MNIST is not part of the crate"), "{error}");
}
