//! What a fit reports: numbers, curves and arrays by name, whatever the model.

use super::{json, run};

#[test]
fn numbers_curves_and_arrays_are_reported_by_name() {
    let cancer = ["data/breast_cancer.csv", "--target", "diagnosis"];
    let stop = ["--set", "n_iter_no_change=5", "--set", "n_estimators=30"];
    let boosted = [&["fit", "gradient-boosting-classifier"], &cancer[..], &stop].concat();
    let report = json(&boosted);
    assert!(!report["curves"]["validation_loss"].as_array().unwrap().is_empty());
    assert_eq!(report["arrays"]["importances"]["shape"], serde_json::json!([1, 30]));
    let (shown, _) = run(&boosted);
    assert!(shown.contains("validation loss: ") && shown.contains("importances: worst_"), "{shown}");
    let clusters = ["fit", "kmeans", "data/iris.csv", "--drop", "species", "--set", "n_clusters=3"];
    let report = json(&clusters);
    assert_eq!(report["arrays"]["centers"]["values"].as_array().unwrap().len(), 12);
    assert!(report["converged"].is_boolean() && report["scores"]["inertia"].is_number());
    assert!(run(&clusters).0.contains("centers: 3×4"));
    let ada = json(&[&["fit", "ada-boost-classifier"], &cancer[..], &["--set", "n_estimators=9"]].concat());
    assert_eq!((ada["curves"]["train_error"].as_array().unwrap().len(), &ada["iterations"]), (9, &9.into()));
}

#[test]
fn a_number_of_the_fit_gives_way_to_the_score_of_new_rows() {
    let fit = ["fit", "kmeans", "data/iris.csv", "--drop", "species", "--set", "n_clusters=3"];
    let inertia = |more: &[&str]| json(&[&fit[..], more].concat())["scores"]["inertia"].as_f64().unwrap();
    let (all, test) = (inertia(&[]), inertia(&["--split", "0.9"]));
    assert!(test < all / 4.0, "{test} of the 15 rows, {all} of all");
}

#[test]
fn every_registered_name_is_told_with_its_abilities() {
    let told = json(&["models", "mini-batch-kmeans"]);
    assert_eq!(told["takes_chunks"], true);
    assert!(run(&["models", "mini-batch-kmeans"]).0.contains("chunks of rows"));
    assert!(run(&["models", "min-max-scaler"]).0.contains("--step min-max-scaler:"));
}
