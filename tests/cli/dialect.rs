//! Files in other dialects, and what is said about doubtful ones.

use std::io::Write;
use std::process::Stdio;

use super::{Folder, gristmill, json, refused, run, text};

#[test]
fn flags_say_how_a_file_is_read() {
    let folder = Folder::new();
    let file = folder.file("t.txt", b"made by hand\n# units\n1.234,5;K\xf6ln;-999\n7;Ulm;2,5\n");
    let read = ["--skip-lines", "1", "--comment", "#", "--decimal", ",", "--thousands", "."];
    let more = ["--encoding", "latin1", "--na=-999", "--header", "no", "--delimiter", "semicolon", "--format", "csv"];
    let described = json(&[&["data", &file][..], &read, &more].concat());
    assert_eq!((&described["rows"], &described["columns"][0]["max"]), (&2.into(), &1234.5.into()));
    assert_eq!(described["columns"][1]["categories"][0]["name"], "Köln");
    assert_eq!(described["columns"][2]["missing"], 1);
    assert!(refused(2, &["data", &file, "--delimiter", "ab"]).contains("one ASCII character"));
}

#[test]
fn a_hyphen_is_standard_input_for_fit_and_predict() {
    let folder = Folder::new();
    let model = folder.path("m.gm");
    let feed = |arguments: &[&str]| {
        let mut command = gristmill(arguments);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(&std::fs::read("data/iris.csv").unwrap()).unwrap();
        let output = child.wait_with_output().unwrap();
        let (shown, errors) = text(&output);
        assert!(output.status.success(), "{errors}");
        shown
    };
    assert!(
        feed(&["fit", "decision-tree-classifier", "-", "--target", "species", "--save", &model]).contains("150 rows")
    );
    let predicted = feed(&["predict", &model, "-"]);
    assert_eq!(predicted.lines().count(), 151);
}

#[test]
fn doubtful_headers_and_columns_are_noted_unless_quiet() {
    let folder = Folder::new();
    let file = folder.file("t.csv", "red,warm\nblue,cold\ngreen,mild\n");
    assert!(run(&["data", &file]).1.contains("--header no"));
    assert!(!run(&["data", &file, "--header", "yes"]).1.contains("--header"));
    assert!(!run(&["data", &file, "--quiet"]).1.contains("--header"));
    assert!(run(&["data", &folder.file("d.csv", "a,a\n1,2\n")]).1.contains("\"a_2\""));
    assert!(run(&["data", &folder.file("n.csv", "0,1,2\n5,6,1\n")]).1.contains("--header yes"));
}

#[test]
fn dates_are_taken_apart_for_fit_and_predict() {
    let folder = Folder::new();
    let rows: String =
        (0..60).map(|row| format!("2024-{:02}-{:02},{}\n", row % 12 + 1, row % 28 + 1, row % 12)).collect();
    let (file, model) = (folder.file("t.csv", format!("when,y\n{rows}")), folder.path("m.gm"));
    run(&["fit", "decision-tree-regressor", &file, "--target", "y", "--dates", "when", "--save", &model]);
    let (shown, _) = run(&["predict", &model, &file, "--dates", "when"]);
    assert_eq!(shown.lines().nth(3), Some("2"));
    assert!(refused(1, &["predict", &model, &file]).contains("--dates when"));
}

#[test]
fn what_is_likely_not_meant_in_the_data_is_a_warning() {
    let folder = Folder::new();
    let rows: String =
        (0..40).map(|row| format!("{},{},{}\n", 500 + row, row % 7, if row < 3 { "rare" } else { "usual" })).collect();
    let file = folder.file("t.csv", format!("number,x,y\n{rows}"));
    let fit = ["fit", "decision-tree-classifier", &file, "--target", "y", "--set", "min_samples_leaf=5"];
    let (_, errors) = run(&fit);
    assert!(errors.contains("\"number\" looks like an id"), "{errors}");
    assert!(errors.contains("class \"rare\" has 3 rows") && errors.contains("min_samples_leaf=3"), "{errors}");
}

#[test]
fn dropped_rows_are_counted() {
    let folder = Folder::new();
    let file = folder.file("t.csv", "a,b,y\n1,2,u\n,3,v\n4,5,\n6,7,v\n");
    let fit = ["fit", "decision-tree-classifier", &file, "--target", "y"];
    let (_, errors) = run(&[&fit[..], &["--missing", "drop"]].concat());
    assert!(errors.contains("2 of 4 rows"), "{errors}");
    let (shown, errors) = run(&[&fit[..], &["--drop-unlabelled"]].concat());
    assert!(errors.contains("1 row without a target") && shown.contains("3 rows"), "{errors}{shown}");
}
