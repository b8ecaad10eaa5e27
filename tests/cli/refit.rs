//! Early stopping by scored rows, fits on all rows after the scores, weights in cross-validation.

use super::{Folder, json, refused, run};

const CANCER: [&str; 5] = ["fit", "gradient-boosting-classifier", "data/breast_cancer.csv", "--target", "diagnosis"];

#[test]
fn early_stopping_goes_by_the_rows_that_are_scored() {
    let split = ["--split", "0.7", "--seed", "1", "--set", "n_estimators=400"];
    let told = json(&[&CANCER[..], &split, &["--early-stopping", "5"]].concat());
    let curve = told["curves"]["validation_loss"].as_array().unwrap();
    let losses: Vec<f64> = curve.iter().map(|loss| loss.as_f64().unwrap()).collect();
    let rounds = told["iterations"].as_u64().unwrap() as usize;
    assert!(rounds < 400 && losses.len() == rounds + 5, "{rounds} of {}", losses.len());
    assert_eq!((&told["early_stopping_rows"], &told["scored_rows"]), (&171.into(), &171.into()));
    // The least loss is the log loss of the rows that are scored.
    let least = losses.iter().copied().fold(f64::INFINITY, f64::min);
    assert!((least - told["scores"]["log_loss"].as_f64().unwrap()).abs() < 1e-5, "{least}");
    let (shown, _) = run(&[&CANCER[..], &split, &["--early-stopping", "5"]].concat());
    assert!(shown.contains("early stopping went by the 171 rows that are scored"), "{shown}");
    assert!(refused(2, &[&CANCER[..], &["--early-stopping", "5"]].concat()).contains("add --split or --test"));
    let forest = ["fit", "random-forest-classifier", "data/iris.csv", "--target", "species", "--split", "0.5"];
    assert!(refused(2, &[&forest[..], &["--early-stopping", "5"]].concat()).contains("gradient-boosting-classifier"));
}

#[test]
fn early_stopping_by_a_file_of_rows_behind_steps() {
    let folder = Folder::new();
    let test = folder.file("test.csv", std::fs::read("data/diabetes.csv").unwrap());
    let fit = ["fit", "gradient-boosting-regressor", "data/diabetes.csv", "--target", "progression", "--scale"];
    let told = json(&[&fit[..], &["--test", &test, "--early-stopping", "3", "--set", "n_estimators=20"]].concat());
    // The rows that are fitted get better to the end.
    assert_eq!((&told["iterations"], &told["early_stopping_rows"]), (&20.into(), &442.into()));
}

#[test]
fn a_refit_is_the_model_of_all_rows_with_the_scores_of_the_split() {
    let folder = Folder::new();
    let (scored, refitted, whole) = (folder.path("scored.gm"), folder.path("refitted.gm"), folder.path("whole.gm"));
    let tree = ["fit", "decision-tree-classifier", "data/wine.csv", "--target", "class", "--seed", "1"];
    let split = [&tree[..], &["--split", "0.7"]].concat();
    let (shown, _) = run(&[&split[..], &["--save", &scored]].concat());
    assert!(shown.contains("fitted on 124 of 178 rows (--refit fits all of them)"), "{shown}");
    let one = json(&[&split[..], &["--save", &scored]].concat());
    let other = json(&[&split[..], &["--refit", "--save", &refitted]].concat());
    assert_eq!(one["scores"], other["scores"]);
    assert_eq!((&one["saved_rows"], &other["saved_rows"]), (&124.into(), &178.into()));
    assert_eq!((one.get("refitted"), &other["refitted"]), (None, &true.into()));
    run(&[&tree[..], &["--save", &whole]].concat());
    let predicted = |model: &str| run(&["predict", model, "data/wine.csv", "--proba"]).0;
    assert_eq!(predicted(&refitted), predicted(&whole));
    assert_ne!(predicted(&scored), predicted(&whole));
    let told = json(&["inspect", &refitted]);
    assert_eq!((&told["fit"]["rows"], &told["fit"]["scores"]), (&178.into(), &other["scores"]));
    assert_eq!(told["fit"]["scored"], "54 rows, by a model of the other 124");
    assert!(run(&[&split[..], &["--refit", "--save", &refitted]].concat()).0.contains("fitted again on all 178 rows"));
}

#[test]
fn a_refit_after_early_stopping_takes_the_rounds_that_were_best() {
    let folder = Folder::new();
    let model = folder.path("cancer.gm");
    let stop = ["--split", "0.7", "--early-stopping", "5", "--refit", "--save", &model];
    let told = json(&[&CANCER[..], &stop].concat());
    let inside = json(&["inspect", &model]);
    let parameters = &inside["models"][0]["parameters"];
    assert_eq!(parameters["n_estimators"], told["iterations"]);
    assert!(parameters["n_iter_no_change"].is_null());
}

#[test]
fn weights_count_in_cross_validation_and_in_what_it_saves() {
    let folder = Folder::new();
    let row = |row: usize| {
        let noise = row.is_multiple_of(5);
        let target = if noise { -3.0 } else { 2.0 } * row as f64;
        format!("{row},{target},{}\n", u8::from(!noise))
    };
    let data = folder.file("weighted.csv", "x,y,w\n".to_string() + &(1..=60).map(row).collect::<String>());
    let (model, scored) = (folder.path("m.gm"), folder.path("p.csv"));
    let cv = ["cv", "linear-regression", &data, "--target", "y", "--weight", "w", "--save", &model];
    let told = json(&cv);
    assert_eq!((&told["columns"], &told["weight"]), (&1.into(), &"w".into()));
    assert_eq!((&told["target"][0], &told["seed"]), (&"y".into(), &0.into()));
    assert!(told["parameters"].is_object() && told["version"].is_string());
    assert_eq!(told["files"][0], data.as_str());
    run(&["predict", &model, &folder.file("new.csv", "x\n100\n"), "--out", &scored]);
    let predicted: f64 = super::read(&scored).lines().nth(1).unwrap().parse().unwrap();
    assert!((predicted - 200.0).abs() < 1e-2, "{predicted}");
    let classes = json(&["cv", "gbm", "data/iris.csv", "--target", "species", "--folds", "2"]);
    assert_eq!(classes["known_classes"].as_array().unwrap().len(), 3);
}

#[test]
fn boosting_balances_classes_when_asked() {
    let folder = Folder::new();
    let row = |row: usize| format!("{},{}\n", row % 7, if row.is_multiple_of(10) { "rare" } else { "common" });
    let data = folder.file("skewed.csv", "x,class\n".to_string() + &(0..400).map(row).collect::<String>());
    let fit = ["fit", "gbm", &data, "--target", "class", "--split", "0.5"];
    let recall = |more: &[&str]| {
        let told = json(&[&fit[..], more].concat());
        told["confusion"]["per_class"][1]["recall"].as_f64().unwrap()
    };
    assert_eq!(recall(&[]), 0.0);
    assert!(recall(&["--set", "class_weight=balanced"]) > 0.2);
}
