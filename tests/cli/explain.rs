//! Importances and Shapley values as numbers, and what a model file tells of its fit.

use super::{Folder, PEOPLE, json, read, refused, run};

/// The header and the numbers of a CSV file.
fn cells(csv: &str) -> (Vec<&str>, Vec<Vec<&str>>) {
    let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    (lines.next().unwrap(), lines.collect())
}

#[test]
fn contributions_of_a_forest_add_up_to_the_probability_of_each_class() {
    let folder = Folder::new();
    let model = folder.path("wine.gm");
    let fit = ["fit", "random-forest-classifier", "data/wine.csv", "--target", "class", "--set", "n_estimators=10"];
    run(&[&fit[..], &["--save", &model]].concat());
    let (shown, _) = run(&["predict", &model, "data/wine.csv", "--proba", "--contributions"]);
    let (names, rows) = cells(&shown);
    // The prediction, three probabilities, and 13 columns and a base for each class.
    assert_eq!((names.len(), rows.len()), (1 + 3 + 3 * 14, 178));
    assert_eq!((names[4], names[17]), ("c_class_0_alcohol", "c_class_0_base"));
    for row in &rows {
        let number = |at: usize| row[at].parse::<f64>().unwrap();
        for class in 0..3 {
            let sum: f64 = (0..14).map(|column| number(4 + 14 * class + column)).sum();
            assert!((sum - number(1 + class)).abs() < 1e-5, "{sum} and {}", row[1 + class]);
        }
    }
    let told = json(&["predict", &model, "data/wine.csv", "--contributions"]);
    let outputs = told["contributions"]["outputs"].as_array().unwrap();
    assert_eq!((outputs.len(), &outputs[2]["of"]), (3, &"class_2".into()));
    assert_eq!(outputs[0]["values"].as_array().unwrap().len(), 178);
    assert_eq!(told["contributions"]["columns"][0], "alcohol");
    assert_eq!(outputs[0]["base"].as_f64().unwrap() as f32, rows[0][17].parse::<f32>().unwrap());
}

#[test]
fn contributions_of_a_regressor_behind_steps_are_of_the_columns_it_sees() {
    let folder = Folder::new();
    let (people, model, out) = (folder.file("people.csv", PEOPLE), folder.path("people.gm"), folder.path("why.csv"));
    let fit = ["fit", "gradient-boosting-regressor", &people, "--target", "height", "--one-hot", "--drop", "kind"];
    run(&[&fit[..], &["--set", "min_samples_leaf=1", "--set", "n_estimators=9", "--save", &model]].concat());
    run(&["predict", &model, &people, "--contributions", "--out", &out]);
    let csv = read(&out);
    let (names, rows) = cells(&csv);
    assert_eq!(names, ["prediction", "c_age", "c_city_Bern", "c_city_Graz", "c_city_Ulm", "c_base"]);
    for row in rows {
        let numbers: Vec<f64> = row.iter().map(|cell| cell.parse().unwrap()).collect();
        assert!((numbers[1..].iter().sum::<f64>() - numbers[0]).abs() < 1e-5, "{row:?}");
    }
    let neighbours = folder.path("knn.gm");
    run(&["fit", "kneighbors-classifier", "data/iris.csv", "--target", "species", "--save", &neighbours]);
    let errors = refused(2, &["predict", &neighbours, "data/iris.csv", "--contributions"]);
    assert!(errors.contains("--permutation-importance"), "{errors}");
}

#[test]
fn inspect_tells_importances_in_text_json_and_csv() {
    let folder = Folder::new();
    let (model, csv) = (folder.path("cancer.gm"), folder.path("importances.csv"));
    let fit = ["fit", "gradient-boosting-classifier", "data/breast_cancer.csv", "--target", "diagnosis"];
    run(&[&fit[..], &["--set", "n_estimators=20", "--split", "0.8", "--seed", "3", "--save", &model]].concat());
    let (shown, _) = run(&["inspect", &model, "--importances", &csv]);
    assert!(shown.contains("importance, top 20 of 30"), "{shown}");
    let told = json(&["inspect", &model]);
    let importances = told["importances"].as_array().unwrap();
    let sum: f64 = importances.iter().map(|of| of["importance"].as_f64().unwrap()).sum();
    assert!((sum - 1.0).abs() < 1e-9 && importances.len() == 30, "{sum}");
    let text = read(&csv);
    let (names, rows) = cells(&text);
    assert_eq!((names, rows.len()), (vec!["column", "importance"], 30));
    assert_eq!(rows[0][0], importances[0]["column"]);
    assert_eq!(rows[0][1].parse::<f64>().unwrap(), importances[0]["importance"].as_f64().unwrap());
    // The columns of the importances are named in the report of the fit, too.
    let fitted = json(&[&fit[..], &["--set", "n_estimators=5"]].concat());
    assert_eq!(fitted["input_columns"].as_array().unwrap().len(), 30);
    let plain = folder.path("kmeans.gm");
    run(&["fit", "kmeans", "data/iris.csv", "--drop", "species", "--save", &plain]);
    assert!(refused(2, &["inspect", &plain, "--importances", &csv]).contains("tells no importances"));
}

#[test]
fn a_model_file_tells_what_it_was_fitted_on_and_how_good_it_was() {
    let folder = Folder::new();
    let (model, again) = (folder.path("cancer.gm"), folder.path("again.gm"));
    let fit = ["fit", "decision-tree-classifier", "data/breast_cancer.csv", "--target", "diagnosis", "--split", "0.8"];
    let report = json(&[&fit[..], &["--seed", "3", "--save", &model]].concat());
    let (shown, _) = run(&["inspect", &model]);
    assert!(shown.contains("fitted on 455 rows of data/breast_cancer.csv, with seed 3"), "{shown}");
    assert!(shown.contains("score of 114 other rows") && shown.contains("written 20"), "{shown}");
    let told = json(&["inspect", &model]);
    assert_eq!(told["fit"]["scores"]["accuracy"], report["scores"]["accuracy"]);
    // No moment is part of the file: the same fit gives the same bytes.
    run(&[&fit[..], &["--seed", "3", "--save", &again]].concat());
    assert_eq!(std::fs::read(&model).unwrap(), std::fs::read(&again).unwrap());
}
