//! LIBSVM files as sparse rows.

use super::{Folder, json, refused, run};

/// Forty rows of a hundred columns, three values each, and a number that two of them add up to.
fn rows(folder: &Folder) -> String {
    let row = |row: usize| format!("{} {}:1 {}:{} 100:2\n", 1 + row % 5, 1 + row % 40, 50 + row % 40, row % 5);
    folder.file("rows.libsvm", (0..40).map(row).collect::<String>())
}

#[test]
fn sparse_rows_are_described_by_their_size() {
    let folder = Folder::new();
    let data = rows(&folder);
    let described = json(&["data", &data, "--sparse"]);
    assert_eq!((&described["rows"], &described["sparse"]["columns"]), (&40.into(), &100.into()));
    assert!(run(&["data", &data, "--sparse"]).0.contains("40 sparse rows × 100 columns"));
    let described = json(&["data", &data]);
    assert!(described.get("sparse").is_none() && described["columns"].as_array().unwrap().len() == 100);
}

#[test]
fn models_of_dense_rows_are_given_those_and_refuse_others() {
    let folder = Folder::new();
    let (data, model) = (rows(&folder), folder.path("clusters.gm"));
    let fit = ["fit", "kmeans", &data, "--set", "n_clusters=2"];
    assert!(refused(2, &[&fit[..], &["--sparse"]].concat()).contains("dense rows"));
    let fitted = json(&[&fit[..], &["--save", &model]].concat());
    assert_eq!(fitted["columns"], 100);
    assert_eq!(run(&["predict", &model, &data, "--dense"]).0.lines().count(), 41);
    let errors = refused(1, &["predict", &model, &data, "--sparse"]);
    assert!(errors.contains("dense"), "{errors}");
    assert!(refused(2, &["predict", &model, &data, "--sparse", "--dense"]).contains("--dense"));
}

#[test]
fn a_linear_model_fits_predicts_and_scores_sparse_rows_as_dense_ones() {
    let folder = Folder::new();
    let data = rows(&folder);
    let [sparse, dense] = ["--sparse", "--dense"].map(|how| {
        let model = folder.path("ridge.gm");
        let fitted = json(&["fit", "ridge", &data, how, "--save", &model]);
        assert_eq!((&fitted["rows"], &fitted["columns"]), (&40.into(), &100.into()));
        let scored = json(&["evaluate", &model, &data, how]);
        let predicted = json(&["predict", &model, &data, how])["predictions"].clone();
        (scored["scores"]["r2"].as_f64().unwrap(), predicted[7].as_f64().unwrap())
    });
    assert!((sparse.0 - dense.0).abs() < 1e-4 && (sparse.1 - dense.1).abs() < 1e-3, "{sparse:?} {dense:?}");
    let split = json(&["fit", "ridge", &data, "--sparse", "--split", "0.8"]);
    assert!(split["scores"]["rmse"].is_number() && split["scored_rows"] == 8);
    let picture = folder.path("ridge.svg");
    assert!(refused(2, &["fit", "ridge", &data, "--sparse", "--plot", &picture]).contains("--dense"));
}
