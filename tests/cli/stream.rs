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

/// Two classes by the sign of a sum, 4000 rows.
fn signs(folder: &Folder) -> String {
    let row = |row: u32| {
        let (a, b) = (f64::from(row * 37 % 101) / 50.0 - 1.0, f64::from(row * 53 % 97) / 48.0 - 1.0);
        format!("{a},{b},{}\n", if a + b > 0.0 { "up" } else { "down" })
    };
    folder.file("signs.csv", format!("a,b,way\n{}", (0..4000).map(row).collect::<String>()))
}

#[test]
fn a_classifier_learns_predicts_and_is_scored_in_chunks() {
    let folder = Folder::new();
    let (data, model) = (signs(&folder), folder.path("signs.gm"));
    let fit = ["fit", "sgd-classifier", &data, "--target", "way", "--chunk-rows", "300", "--set", "loss=log_loss"];
    let report = json(&[&fit[..], &["--save", &model]].concat());
    assert_eq!((&report["rows"], &report["columns"], &report["iterations"]), (&4000.into(), &2.into(), &14.into()));
    let whole = json(&["evaluate", &model, &data]);
    let chunks = json(&["evaluate", &model, &data, "--chunk-rows", "700"]);
    assert!(whole["scores"]["accuracy"].as_f64().unwrap() > 0.95, "{whole}");
    assert_eq!(whole["scores"], chunks["scores"]);
    assert_eq!(whole["confusion"], chunks["confusion"]);
    let (all, _) = run(&["predict", &model, &data, "--proba"]);
    let (parts, _) = run(&["predict", &model, &data, "--proba", "--chunk-rows", "999"]);
    assert_eq!(all, parts);
    assert!(refused(2, &["predict", &model, &data, "--chunk-rows", "9", "--keep", "a"]).contains("--keep"));
}

#[test]
fn classes_that_the_first_chunk_lacks_can_be_named() {
    let folder = Folder::new();
    let rows = |class: &str, at: i32| (0..50).map(|row| format!("{},{class}\n", at + row % 7)).collect::<String>();
    let text = format!("a,kind\n{}{}{}", rows("1", -20), rows("2", 0), rows("3", 20));
    let data = folder.file("sorted.csv", text);
    let fit = ["fit", "sgd-classifier", &data, "--target", "kind", "--chunk-rows", "50"];
    assert!(refused(1, &fit).contains("class 2"));
    let report = json(&[&fit[..], &["--classes", "1,2,3"]].concat());
    assert_eq!(report["rows"], 150);
    assert!(refused(2, &[&fit[..], &["--classes", "1,2"]].concat()).contains("\"3\""));
}

#[test]
fn numbers_of_libsvm_and_npy_files_are_learnt_in_chunks() {
    let folder = Folder::new();
    let value = |row: u32| f64::from(row * 29 % 83) / 40.0 - 1.0;
    let lines: String =
        (0..2000).map(|row| format!("{} 1:{} 3:{}\n", 2.0 * value(row) - 1.0, value(row), value(row + 1))).collect();
    let data = folder.file("rows.libsvm", lines);
    let model = folder.path("rows.gm");
    let fit = ["fit", "sgd-regressor", &data, "--chunk-rows", "128", "--set", "eta0=0.1", "--save", &model];
    let report = json(&fit);
    assert_eq!((&report["rows"], &report["columns"]), (&2000.into(), &3.into()));
    let scored = json(&["evaluate", &model, &data, "--chunk-rows", "300"]);
    assert!(scored["scores"]["r2"].as_f64().unwrap() > 0.95, "{scored}");
    let x = gristmill::Matrix::from_vec(600, 2, (0..1200).map(|at| value(at) as f32).collect()).unwrap();
    let y = gristmill::Matrix::from_vec(600, 1, (0..600).map(|row| x.get(row, 0) - x.get(row, 1)).collect()).unwrap();
    let mut files = vec![];
    for (name, matrix) in [("x.npy", &x), ("y.npy", &y)] {
        let mut bytes = vec![];
        gristmill::data::write_npy(&mut bytes, matrix).unwrap();
        std::fs::write(folder.path(name), bytes).unwrap();
        files.push(folder.path(name));
    }
    let fit = ["fit", "sgd-regressor", &files[0], "--labels", &files[1], "--chunk-rows", "100", "--set", "eta0=0.1"];
    let report = json(&fit);
    assert_eq!((&report["rows"], &report["columns"], &report["iterations"]), (&600.into(), &2.into(), &6.into()));
}

#[test]
fn a_posterior_from_chunks_is_the_one_of_all_rows() {
    let folder = Folder::new();
    let value = |row: u32| f64::from(row * 29 % 83) / 40.0 - 1.0;
    let lines: String =
        (0..500).map(|row| format!("{},{},{}\n", value(row), value(row + 7), 2.0 * value(row) - 1.0)).collect();
    let data = folder.file("rows.csv", format!("a,b,y\n{lines}"));
    let (whole, parts) = (folder.path("whole.gm"), folder.path("parts.gm"));
    let fit = ["fit", "bayesian-linear-regression", &data, "--target", "y", "--save"];
    json(&[&fit[..], &[&whole]].concat());
    let report = json(&[&fit[..], &[&parts, "--chunk-rows", "64"]].concat());
    assert_eq!(report["rows"], 500);
    let scores =
        [&whole, &parts].map(|model| json(&["evaluate", model, &data, "--chunk-rows", "100"])["scores"]["r2"].clone());
    assert!((scores[0].as_f64().unwrap() - scores[1].as_f64().unwrap()).abs() < 1e-6, "{scores:?}");
    let rows = json(&["predict", &parts, &data, "--chunk-rows", "90", "--out", &folder.path("out.csv")]);
    assert_eq!(rows["rows"], 500, "{rows}");
}
