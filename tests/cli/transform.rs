//! `gristmill transform`, and transformers alone.

use super::{Folder, PEOPLE, json, read, refused, run};

#[test]
fn a_scaler_alone_is_fitted_saved_inspected_and_used() {
    let folder = Folder::new();
    let model = folder.path("scaler.gm");
    let fit = ["fit", "standard-scaler", "data/iris.csv", "--drop", "species", "--save", &model];
    let fitted = json(&fit);
    assert_eq!((&fitted["model"], &fitted["transformed_columns"]), (&"standard-scaler".into(), &4.into()));
    assert!(run(&fit).0.contains("4 columns after the transformation"));
    let inside = json(&["inspect", &model]);
    assert_eq!(inside["columns"][3]["name"], "petal_width");
    assert_eq!(inside["models"][0]["kind"], "standard-scaler");
    let (shown, errors) = run(&["transform", &model, "data/iris.csv"]);
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!((lines[0], lines.len()), ("sepal_length,sepal_width,petal_length,petal_width", 151));
    let first: Vec<f64> = lines[1].split(',').map(|cell| cell.parse().unwrap()).collect();
    // (5.1 − 5.8433) / 0.8253, with the deviation of all rows.
    assert!((first[0] + 0.9007).abs() < 1e-4 && (first[3] + 1.3154).abs() < 1e-4, "{first:?}");
    assert!(errors.contains("species"), "{errors}");
}

#[test]
fn rows_go_to_csv_and_npy_files_and_into_json() {
    let folder = Folder::new();
    let (model, csv, npy) = (folder.path("scaler.gm"), folder.path("scaled.csv"), folder.path("scaled.npy"));
    run(&["fit", "min-max-scaler", "data/iris.csv", "--drop", "species", "--save", &model]);
    let whole = json(&["transform", &model, "data/iris.csv", "-q"]);
    assert_eq!(
        (whole["names"][0].as_str(), whole["transformed"].as_array().unwrap().len()),
        (Some("sepal_length"), 150)
    );
    assert!(whole["seconds"]["transform"].is_number());
    for out in [&csv, &npy] {
        let told = json(&["transform", &model, "data/iris.csv", "-q", "--out", out]);
        assert_eq!(told["saved"], out.as_str());
        assert!(told.get("transformed").is_none());
        let described = json(&["data", out]);
        assert_eq!((&described["rows"], &described["columns"][2]["max"]), (&150.into(), &1.0.into()), "{out}");
    }
    assert!(read(&csv).starts_with("sepal_length,"));
}

#[test]
fn other_models_transform_too_and_those_that_do_not_say_so() {
    let folder = Folder::new();
    let model = folder.path("model.gm");
    let iris = ["data/iris.csv", "--drop", "species", "--save", &model];
    run(&[&["fit", "nearest-neighbors", "--set", "n_neighbors=2"], &iris[..]].concat());
    let (shown, _) = run(&["transform", &model, "data/iris.csv", "-q"]);
    // Each row is its own nearest one.
    assert!(shown.starts_with("distance_0,distance_1\n0,"), "{shown}");
    assert!(run(&["inspect", &model]).0.contains("nearest-neighbors"));
    run(&[&["fit", "kmeans", "--set", "n_clusters=3"], &iris[..]].concat());
    assert!(run(&["transform", &model, "data/iris.csv", "-q"]).0.starts_with("cluster_0,cluster_1,cluster_2\n"));
    let knn = ["fit", "kneighbors-classifier", "data/iris.csv", "--target", "species", "--save", &model];
    run(&knn);
    assert!(refused(2, &["transform", &model, "data/iris.csv"]).contains("gristmill predict"));
    // Behind steps, what the model sees.
    run(&[&knn[..], &["--scale"]].concat());
    assert!(run(&["transform", &model, "data/iris.csv", "-q"]).0.contains("\n-0.90068"));
}

#[test]
fn what_transforms_neither_predicts_nor_has_a_score() {
    let folder = Folder::new();
    let model = folder.path("scaler.gm");
    let fit = ["fit", "robust-scaler", "data/iris.csv", "--drop", "species"];
    run(&[&fit[..], &["--save", &model]].concat());
    assert!(refused(2, &["predict", &model, "data/iris.csv"]).contains("gristmill transform"));
    assert!(refused(2, &["evaluate", &model, "data/iris.csv"]).contains("gristmill transform"));
    assert!(refused(2, &[&fit[..], &["--split", "0.5"]].concat()).contains("no score"));
    let picture = folder.path("rows.svg");
    json(&[&fit[..], &["--plot", &picture]].concat());
    assert!(read(&picture).contains("Transformed rows"));
}

#[test]
fn text_columns_become_columns_of_their_categories() {
    let folder = Folder::new();
    let (people, model) = (folder.file("people.csv", PEOPLE), folder.path("encoder.gm"));
    run(&["fit", "one-hot-encoder", &people, "--target", "kind", "--save", &model]);
    let (shown, _) = run(&["transform", &model, &people, "-q"]);
    let header: Vec<&str> = shown.lines().next().unwrap().split(',').collect();
    assert_eq!(header.len(), 5, "{header:?}");
    assert!(header.iter().any(|name| name.contains("Ulm")), "{header:?}");
}
