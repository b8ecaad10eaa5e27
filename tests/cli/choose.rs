//! `gristmill select`, `gristmill curve`, `gristmill clusters` and `gristmill bias-variance`.

use super::{Folder, json, refused, run};

#[test]
fn select_finds_the_best_subset_by_a_criterion() {
    let found = json(&["select", "linear-regression", "data/diabetes.csv", "--target", "progression"]);
    assert_eq!(found["method"], "best");
    assert_eq!(found["by"], "bic");
    assert_eq!(found["sizes"].as_array().unwrap().len(), 11);
    assert_eq!(found["best"].as_array().unwrap().len(), 5);
    let (shown, _) =
        run(&["select", "linear-regression", "data/diabetes.csv", "--target", "progression", "--by", "adjusted_r2"]);
    assert!(shown.contains("best (largest adjusted_r2)"), "{shown}");
}

#[test]
fn select_takes_any_estimator_by_cross_validation() {
    let common = ["data/iris.csv", "--target", "species"];
    for method in ["forward", "backward", "recursive"] {
        let found = json(&[&["select", "kneighbors-classifier"], &common[..], &["--method", method]].concat());
        assert_eq!(found["by"], "accuracy");
        assert!(found["sizes"].as_array().unwrap().iter().all(|size| size["value"].as_f64().unwrap() > 0.5));
    }
    let error = refused(2, &[&["select", "kneighbors-classifier"], &common[..], &["--by", "aic"]].concat());
    assert!(error.contains("linear-regression"), "{error}");
    assert!(
        refused(2, &["select", "linear-regression", "data/diabetes.csv", "--target", "progression", "--by", "bick"])
            .contains("bic")
    );
}

#[test]
fn curve_goes_over_rows_parameters_and_iterations() {
    let rows = json(&["curve", "ridge", "data/diabetes.csv", "--target", "progression"]);
    assert!(rows["points"].as_array().unwrap().len() >= 6 && rows.get("best").is_none());
    let folder = Folder::new();
    let picture = folder.path("alpha.svg");
    let over = ["--over", "alpha=0.01,0.1,1,10", "--plot", &picture];
    let alpha = json(&[&["curve", "ridge", "data/diabetes.csv", "--target", "progression"], &over[..]].concat());
    assert_eq!(alpha["points"].as_array().unwrap().len(), 4);
    assert!(std::fs::read_to_string(&picture).unwrap().starts_with("<svg"));
    let range =
        json(&["curve", "kneighbors-classifier", "data/iris.csv", "--target", "species", "--over", "n_neighbors=1..5"]);
    assert_eq!(range["points"].as_array().unwrap().len(), 5);
    let model = ["curve", "gradient-boosting-regressor", "data/diabetes.csv", "--target", "progression"];
    let iterations = json(&[&model[..], &["--set", "n_estimators=12", "--over", "iterations"]].concat());
    assert_eq!(iterations["points"].as_array().unwrap().len(), 12);
    assert!(refused(2, &[&model[..], &["--over", "everything"]].concat()).contains("KEY=1..29"));
}

#[test]
fn bias_variance_takes_a_file_or_a_generator() {
    let model = ["bias-variance", "decision-tree-regressor", "data/diabetes.csv", "--target", "progression"];
    let file = json(&[&model[..], &["--over", "max_depth=1,6", "--repeats", "15"]].concat());
    let values = file["values"].as_array().unwrap();
    assert!(values[0]["variance"].as_f64() < values[1]["variance"].as_f64());
    let (shown, _) = run(&["bias-variance", "ridge", "notes:wide", "--over", "alpha=0.01,10,1000", "--repeats", "20"]);
    assert!(shown.contains("least error: alpha=10") && shown.contains("noise"), "{shown}");
    assert!(refused(2, &["bias-variance", "ridge", "notes:round"]).contains("notes:wide"));
}

#[test]
fn cv_draws_halves_and_estimates() {
    let model = ["cv", "kneighbors-classifier", "data/digits.csv", "--target", "digit", "--folds", "3"];
    let grid = ["--grid", "n_neighbors=1,2,3,5,8,13,21,34,55"];
    let halved = json(&[&model[..], &grid, &["--halving"]].concat());
    assert_eq!(halved["candidates"].as_array().unwrap().len(), 3);
    let random = json(&[&model[..], &grid, &["--random", "4"]].concat());
    assert_eq!(random["candidates"].as_array().unwrap().len(), 4);
    let cost = json(&[&model[..], &grid, &["--estimate"]].concat());
    assert_eq!(cost["fits"], 28);
    assert!(cost["seconds"].as_f64().unwrap() > 0.0);
    assert!(refused(2, &[&model[..], &grid, &["--halving", "--random", "3"]].concat()).contains("--halving"));
}

#[test]
fn clusters_shows_cost_and_silhouette_over_their_number() {
    let folder = Folder::new();
    let plot = folder.path("clusters.svg");
    let found = json(&["clusters", "data/iris.csv", "--drop", "species", "--k", "2..5", "--plot", &plot]);
    let points = found["points"].as_array().unwrap();
    assert_eq!(points.len(), 4);
    assert!((points[1]["inertia"].as_f64().unwrap() - 78.8514).abs() < 0.01);
    assert_eq!(found["best_silhouette"], 2);
    assert!(std::fs::read_to_string(&plot).unwrap().contains("Silhouette"));
    let (shown, _) =
        run(&["clusters", "data/iris.csv", "--drop", "species", "--model", "bisecting-kmeans", "--k", "2,3"]);
    assert!(shown.contains("largest silhouette: 2 clusters"), "{shown}");
    assert!(refused(2, &["clusters", "data/iris.csv", "--k", "x"]).contains("--k takes"));
}
