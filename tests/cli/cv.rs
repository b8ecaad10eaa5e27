//! `gristmill cv`.

use super::{Folder, gristmill, json, read, refused, run, text};

#[test]
fn candidates_keep_their_own_scores_after_one_that_fails() {
    let search = |grid: &str| {
        let cv = ["cv", "decision-tree-classifier", "data/wine.csv", "--target", "class", "--folds", "2", "--grid"];
        json(&[&cv[..], &[grid]].concat())
    };
    let (with, without) = (search("max_leaf_nodes=1,2,3,8"), search("max_leaf_nodes=2,3,8"));
    assert!(with["candidates"][0]["error"].as_str().unwrap().contains("at least 2"));
    assert_eq!(with["candidates"].as_array().unwrap()[1..], without["candidates"].as_array().unwrap()[..]);
    assert_eq!(with["scores"], without["scores"]);
}

#[test]
fn scores_that_nobody_asked_for_do_not_end_the_run() {
    let folder = Folder::new();
    let rows: String = (0..20).map(|row| format!("{row},{}\n", row * row)).collect();
    let numbers = folder.file("numbers.csv", format!("a,y\n{rows}"));
    let found = json(&["cv", "ridge", &numbers, "--target", "y", "--folds", "loo", "--scoring", "mae"]);
    assert_eq!(found["folds"]["mae"].as_array().unwrap().len(), 20);
    assert!(found["scores"]["rmse"].is_number() && found["scores"].get("r2").is_none());
    let errors = refused(2, &["cv", "ridge", &numbers, "--target", "y", "--folds", "loo"]);
    assert!(errors.contains("rmse or mae"), "{errors}");
    // Of the rare class some folds have no row, and then no area under a curve.
    let rows: String = (0..40).map(|row| format!("{row},{}\n", if row < 38 { "many" } else { "few" })).collect();
    let rare = folder.file("rare.csv", format!("a,y\n{rows}"));
    let cv = ["cv", "kneighbors-classifier", &rare, "--target", "y", "--set", "n_neighbors=1"];
    let found = json(&cv);
    assert!(found["folds"]["roc_auc"].as_array().unwrap().iter().any(|auc| auc.is_null()), "{found}");
    assert!(found["scores"]["roc_auc"].is_number() && found["scores"]["accuracy"].as_f64().unwrap() > 0.9);
    assert!(run(&cv).0.contains("(of 2 folds)"));
}

#[test]
fn pictures_go_by_the_score_that_decides() {
    let folder = Folder::new();
    let picture = folder.path("curve.svg");
    let cv = ["cv", "kneighbors-classifier", "data/iris.csv", "--target", "species", "--scoring", "log_loss", "--plot"];
    json(&[&cv[..], &[&picture]].concat());
    assert!(read(&picture).contains(">log loss<") && read(&picture).contains("Learning curve"));
    json(&[&cv[..], &[&picture, "--grid", "n_neighbors=5,1000,15"]].concat());
    let svg = read(&picture);
    assert!(svg.contains(">log loss<") && svg.contains("n_neighbors") && !svg.contains("NaN"));
    // With three parameters one bar for each combination that could be fitted.
    let three = ["--grid", "n_neighbors=5,1000", "--grid", "weights=uniform", "--grid", "metric=manhattan"];
    json(&[&cv[..], &[&picture], &three[..]].concat());
    assert!(!read(&picture).contains("n_neighbors=1000"));
}

#[test]
fn a_picture_that_cannot_be_drawn_does_not_lose_what_was_found() {
    let folder = Folder::new();
    let model = folder.path("iris.gm");
    let cv = ["cv", "kneighbors-classifier", "data/iris.csv", "--target", "species", "--device", "cpu", "--json"];
    let output = gristmill(&[&cv[..], &["--save", &model, "--plot", "/proc/curve.svg"]].concat()).output().unwrap();
    let (shown, errors) = text(&output);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    let found: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert!(found["scores"]["accuracy"].as_f64().unwrap() > 0.9 && found.get("plot").is_none());
    assert!(errors.contains("/proc/curve.svg"), "{errors}");
    run(&["predict", &model, "data/iris.csv"]);
    // A tenth of the rows is too few for 40 neighbours; the rest of the learning curve is drawn.
    let picture = folder.path("curve.svg");
    let found = json(&[&cv[..5], &["--set", "n_neighbors=40", "--plot", &picture]].concat());
    assert_eq!(found["plot"], picture.as_str());
}

#[test]
fn values_of_a_parameter_that_is_named_twice_are_joined() {
    let cv = ["cv", "kneighbors-classifier", "data/iris.csv", "--target", "species", "--grid", "n_neighbors=1,5"];
    let report = json(&[&cv[..], &["--grid", "n_neighbors=5,9"]].concat());
    let tried: Vec<u64> = report["candidates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tried| tried["parameters"]["n_neighbors"].as_u64().unwrap())
        .collect();
    assert_eq!(tried, [1, 5, 9]);
}
