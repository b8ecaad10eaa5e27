//! Several files, and files of columns, at the shell.

use super::{Folder, json, refused, run};

fn parts(folder: &Folder) -> String {
    let row = |row: u32| format!("{row},{},{}\n", row % 7, ["no", "yes"][(row % 3 / 2) as usize]);
    folder.file("part-1.csv", format!("a,b,kind\n{}", (0..30).map(row).collect::<String>()));
    folder.file("part-2.csv", format!("a,b,kind\n{}", (30..60).map(row).collect::<String>()));
    folder.path("part-*.csv")
}

#[test]
fn a_pattern_and_a_list_of_files_are_one_table() {
    let folder = Folder::new();
    let pattern = parts(&folder);
    let (first, second) = (folder.path("part-1.csv"), folder.path("part-2.csv"));
    let options = ["--target", "kind", "--split", "0.8"];
    let by_pattern = json(&[&["fit", "decision-tree-classifier", &pattern][..], &options].concat());
    let by_list = json(&[&["fit", "decision-tree-classifier", &first, &second][..], &options].concat());
    assert_eq!((by_pattern["rows"].as_u64(), by_list["rows"].as_u64()), (Some(60), Some(60)));
    assert_eq!(by_pattern["scores"], by_list["scores"]);
    assert_eq!(json(&["data", &pattern])["rows"], 60);
    let model = folder.path("m.gm");
    run(&["fit", "decision-tree-classifier", &pattern, "--target", "kind", "--save", &model, "--device", "cpu"]);
    let (predicted, _) = run(&["predict", &model, &pattern, "--device", "cpu"]);
    assert_eq!(predicted.lines().count(), 61);
    folder.file("part-3.csv", "a,c,kind\n1,2,no\n");
    let errors = refused(1, &["fit", "decision-tree-classifier", &pattern, "--target", "kind"]);
    assert!(errors.contains("part-3.csv") && errors.contains("column c"), "{errors}");
    assert!(refused(1, &["data", &folder.path("none-*.csv")]).contains("no file matches"));
}

#[test]
fn parquet_arrow_and_json_lines_are_fitted_predicted_and_evaluated() {
    let folder = Folder::new();
    let model = folder.path("m.gm");
    let lines: String = (0..40).map(|row| format!("{{\"x\":{row},\"kind\":\"{}\"}}\n", ["a", "b"][row / 20])).collect();
    let jsonl = folder.file("t.jsonl", &lines);
    let columnar = |name: &str| format!("{}/tests/data/columnar/{name}", env!("CARGO_MANIFEST_DIR"));
    let cases = [
        (columnar("snappy.parquet"), "coded", &["--drop", "list"][..]),
        (columnar("file.arrow"), "coded", &["--drop", "list"]),
        (jsonl, "kind", &[]),
    ];
    for (file, target, options) in cases {
        let fit = ["fit", "decision-tree-classifier", &file, "--target", target, "--save", &model];
        let fitted = json(&[&fit[..], options].concat());
        assert_eq!(fitted["rows"], 40, "{file}");
        let scored = json(&["evaluate", &model, &file]);
        assert!(scored["scores"]["accuracy"].as_f64().unwrap() > 0.5, "{file}: {scored}");
        let (predicted, _) = run(&["predict", &model, &file, "--device", "cpu"]);
        assert_eq!(predicted.lines().count(), 41, "{file}");
    }
}
