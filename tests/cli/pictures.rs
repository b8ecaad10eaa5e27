//! `--plot`.

use super::{Folder, json, read};

/// The picture that these arguments draw.
#[track_caller]
fn drawn(arguments: &[&str]) -> String {
    let folder = Folder::new();
    let path = folder.path("picture.svg");
    let report = json(&[arguments, &["--plot", &path]].concat());
    assert_eq!(report["plot"], path.as_str());
    let svg = read(&path);
    assert!(svg.starts_with("<svg") && !svg.contains("NaN"));
    svg
}

#[test]
fn two_features_show_regions_in_their_own_units() {
    let fit = ["fit", "kneighbors-classifier", "data/iris.csv", "--target", "species", "--scale"];
    let svg = drawn(&[&fit[..], &["--features", "petal_length,petal_width"]].concat());
    for word in ["Decision regions", "petal_length", "petal_width", "setosa"] {
        assert!(svg.contains(word), "{word}");
    }
    assert!(!svg.contains("Confusion"));
}

#[test]
fn more_features_show_confusion_and_principal_regions() {
    let fit = ["fit", "kneighbors-classifier", "data/wine.csv", "--target", "class", "--scale", "--split", "0.7"];
    let svg = drawn(&fit);
    assert!(svg.contains("Confusion matrix") && svg.contains("first principal direction") && !svg.contains("ROC"));
}

#[test]
fn two_classes_show_a_roc_curve() {
    let fit = ["fit", "kneighbors-classifier", "data/breast_cancer.csv", "--target", "diagnosis", "--split", "0.8"];
    let svg = drawn(&fit);
    assert!(svg.contains("ROC curve") && svg.contains("AUC"));
}

#[test]
fn a_regression_shows_residuals_and_one_feature_a_curve() {
    let fit = ["fit", "kneighbors-regressor", "data/diabetes.csv", "--target", "progression", "--split", "0.8"];
    let svg = drawn(&fit);
    assert!(svg.contains("Predicted against target") && svg.contains("Residuals"));
    let svg = drawn(&[&fit[..], &["--features", "bmi"]].concat());
    assert!(svg.contains("Fitted curve") && svg.contains("bmi") && svg.contains("progression"));
}

#[test]
fn clusters_show_their_centres_and_outliers_stand_apart() {
    let svg = drawn(&["fit", "kmeans", "data/iris.csv", "--drop", "species", "--set", "n_clusters=3"]);
    assert!(svg.contains("Clusters") && svg.contains("centres"));
    let svg = drawn(&["fit", "local-outlier-factor", "data/wine.csv", "--drop", "class"]);
    assert!(svg.contains("Outliers") && svg.contains("others"));
    let svg = drawn(&["fit", "mini-batch-kmeans", "data/iris.csv", "--drop", "species", "--chunk-rows", "50"]);
    assert!(svg.contains("centres"));
}

#[test]
fn evaluate_draws_too() {
    let folder = Folder::new();
    let model = folder.path("wine.gm");
    super::run(&["fit", "kneighbors-classifier", "data/wine.csv", "--target", "class", "--save", &model]);
    assert!(drawn(&["evaluate", &model, "data/wine.csv"]).contains("Confusion matrix"));
}

#[test]
fn forests_show_importances_and_boosting_its_errors() {
    let cancer = ["data/breast_cancer.csv", "--target", "diagnosis", "--split", "0.8"];
    for model in ["random-forest-classifier", "extra-trees-classifier"] {
        assert!(drawn(&[&["fit", model], &cancer[..], &["--set", "n_estimators=20"]].concat()).contains("Importances"));
    }
    let svg = drawn(&[&["fit", "ada-boost-classifier"], &cancer[..]].concat());
    assert!(svg.contains("Errors after each round") && svg.contains("share wrong") && !svg.contains(">Loss<"));
    assert!(svg.contains(">fitted rows<") && svg.contains(">new rows<"));
    let stop = ["--set", "n_iter_no_change=3", "--set", "n_estimators=20"];
    let svg = drawn(&[&["fit", "gradient-boosting-classifier"], &cancer[..], &stop].concat());
    assert!(svg.contains("Validation loss") && svg.contains(">log loss<") && svg.contains("Errors after each round"));
    let svg = drawn(&["fit", "id3-classifier", "data/play_tennis.csv", "--target", "play"]);
    assert!(svg.contains("Importances") && !svg.contains("Decision regions"));
}

#[test]
fn trees_show_what_each_column_adds_to_the_predictions() {
    for (model, set) in [
        ("gradient-boosting-classifier", "n_estimators=5"),
        ("random-forest-classifier", "n_estimators=5"),
        ("decision-tree-classifier", "max_depth=3"),
    ] {
        let data = ["data/breast_cancer.csv", "--target", "diagnosis", "--set", set];
        let svg = drawn(&[&["fit", model], &data[..]].concat());
        assert!(svg.contains("Shapley values") && svg.contains("worst_"), "{model}");
    }
    let svg = drawn(&["fit", "extra-trees-regressor", "data/diabetes.csv", "--target", "progression"]);
    assert!(svg.contains("Shapley values") && svg.contains("bmi"));
    let svg = drawn(&["fit", "random-forest-classifier", "data/iris.csv", "--target", "species"]);
    assert!(!svg.contains("Shapley values"), "three classes have no one number to explain");
}

#[test]
fn ada_boost_and_bagging_show_their_regions_stage_by_stage() {
    let flowers = ["data/iris.csv", "--target", "species", "--features", "petal_length,petal_width"];
    let svg = drawn(&[&["fit", "ada-boost-classifier"], &flowers[..], &["--set", "n_estimators=12"]].concat());
    for stage in ["2 rounds:", "10 rounds:", "12 rounds:"] {
        assert!(svg.contains(&format!("Decision regions, {stage}")), "{stage}");
    }
    assert!(!svg.contains("50 rounds"));
    let bagging = ["fit", "bagging-classifier", "--set", "n_estimators=100", "--split", "0.7", "--scale"];
    let svg = drawn(&[&bagging[..], &flowers].concat());
    for stage in ["1 bag:", "10 bags:", "100 bags:"] {
        assert!(svg.contains(&format!("Decision regions, {stage}")) && svg.contains("of new rows right"), "{stage}");
    }
}

#[test]
fn a_tree_shows_the_path_of_its_pruning() {
    let svg = drawn(&["fit", "decision-tree-classifier", "data/wine.csv", "--target", "class", "--split", "0.7"]);
    assert!(svg.contains("Leaves along the path of pruning") && svg.contains("accuracy"));
    let svg = drawn(&["fit", "decision-tree-regressor", "data/diabetes.csv", "--target", "progression"]);
    assert!(svg.contains("Leaves along the path of pruning") && svg.contains(">R²<"));
}

#[test]
fn a_shapley_summary_says_what_is_explained() {
    let cancer = ["data/breast_cancer.csv", "--target", "diagnosis", "--set", "n_estimators=5"];
    let svg = drawn(&[&["fit", "gradient-boosting-classifier"], &cancer[..]].concat());
    assert!(svg.contains("what the column adds to the log-odds of malignant"));
    let svg = drawn(&[&["fit", "random-forest-classifier"], &cancer[..]].concat());
    assert!(svg.contains("what the column adds to the probability of malignant"));
    let diabetes = ["data/diabetes.csv", "--target", "progression", "--set", "n_estimators=5"];
    let svg = drawn(&[&["fit", "gradient-boosting-regressor", "--set", "loss=poisson"], &diabetes[..]].concat());
    assert!(svg.contains("what the column adds to the logarithm of progression"));
    // Categories are neither high nor low.
    let folder = Folder::new();
    let people = folder.file("people.csv", super::PEOPLE);
    let svg = drawn(&["fit", "random-forest-classifier", &people, "--target", "kind", "--set", "n_estimators=5"]);
    assert!(svg.contains(">a category<") && svg.contains(">low value<") && !svg.contains(">missing<"));
}

#[test]
fn a_grid_of_words_has_its_words_along_the_axis() {
    let cv = ["cv", "decision-tree-classifier", "data/iris.csv", "--target", "species"];
    let svg = drawn(&[&cv[..], &["--grid", "max_features=1,sqrt,log2,none"]].concat());
    for word in [">1<", ">sqrt<", ">log2<", ">none<"] {
        assert!(svg.contains(word), "{word}");
    }
    let two = ["--grid", "max_depth=1,none", "--grid", "criterion=gini,entropy"];
    let svg = drawn(&[&cv[..], &two].concat());
    assert!(svg.contains(">none<") && !svg.contains("null"));
    let svg = drawn(&[&cv[..], &two, &["--grid", "min_samples_leaf=1,20"]].concat());
    assert!(svg.contains(">none, gini, 20<") && svg.contains("the best 8 of 8"));
}

#[test]
fn a_picture_that_would_not_be_what_its_name_says_is_refused() {
    let folder = Folder::new();
    let picture = folder.path("iris.jpg");
    let fit = ["fit", "kmeans", "data/iris.csv", "--drop", "species", "--plot", &picture];
    assert!(super::refused(2, &fit).contains(".svg"));
    let cv = ["cv", "kneighbors-classifier", "data/iris.csv", "--target", "species", "--plot", &picture];
    assert!(super::refused(2, &cv).contains(".svg"));
    assert!(folder.names().is_empty());
}

#[test]
fn more_than_two_features_show_predictions_of_rows_and_which_are_wrong() {
    let fit = ["fit", "kneighbors-classifier", "data/wine.csv", "--target", "class"];
    let svg = drawn(&fit);
    for word in ["Predictions of the nearest rows (fitted rows)", "wrong (", "Confusion matrix (fitted rows)"] {
        assert!(svg.contains(word), "{word}");
    }
    assert!(!drawn(&[&fit[..], &["--split", "0.5"]].concat()).contains("fitted rows"));
}

#[test]
fn a_picture_may_be_png() {
    let folder = Folder::new();
    let picture = folder.path("wine.png");
    let fit = ["fit", "random-forest-classifier", "data/wine.csv", "--target", "class", "--plot", &picture];
    json(&fit);
    let bytes = std::fs::read(&picture).unwrap();
    assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n") && bytes.ends_with(b"IEND\xaeB`\x82"));
    assert_eq!(&bytes[12..16], b"IHDR");
    let side = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    // Three figures of 560×420 side by side, two pixels for each.
    assert_eq!((side(16), side(20)), (2 * 3 * 560, 2 * 420));
}

#[test]
fn single_panels_are_drawn_by_title() {
    let fit = ["fit", "random-forest-classifier", "data/breast_cancer.csv", "--target", "diagnosis", "--split", "0.8"];
    let one = drawn(&[&fit[..], &["--panel", "roc"]].concat());
    assert!(one.contains("ROC curve") && !one.contains("Confusion") && one.contains("width=\"560\""));
    let two = drawn(&[&fit[..], &["--panel", "Confusion matrix", "--panel", "importances"]].concat());
    assert!(two.contains("Confusion matrix") && two.contains("Importances") && !two.contains("ROC"));
    let folder = Folder::new();
    let picture = folder.path("none.svg");
    let errors = super::refused(2, &[&fit[..], &["--panel", "residuals", "--plot", &picture]].concat());
    assert!(errors.contains("\"ROC curve\"") && folder.names().is_empty(), "{errors}");
}
