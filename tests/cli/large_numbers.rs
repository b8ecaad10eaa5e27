//! Numbers that f32 cannot tell apart, at the shell.

use super::{Folder, json, run};

const ROWS: u64 = 300;

fn file(folder: &Folder) -> String {
    let rows: String = (0..ROWS).map(|row| format!("{},{}\n", row as f64 / 4.0, 1_000_000_000 + row)).collect();
    folder.file("t.csv", format!("a,y\n{rows}"))
}

#[test]
fn a_billion_and_one_is_learnt_saved_predicted_and_scored() {
    let folder = Folder::new();
    let (data, model) = (file(&folder), folder.path("m.gm"));
    for name in
        ["linear-regression", "ridge", "kneighbors-regressor", "decision-tree-regressor", "gradient-boosting-regressor"]
    {
        let fitted = json(&["fit", name, &data, "--target", "y", "--split", "0.8", "--save", &model]);
        assert!(fitted["scores"]["r2"].as_f64().unwrap() > 0.99, "{name}: {}", fitted["scores"]);
        let (share, mape) =
            (fitted["scores"]["mae"].as_f64().unwrap() / 1e9, fitted["scores"]["mape"].as_f64().unwrap());
        assert!((mape - share).abs() <= 1e-3 * share, "{name}: {}", fitted["scores"]);
        assert!(fitted["scores"]["mae"].as_f64().unwrap() < 4.0, "{name}: {}", fitted["scores"]);
        let scored = json(&["evaluate", &model, &data]);
        assert!(scored["scores"]["r2"].as_f64().unwrap() > 0.998, "{name}: {}", scored["scores"]);
        let (predicted, _) = run(&["predict", &model, &data, "--device", "cpu"]);
        let numbers: Vec<f64> = predicted.lines().skip(1).map(|line| line.parse().unwrap()).collect();
        let error = numbers.iter().zip(0..).map(|(found, row)| (found - 1e9 - f64::from(row)).abs());
        assert!(error.sum::<f64>() / (ROWS as f64) < 3.0, "{name}: {predicted}");
        let crossed = json(&["cv", name, &data, "--target", "y"]);
        let scores = crossed["scores"]["r2"]["mean"].as_f64().or(crossed["scores"]["r2"].as_f64());
        assert!(scores.unwrap_or_else(|| panic!("{crossed}")) > 0.99, "{name}: {crossed}");
    }
}

#[test]
fn data_is_described_by_the_numbers_of_the_file() {
    let folder = Folder::new();
    let described = json(&["data", &file(&folder)]);
    let y = &described["columns"][1];
    assert_eq!((y["min"].as_f64(), y["max"].as_f64()), (Some(1e9), Some(1e9 + 299.0)));
    assert_eq!((y["mean"].as_f64(), y["distinct"].as_u64()), (Some(1e9 + 149.5), Some(ROWS)));
    let tenths = folder.file("tenths.csv", "a\n0.1\n0.2\n0.3\n");
    let column = &json(&["data", &tenths])["columns"][0];
    assert_eq!((column["min"].as_f64(), column["quartiles"][1].as_f64()), (Some(0.1), Some(0.2)));
    assert!((column["mean"].as_f64().unwrap() - 0.2).abs() < 1e-15);
}

#[test]
fn a_rounded_feature_is_named_with_the_remedy() {
    let folder = Folder::new();
    let rows: String = (0..30).map(|row| format!("{},{}\n", 1_700_000_000_u64 + 7 * row, row % 5)).collect();
    let data = folder.file("t.csv", format!("second,y\n{rows}"));
    let (_, notes) = run(&["fit", "ridge", &data, "--target", "y"]);
    assert!(notes.contains("column second") && notes.contains("--drop second"), "{notes}");
}
