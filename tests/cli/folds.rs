//! Groups, the order of time, repeats, and rows that are scored by a column or for being the last.

use super::{Folder, json, refused, run};

/// 20 groups of 5 rows; the target is a number of the group's own, which no other group tells.
fn grouped(folder: &Folder) -> String {
    let row = |row: u32| {
        let group = row / 5;
        format!("{},{},p{group},{},2024-01-{:02}\n", 10 * group, row % 5, group * 37 % 20, 1 + row % 28)
    };
    folder.file("g.csv", format!("a,b,patient,y,day\n{}", (0..100).map(row).collect::<String>()))
}

#[test]
fn rows_of_a_group_stay_together() {
    let folder = Folder::new();
    let file = grouped(&folder);
    let cv = ["cv", "kneighbors-regressor", &file, "--target", "y", "--drop", "day", "--set", "n_neighbors=1"];
    let apart = json(&[&cv[..], &["--drop", "patient"]].concat());
    let together = json(&[&cv[..], &["--group", "patient"]].concat());
    // A neighbour of the same group tells the target; one of another group does not.
    assert!(apart["scores"]["r2"].as_f64().unwrap() > 0.9, "{apart}");
    assert!(together["scores"]["r2"].as_f64().unwrap() < 0.5, "{together}");
    assert_eq!(together["columns"], 2);
    assert!(refused(2, &[&cv[..], &["--group", "patient", "--folds", "30"]].concat()).contains("20"));
}

#[test]
fn folds_in_the_order_of_time_come_after_what_is_fitted() {
    let folder = Folder::new();
    // The times are in the reverse order of the rows; only the order of the column can be learnt.
    let rows: String = (0..60).map(|row| format!("{},{},{}\n", 59 - row, (59 - row) / 20, row % 7)).collect();
    let file = folder.file("t.csv", format!("day,y,x\n{rows}"));
    let cv = ["cv", "dummy-regressor", &file, "--target", "y", "--folds", "2", "--scoring", "mae"];
    let ordered = json(&[&cv[..], &["--time", "day"]].concat());
    // Fitted on days 0–19 (y = 0), tested on 20–39 (y = 1); then on 0–39 (mean 0.5), tested on 40–59 (y = 2).
    assert_eq!(ordered["folds"]["mae"], serde_json::json!([1.0, 1.5]), "{ordered}");
    let in_file = json(&[&cv[..], &["--ordered", "--drop", "day"]].concat());
    assert_eq!(in_file["folds"]["mae"], serde_json::json!([1.0, 1.5]), "{in_file}");
    assert!(refused(2, &[&cv[..], &["--gap", "3"]].concat()).contains("--time"));
}

#[test]
fn folds_are_repeated() {
    let found =
        json(&["cv", "ridge", "data/diabetes.csv", "--target", "progression", "--folds", "4", "--repeats", "3"]);
    let folds = found["folds"]["r2"].as_array().unwrap();
    assert_eq!(folds.len(), 12);
    assert_ne!(folds[..4], folds[4..8]);
}

#[test]
fn a_column_or_the_last_rows_say_what_is_scored() {
    let folder = Folder::new();
    let rows: String = (0..50).map(|row| format!("{row},{},{}\n", 2 * row, ["train", "Test"][row / 40])).collect();
    let file = folder.file("t.csv", format!("x,y,part\n{rows}"));
    let fit = ["fit", "linear-regression", &file, "--target", "y"];
    let by_column = json(&[&fit[..], &["--split-column", "part"]].concat());
    assert_eq!((by_column["scored_rows"].as_u64(), by_column["columns"].as_u64()), (Some(10), Some(1)), "{by_column}");
    let last = json(&[&fit[..], &["--drop", "part", "--split", "0.8", "--last"]].concat());
    assert_eq!(last["scores"]["mae"], by_column["scores"]["mae"]);
    assert!(refused(2, &[&fit[..], &["--split-column", "x"]].concat()).contains("train and test"));
    let (_, errors) = run(&[&fit[..], &["--split-column", "part"]].concat());
    assert!(!errors.contains("panicked"));
}
