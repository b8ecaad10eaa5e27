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
