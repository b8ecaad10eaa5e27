//! `gristmill data`.

use super::{Folder, json, refused, run};

#[test]
fn columns_are_described_by_type_range_and_categories() {
    let folder = Folder::new();
    let file = folder.file("mixed.csv", "n,w,t,e\n1.5,1,red,\n2.5,,blue,\n-3,7,red,\n,2,,\n");
    let described = json(&["data", &file]);
    assert_eq!(described["rows"], 4);
    let columns = described["columns"].as_array().unwrap();
    let types: Vec<&str> = columns.iter().map(|column| column["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["number", "integer", "text", "empty"]);
    let missing: Vec<u64> = columns.iter().map(|column| column["missing"].as_u64().unwrap()).collect();
    assert_eq!(missing, [1, 1, 1, 4]);
    assert_eq!((&columns[0]["min"], &columns[0]["max"]), (&(-3.0).into(), &2.5.into()));
    assert!((columns[1]["mean"].as_f64().unwrap() - 10.0 / 3.0).abs() < 1e-12);
    assert_eq!(columns[2]["categories"][1], serde_json::json!({"name": "red", "count": 2}));
    let (shown, _) = run(&["data", &file]);
    for word in ["4 rows × 4 columns", "integer", "blue (1)", "3.3333"] {
        assert!(shown.contains(word), "{word} in {shown}");
    }
}

#[test]
fn a_target_shows_its_classes() {
    let described = json(&["data", "data/iris.csv", "--target", "species"]);
    assert_eq!(described["target"]["classes"][2], serde_json::json!({"name": "virginica", "count": 50}));
    assert_eq!(described["columns"].as_array().unwrap().len(), 4);
    let (shown, _) = run(&["data", "data/iris.csv", "--target", "species"]);
    assert!(shown.contains("3 classes") && shown.contains("33.3 %"), "{shown}");
    let whole = json(&["data", "data/digits.csv", "--target", "digit"]);
    assert_eq!(whole["target"]["classes"].as_array().unwrap().len(), 10);
    assert_eq!(whole["target"]["numbers"][0]["max"], 9.0);
}

#[test]
fn labels_and_categories_can_be_named() {
    let folder = Folder::new();
    let (x, y) = (folder.file("x.csv", "a\n1\n2\n1\n"), folder.file("y.txt", "p\nq\nq\n"));
    let described = json(&["data", &x, "--labels", &y, "--categorical", "a"]);
    assert_eq!(described["target"]["classes"][1]["count"], 2);
    assert_eq!(described["columns"][0]["categories"][0]["name"], "1");
}

#[test]
fn a_column_that_mixes_is_named_with_line_and_cell() {
    let folder = Folder::new();
    let errors = refused(1, &["data", &folder.file("mix.csv", "a,b\n1,2\n3,four\n")]);
    for word in ["mix.csv", "line 3", "column b", "four"] {
        assert!(errors.contains(word), "{word} in {errors}");
    }
}

#[test]
fn quantiles_distinct_values_constants_and_duplicates_are_told() {
    let folder = Folder::new();
    let file = folder.file("t.csv", "a,k,c\n1,7,x\n2,7,y\n3,7,y\n4,7,y\n10,7,x\n10,7,x\n");
    let described = json(&["data", &file]);
    let a = &described["columns"][0];
    assert_eq!((&a["distinct"], &a["quartiles"]), (&5.into(), &serde_json::json!([2.25, 3.5, 8.5])));
    assert!((a["deviation"].as_f64().unwrap() - 3.651_484).abs() < 1e-5, "{a}");
    assert_eq!((&described["columns"][2]["distinct"], &described["duplicates"]), (&2.into(), &1.into()));
    let (shown, _) = run(&["data", &file]);
    assert!(shown.contains("One value in all rows: k") && shown.contains("1 row is the same"), "{shown}");
}

#[test]
fn tables_fit_the_width_of_the_terminal() {
    for arguments in
        [&["data", "data/breast_cancer.csv", "--target", "diagnosis"][..], &["data", "data/play_tennis.csv"]]
    {
        let output = super::gristmill(arguments).env("COLUMNS", "80").output().unwrap();
        let (shown, _) = super::text(&output);
        let longest = shown.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(output.status.success() && longest <= 80, "{longest}: {shown}");
    }
}

#[test]
fn correlations_with_the_target_are_told_the_largest_first() {
    let described = json(&["data", "data/diabetes.csv", "--target", "progression"]);
    let of = |name: &str| {
        let columns = described["columns"].as_array().unwrap();
        columns.iter().find(|column| column["name"] == name).unwrap()["correlation"].as_f64().unwrap()
    };
    // numpy.corrcoef of scikit-learn's table.
    assert!((of("bmi") - 0.586_450_13).abs() < 1e-6 && (of("s3") + 0.394_789_25).abs() < 1e-6);
    let (shown, _) = run(&["data", "data/diabetes.csv", "--target", "progression"]);
    assert!(shown.contains("Correlation with the target: bmi 0.586, "), "{shown}");
    let (shown, _) = run(&["data", "data/breast_cancer.csv", "--target", "diagnosis"]);
    assert!(shown.contains("Correlation with the target: ") && shown.contains("(top 10 of 30)"), "{shown}");
    let (shown, _) = run(&["data", "data/iris.csv", "--target", "species"]);
    assert!(!shown.contains("Correlation"), "three classes have no order: {shown}");
}

#[test]
fn a_number_is_never_broken_where_a_long_name_is() {
    let folder = Folder::new();
    let name = "a_column_whose_name_is_longer_than_most_names_are_that_one_meets";
    let rows: String = (0..9).map(|row| format!("-{row}23456.78125,{row}\n")).collect();
    let file = folder.file("t.csv", format!("{name},y\n{rows}"));
    let output = super::gristmill(&["data", &file]).env("COLUMNS", "80").output().unwrap();
    let (shown, _) = super::text(&output);
    for number in ["-823456.8", "-423456.8", "-23456.8"] {
        assert!(shown.contains(number), "{number} in {shown}");
    }
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
}
