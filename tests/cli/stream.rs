//! Files that are read in chunks.

use super::{Folder, json, refused, run};

/// Two clusters around 0 and 100, and what they are called.
fn blobs(folder: &Folder) -> String {
    let row = |row: u32| format!("{},{},{}\n", row % 7 + 100 * (row % 2), row % 5 + 100 * (row % 2), row % 2);
    folder.file("blobs.csv", format!("a,b,kind\n{}", (0..1000).map(row).collect::<String>()))
}

#[test]
fn chunks_find_the_clusters_and_the_model_knows_its_columns() {
    let folder = Folder::new();
    let (data, model) = (blobs(&folder), folder.path("stream.gm"));
    let fit = ["fit", "mini-batch-kmeans", &data, "--target", "kind", "--set", "n_clusters=2", "--chunk-rows", "100"];
    let report = json(&[&fit[..], &["--save", &model]].concat());
    assert_eq!((&report["rows"], &report["columns"], &report["iterations"]), (&1000.into(), &2.into(), &10.into()));
    assert!(report["seconds"]["load"].is_number() && report["seconds"]["fit"].is_number());
    let scored = json(&["evaluate", &model, &data, "--target", "kind"]);
    assert_eq!(scored["scores"]["adjusted_rand"], 1.0);
    let (shown, _) = run(&["predict", &model, &folder.file("new.csv", "b,a\n0,1\n101,104\n")]);
    assert_eq!(shown.lines().count(), 3);
}

#[test]
fn what_needs_all_rows_at_once_is_refused() {
    let folder = Folder::new();
    let data = blobs(&folder);
    assert!(refused(2, &["fit", "kmeans", &data, "--chunk-rows", "100"]).contains("mini-batch-kmeans"));
    let fit = ["fit", "mini-batch-kmeans", &data, "--chunk-rows", "100"];
    assert!(refused(2, &[&fit[..], &["--scale"]].concat()).contains("--scale"));
    assert!(refused(2, &[&fit[..], &["--split", "0.5"]].concat()).contains("--split"));
    let text = folder.file("text.csv", "a,b\n1,x\n2,y\n");
    let errors = refused(1, &["fit", "mini-batch-kmeans", &text, "--chunk-rows", "2", "--set", "n_clusters=1"]);
    assert!(errors.contains("text in b") && errors.contains("--drop"), "{errors}");
}

#[test]
fn chunks_are_drawn_with_the_last_rows_and_report_no_sum_of_distances() {
    let folder = Folder::new();
    let (data, picture) = (blobs(&folder), folder.path("blobs.svg"));
    let fit = ["fit", "mini-batch-kmeans", &data, "--drop", "kind", "--set", "n_clusters=2", "--chunk-rows", "100"];
    let report = json(&[&fit[..], &["--plot", &picture]].concat());
    assert!(report["scores"].get("inertia").is_none() && report.get("converged").is_none(), "{report}");
    let svg = super::read(&picture);
    assert!(svg.contains("centres") && svg.matches("<circle").count() + svg.matches("<path").count() > 40);
    assert!(refused(2, &[&fit[..], &["--step", "min-max-scaler"]].concat()).contains("--step"));
}
