//! `gristmill export`.

use super::{Folder, json, refused, run};

#[test]
fn boosted_trees_become_lightgbms_text_with_the_names_of_the_columns() {
    let folder = Folder::new();
    let (model, text) = (folder.path("cancer.gm"), folder.path("cancer.txt"));
    let fit = ["fit", "gradient-boosting-classifier", "data/breast_cancer.csv", "--target", "diagnosis"];
    run(&[&fit[..], &["--set", "n_estimators=3", "--save", &model]].concat());
    let (shown, _) = run(&["export", &model, &text]);
    assert!(shown.contains("lines for LightGBM"));
    let written = std::fs::read_to_string(&text).unwrap();
    for line in ["tree", "version=v4", "objective=binary sigmoid:1", "Tree=2", "end of trees"] {
        assert!(written.lines().any(|other| other == line), "{line} in {written}");
    }
    let names = written.lines().find_map(|line| line.strip_prefix("feature_names=")).unwrap();
    assert!(names.starts_with("mean_radius mean_texture ") && names.split(' ').count() == 30, "{names}");
    let told = json(&["export", &model, &text]);
    assert_eq!((told["columns"].as_array().unwrap().len(), &told["format"]), (30, &"lightgbm".into()));
    assert_eq!(told["bytes"].as_u64().unwrap(), written.len() as u64);
}

#[test]
fn what_the_format_cannot_hold_is_refused_and_nothing_is_written() {
    let folder = Folder::new();
    let (model, text) = (folder.path("model.gm"), folder.path("model.txt"));
    run(&["fit", "kmeans", "data/iris.csv", "--drop", "species", "--save", &model]);
    assert!(refused(2, &["export", &model, &text]).contains("boosted trees"));
    let fit =
        ["fit", "gradient-boosting-classifier", "data/iris.csv", "--target", "species", "--scale", "--save", &model];
    run(&[&fit[..], &["--set", "n_estimators=2"]].concat());
    assert!(refused(2, &["export", &model, &text]).contains("standard-scaler"));
    assert!(!std::path::Path::new(&text).exists());
}
