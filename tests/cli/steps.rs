//! `--step`.

use super::{Folder, json, refused, run};

#[test]
fn steps_are_applied_in_their_order_with_their_parameters() {
    let folder = Folder::new();
    let model = folder.path("model.gm");
    let fit =
        ["fit", "ridge", "data/diabetes.csv", "--target", "progression", "--features", "bmi,bp", "--save", &model];
    let steps = ["--step", "min-max-scaler", "--step", "polynomial-features:degree=3,include_bias=false"];
    json(&[&fit[..], &steps].concat());
    let inside = json(&["inspect", &model]);
    assert_eq!(inside["steps"], serde_json::json!(["min-max-scaler", "polynomial-features"]));
    let (shown, _) = run(&["transform", &model, "data/diabetes.csv", "-q"]);
    // Two columns, their squares and product, their cubes and the two mixed terms.
    assert_eq!(shown.lines().next().unwrap().split(',').count(), 9, "{}", shown.lines().next().unwrap());
    // The short forms come first.
    json(&[&fit[..], &["--step", "normalizer:norm=max", "--scale"]].concat());
    assert_eq!(json(&["inspect", &model])["steps"], serde_json::json!(["standard-scaler", "normalizer"]));
}

#[test]
fn a_step_is_the_same_as_its_short_form() {
    let fit = ["fit", "kneighbors-classifier", "data/wine.csv", "--target", "class", "--split", "0.7"];
    let scores = |more: &[&str]| json(&[&fit[..], more].concat())["scores"].clone();
    assert_eq!(scores(&["--step", "standard-scaler"]), scores(&["--scale"]));
    assert_ne!(scores(&["--step", "standard-scaler:with_std=false"]), scores(&["--scale"]));
}

#[test]
fn an_imputer_as_a_step_lets_missing_values_in() {
    let folder = Folder::new();
    let rows: String = (0..40)
        .map(|row| format!("{},{row},{}\n", if row % 5 == 0 { String::new() } else { row.to_string() }, row % 2))
        .collect();
    let data = folder.file("gaps.csv", format!("a,b,y\n{rows}"));
    let fit = ["fit", "kneighbors-classifier", &data, "--target", "y"];
    assert!(refused(1, &fit).contains("missing"));
    json(&[&fit[..], &["--step", "simple-imputer:strategy=median"]].concat());
}

#[test]
fn values_may_be_lists_with_or_without_brackets() {
    let folder = Folder::new();
    let model = folder.path("model.gm");
    let fit =
        ["fit", "ridge", "data/diabetes.csv", "--target", "progression", "--features", "bmi,bp,s1", "--save", &model];
    for columns in ["columns=[\"bmi\",\"bp\"]", "columns=bmi,bp"] {
        json(&[&fit[..], &["--step", &format!("one-hot-encoder:{columns},drop=none")]].concat());
        let wide = json(&["transform", &model, "data/diabetes.csv", "-q"])["transformed_columns"].as_u64().unwrap();
        assert!(wide > 3, "{columns}: {wide}");
    }
    let fit = ["fit", "mlp-regressor", "data/diabetes.csv", "--target", "progression", "--set", "max_iter=1"];
    let layers = json(&[&fit[..], &["--set", "hidden_layer_sizes=4"]].concat());
    assert_eq!(layers["parameters"]["hidden_layer_sizes"], serde_json::json!([4]));
}

#[test]
fn cross_validation_takes_steps() {
    let cv = ["cv", "kneighbors-classifier", "data/wine.csv", "--target", "class", "--grid", "n_neighbors=1,5"];
    let (plain, scaled) = (json(&cv), json(&[&cv[..], &["--step", "robust-scaler"]].concat()));
    let accuracy = |report: &serde_json::Value| report["scores"]["accuracy"].as_f64().unwrap();
    assert!(accuracy(&scaled) > accuracy(&plain) + 0.1);
}

#[test]
fn wrong_steps_are_refused_with_what_is_right() {
    let fit = ["fit", "ridge", "data/diabetes.csv", "--target", "progression"];
    let wrong = |step: &str| refused(2, &[&fit[..], &["--step", step]].concat());
    assert!(wrong("standard-scalar").contains("standard-scaler"));
    assert!(wrong("min-max-scaler:klip=true").contains("clip"));
    assert!(wrong("min-max-scaler:true").contains("KEY=VALUE"));
    let errors = refused(1, &[&fit[..], &["--step", "ridge"]].concat());
    assert!(errors.contains("transformed rows"), "{errors}");
}
