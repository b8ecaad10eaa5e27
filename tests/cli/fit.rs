//! `gristmill fit`.

use super::{Folder, PEOPLE, gristmill, json, read, run, text};

#[test]
fn the_newcomers_command_works_as_printed() {
    let folder = Folder::new();
    let picture = folder.path("digits.svg");
    let arguments = ["fit", "kneighbors-classifier", "data/digits.csv", "--target", "digit", "--split", "0.8"];
    let (shown, _) = run(&[&arguments[..], &["--plot", &picture]].concat());
    for word in ["1797 rows", "64 columns", "accuracy", "precision", "macro average", "digits.svg", "load", "fit"] {
        assert!(shown.contains(word), "{word} in {shown}");
    }
    assert!(read(&picture).starts_with("<svg"));
}

#[test]
fn classes_are_scored_by_every_field_that_applies() {
    let report = json(&["fit", "kneighbors-classifier", "data/digits.csv", "--target", "digit", "--split", "0.8"]);
    assert_eq!((&report["rows"], &report["columns"]), (&1797.into(), &64.into()));
    assert_eq!(report["model"], "kneighbors-classifier");
    assert_eq!(report["device"], "CPU");
    let scores = report["scores"].as_object().unwrap();
    assert!(scores["accuracy"].as_f64().unwrap() > 0.95, "{scores:?}");
    for key in ["balanced_accuracy", "f1_macro", "log_loss"] {
        assert!(scores[key].is_number(), "{key} in {scores:?}");
    }
    for key in ["roc_auc", "r2", "rmse", "mae", "inertia"] {
        assert!(!scores.contains_key(key), "{key} in {scores:?}");
    }
    let seconds = report["seconds"].as_object().unwrap();
    for key in ["load", "prepare", "fit", "predict"] {
        assert!(seconds[key].is_number(), "{key} in {seconds:?}");
    }
    assert!(!seconds.contains_key("upload"), "the CPU uploads nothing");
    assert!(report.get("iterations").is_none() && report.get("profile").is_none());
}

#[test]
fn two_classes_have_a_roc_auc() {
    let split = ["--scale", "--split", "0.7"];
    let arguments = ["fit", "kneighbors-classifier", "data/breast_cancer.csv", "--target", "diagnosis"];
    let report = json(&[&arguments[..], &split].concat());
    assert!(report["scores"]["roc_auc"].as_f64().unwrap() > 0.95, "{report}");
}

#[test]
fn numbers_are_scored_by_errors() {
    let arguments = ["fit", "kneighbors-regressor", "data/diabetes.csv", "--target", "progression"];
    let report = json(&[&arguments[..], &["--scale", "--split", "0.8", "--set", "n_neighbors=15"]].concat());
    let scores = &report["scores"];
    assert!(scores["r2"].as_f64().unwrap() > 0.2, "{scores}");
    assert!(scores["rmse"].as_f64().unwrap() > scores["mae"].as_f64().unwrap(), "{scores}");
    assert!(scores.get("accuracy").is_none());
}

#[test]
fn clusters_tell_what_the_fit_yields() {
    let arguments = ["fit", "kmeans", "data/iris.csv", "--drop", "species", "--set", "n_clusters=3"];
    let report = json(&[&arguments[..], &["--set", "n_init=10"]].concat());
    assert!((report["scores"]["inertia"].as_f64().unwrap() - 78.8514).abs() < 1e-3, "{report}");
    assert_eq!(report["scores"]["clusters"], 3);
    assert_eq!(report["converged"], true);
    assert!(report["iterations"].as_u64().unwrap() > 1);
    assert!(report["seconds"].get("predict").is_none(), "nothing was scored");
    let named = json(&["fit", "kmeans", "data/iris.csv", "--target", "species", "--set", "n_clusters=3"]);
    assert_eq!(named["columns"], 4);
    assert!(named["scores"]["adjusted_rand"].as_f64().unwrap() > 0.7, "{named}");
}

#[test]
fn outliers_are_counted() {
    let report = json(&["fit", "local-outlier-factor", "data/wine.csv", "--target", "class", "--scale"]);
    assert!(report["scores"]["outliers"].is_number(), "{report}");
}

#[test]
fn without_rows_to_score_a_classifier_only_fits() {
    let report = json(&["fit", "kneighbors-classifier", "data/iris.csv", "--target", "species"]);
    assert_eq!(report["scores"].as_object().unwrap().len(), 0);
    assert!(report["seconds"].get("predict").is_none());
}

#[test]
fn the_seed_decides_the_split_and_the_model() {
    let score = |seed: &str| {
        let arguments = ["fit", "kneighbors-classifier", "data/wine.csv", "--target", "class", "--split", "0.5"];
        json(&[&arguments[..], &["--seed", seed]].concat())["scores"]["log_loss"].as_f64().unwrap()
    };
    assert_eq!(score("1"), score("1"));
    assert_ne!(score("1"), score("2"));
    let folder = Folder::new();
    let model = |seed: &str, name: &str| {
        let path = folder.path(name);
        let arguments = ["fit", "mini-batch-kmeans", "data/wine.csv", "--drop", "class", "--set", "max_iter=1"];
        run(&[&arguments[..], &["--seed", seed, "--save", &path]].concat());
        std::fs::read(path).unwrap()
    };
    assert_eq!(model("1", "a.gm"), model("1", "b.gm"));
    assert_ne!(model("1", "a.gm"), model("3", "c.gm"));
}

#[test]
fn a_test_file_is_scored_by_column_names() {
    let folder = Folder::new();
    let iris = read("data/iris.csv");
    let lines: Vec<&str> = iris.lines().collect();
    let (mut train, mut test) =
        (format!("{}\n", lines[0]), "species,petal_width,petal_length,id,sepal_width,sepal_length\n".to_string());
    for (at, line) in lines[1..].iter().enumerate() {
        let cells: Vec<&str> = line.split(',').collect();
        match at % 3 {
            0 => test += &format!("{},{},{},row{at},{},{}\n", cells[4], cells[3], cells[2], cells[1], cells[0]),
            _ => train += &format!("{line}\n"),
        }
    }
    let (train, test) = (folder.file("train.csv", train), folder.file("test.csv", test));
    let report = json(&["fit", "kneighbors-classifier", &train, "--target", "species", "--test", &test]);
    assert_eq!((&report["rows"], &report["scored_rows"]), (&100.into(), &50.into()));
    assert!(report["scores"]["accuracy"].as_f64().unwrap() > 0.9, "{report}");
}

#[test]
fn labels_come_from_files_of_their_own() {
    let folder = Folder::new();
    let x = folder.file("x.csv", "a,b\n0,0\n0,1\n9,9\n9,8\n1,0\n8,9\n");
    let y = folder.file("y.csv", "near\nnear\nfar\nfar\nnear\nfar\n");
    let test = folder.file("test.csv", "b,a\n1,1\n9,9\n");
    let test_labels = folder.file("test_labels.txt", "near\nfar\n");
    let set = ["--labels", &y, "--set", "n_neighbors=1"];
    let report = json(
        &[&["fit", "kneighbors-classifier", &x], &set[..], &["--test", &test, "--test-labels", &test_labels]].concat(),
    );
    assert_eq!(report["scores"]["accuracy"], 1.0);
    let errors = super::refused(2, &[&["fit", "kneighbors-classifier", &x], &set[..], &["--test", &test]].concat());
    assert!(errors.contains("--test-labels"), "{errors}");
}

#[test]
fn centres_come_from_a_npy_file() {
    let folder = Folder::new();
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }";
    let mut npy = b"\x93NUMPY\x01\x00".to_vec();
    let padded = format!("{header:<117}\n");
    npy.extend((padded.len() as u16).to_le_bytes());
    npy.extend(padded.as_bytes());
    npy.extend([0.0_f32, 10.0].iter().flat_map(|value| value.to_le_bytes()));
    let init = folder.file("init.npy", npy);
    let x = folder.file("x.csv", "a\n0\n1\n10\n11\n");
    let report = json(&["fit", "kmeans", &x, "--set", "n_clusters=2", "--set", &format!("init={init}")]);
    assert_eq!(report["scores"]["inertia"], 1.0);
}

#[test]
fn gzip_and_other_formats_are_read_alike() {
    let folder = Folder::new();
    let zipped = {
        use std::io::Write;
        let mut encoder = flate2::write::GzEncoder::new(vec![], flate2::Compression::fast());
        encoder.write_all(read("data/iris.csv").as_bytes()).unwrap();
        folder.file("iris.csv.gz", encoder.finish().unwrap())
    };
    let report = json(&["fit", "kneighbors-classifier", &zipped, "--target", "species", "--split", "0.8"]);
    let plain = json(&["fit", "kneighbors-classifier", "data/iris.csv", "--target", "-1", "--split", "0.8"]);
    assert_eq!(report["scores"], plain["scores"]);
    let libsvm = folder.file("a.svm", "1 1:0.5 3:1\n2 2:7\n1 1:0.6 3:1\n2 2:8 3:1\n");
    let report = json(&["fit", "kneighbors-classifier", &libsvm, "--set", "n_neighbors=1", "--test", &libsvm]);
    assert_eq!((&report["columns"], &report["scores"]["accuracy"]), (&3.into(), &1.0.into()));
}

#[test]
fn columns_are_chosen_and_categories_encoded() {
    let folder = Folder::new();
    let people = folder.file("people.csv", PEOPLE);
    let fit = ["fit", "kneighbors-classifier", &people, "--target", "kind", "--set", "n_neighbors=1"];
    assert_eq!(json(&[&fit[..], &["--features", "height,age"]].concat())["columns"], 2);
    assert_eq!(json(&[&fit[..], &["--drop", "city"]].concat())["columns"], 2);
    assert_eq!(json(&[&fit[..], &["--one-hot", "--scale"]].concat())["columns"], 3);
    let model = folder.path("categories.gm");
    run(&[&fit[..], &["--categorical", "age", "--drop", "city", "--one-hot", "--save", &model]].concat());
    let inside = json(&["inspect", &model]);
    assert_eq!(inside["columns"][0]["categories"].as_array().unwrap().len(), 8);
}

#[test]
fn missing_values_are_treated_as_asked() {
    let folder = Folder::new();
    let x = folder.file("x.csv", "a,b,y\n0,0,n\n0,?,n\n9,9,f\n9,8,f\n,0,n\n8,9,f\n");
    let fit = ["fit", "kneighbors-classifier", &x, "--target", "y", "--set", "n_neighbors=1"];
    let errors = super::refused(1, &fit);
    assert!(errors.contains("x.csv") && errors.contains("line 3") && errors.contains("column b"), "{errors}");
    assert!(errors.contains("--missing drop, mean, median or keep"), "{errors}");
    assert_eq!(json(&[&fit[..], &["--missing", "drop"]].concat())["rows"], 4);
    let errors = super::refused(1, &[&fit[..], &["--missing", "keep"]].concat());
    // The second row, counted from 1 as lines are.
    assert!(errors.contains("row 2, column 2: NaN is a missing value") && errors.contains("--missing"), "{errors}");
    for how in ["mean", "median"] {
        let model = folder.path("imputed.gm");
        let report = json(&[&fit[..], &["--missing", how, "--save", &model]].concat());
        assert_eq!(report["rows"], 6);
        let (shown, _) = run(&["predict", &model, &folder.file("new.csv", "a,b\n,9\n0,\n")]);
        assert_eq!(shown, "prediction\nf\nn\n");
    }
}

#[test]
fn several_outputs_keep_their_names() {
    let folder = Folder::new();
    let x = folder.file("x.csv", "a,u,v\n0,1,2.5\n1,2,3\n2,3,4\n3,4,5\n");
    let model = folder.path("two.gm");
    let fit = ["fit", "kneighbors-regressor", &x, "--target", "u,v", "--set", "n_neighbors=1", "--save", &model];
    run(&fit);
    let (shown, errors) = run(&["predict", &model, &x]);
    assert_eq!(shown, "u,v\n1,2.5\n2,3\n3,4\n4,5\n");
    assert!(errors.contains("ignored") && errors.contains("u, v"), "{errors}");
    assert_eq!(json(&["evaluate", &model, &x])["scores"]["r2"], 1.0);
}

#[test]
fn threads_and_devices_give_the_same_model() {
    let folder = Folder::new();
    let model = |name: &str, more: &[&str]| {
        let path = folder.path(name);
        let fit = ["fit", "kmeans", "data/wine.csv", "--drop", "class", "--set", "n_clusters=3", "--save", &path];
        run(&[&fit[..], more].concat());
        std::fs::read(path).unwrap()
    };
    assert_eq!(model("one.gm", &["--threads", "1"]), model("two.gm", &["--threads", "2"]));
    let fit = ["fit", "kmeans", "data/wine.csv", "--drop", "class", "--set", "n_clusters=3", "--json"];
    let output = gristmill(&[&fit[..], &["--device", "gpu", "--profile"]].concat()).output().unwrap();
    let (shown, errors) = text(&output);
    assert!(output.status.success(), "{errors}");
    let report: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert!(report["seconds"]["upload"].is_number());
    assert!(report["profile"]["submits"].as_u64().unwrap() > 0, "{report}");
    assert_ne!(report["device"], "CPU");
    let (shown, _) = run(&[&fit[..7], &["--device", "gpu", "--profile"]].concat());
    assert!(shown.contains("submits") && shown.contains("upload"), "{shown}");
    let variable = gristmill(&fit).env("GRISTMILL_DEVICE", "gpu").output().unwrap();
    assert!(!text(&variable).0.contains("\"CPU\""));
    let flag = gristmill(&[&fit[..], &["--device", "cpu"]].concat()).env("GRISTMILL_DEVICE", "gpu").output().unwrap();
    assert!(text(&flag).0.contains("\"CPU\""));
}

#[test]
fn whole_numbers_of_a_regression_are_split_as_numbers() {
    let folder = Folder::new();
    // Every number occurs once: as classes they could not be split.
    let rows: String = (0..20).map(|row| format!("{row},{}\n", 2 * row)).collect();
    let x = folder.file("x.csv", format!("a,y\n{rows}"));
    let report = json(&["fit", "kneighbors-regressor", &x, "--target", "y", "--split", "0.75"]);
    assert_eq!(report["scored_rows"], 5);
}

#[test]
fn trees_take_text_columns_as_they_are() {
    let folder = Folder::new();
    let people = folder.file("people.csv", PEOPLE);
    let model = folder.path("tree.gm");
    let fit = ["fit", "decision-tree-classifier", &people, "--target", "kind", "--features", "city", "--save", &model];
    let report = json(&fit);
    assert_eq!(report["columns"], 1);
    let (shown, _) = run(&["inspect", &model]);
    assert!(shown.contains("city in {") || shown.contains("city not in {"), "{shown}");
    // The categories have their names, and one that was not fitted is missing.
    assert!(!shown.contains("in {0"), "{shown}");
    let other = folder.file("other.csv", "city\nAtlantis\n");
    let (said, _) = run(&["predict", &model, &other]);
    assert_eq!(said.lines().count(), 2, "{said}");
    let boosted = ["fit", "gradient-boosting-classifier", &people, "--target", "kind", "--set", "min_samples_leaf=1"];
    assert!(json(&boosted)["columns"].as_u64().unwrap() >= 3);
}

#[test]
fn the_out_of_bag_score_is_told() {
    for (model, data, target) in [
        ("random-forest-classifier", "data/wine.csv", "class"),
        ("bagging-regressor", "data/diabetes.csv", "progression"),
        ("extra-trees-classifier", "data/iris.csv", "species"),
    ] {
        let fit = ["fit", model, data, "--target", target, "--set", "n_estimators=20", "--set", "bootstrap=true"];
        let asked = [&fit[..], &["--set", "oob_score=true"]].concat();
        assert!(json(&asked)["scores"]["oob_score"].as_f64().unwrap() > 0.2, "{model}");
        assert!(run(&asked).0.contains("out-of-bag score"), "{model}");
        let split = json(&[&asked[..], &["--split", "0.8"]].concat());
        assert!(split["scores"]["oob_score"].is_number() && split["scored_rows"].is_number());
        assert!(json(&fit)["scores"].get("oob_score").is_none());
    }
}

#[test]
fn boosting_tells_its_rounds_and_no_failure() {
    let fit =
        ["fit", "gradient-boosting-classifier", "data/iris.csv", "--target", "species", "--set", "n_estimators=7"];
    let (shown, _) = run(&fit);
    assert!(shown.contains("7 rounds") && !shown.contains("converged"), "{shown}");
    let report = json(&fit);
    assert!(report["iterations"] == 7 && report.get("converged").is_none());
}

#[test]
fn the_seed_reaches_the_members_of_an_ensemble() {
    let folder = Folder::new();
    for model in ["voting-classifier", "stacking-classifier"] {
        let bytes = |seed: &str| {
            let path = folder.path("model.gm");
            let fit = ["fit", model, "data/iris.csv", "--target", "species", "--seed", seed, "--save", &path];
            run(&[&fit[..], &["--set", "estimators=random-forest-classifier"]].concat());
            json(&["inspect", &path])["models"].to_string().contains(&format!("\"seed\":{seed}"))
        };
        assert!(bytes("5") && bytes("6"), "{model}");
    }
}

#[test]
fn a_picture_that_cannot_be_drawn_does_not_lose_the_report() {
    let fit = ["fit", "kneighbors-classifier", "data/iris.csv", "--target", "species", "--split", "0.8"];
    let output =
        super::gristmill(&[&fit[..], &["--device", "cpu", "--plot", "/proc/iris.svg"]].concat()).output().unwrap();
    let (shown, errors) = super::text(&output);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(shown.contains("accuracy") && errors.contains("/proc/iris.svg"), "{shown}{errors}");
}

#[test]
fn boosting_without_validation_rows_does_not_speak_of_them() {
    let folder = super::Folder::new();
    let rows: String = (0..60).map(|row| format!("{},{}\n", row * 7 % 13, 5)).collect();
    let file = folder.file("t.csv", format!("a,y\n{rows}"));
    let (shown, _) = run(&["fit", "gradient-boosting-regressor", &file, "--target", "y", "--device", "cpu"]);
    assert!(shown.contains("until no split lowered the loss") && !shown.contains("validation"), "{shown}");
}

#[test]
fn a_column_of_weights_says_how_much_rows_count() {
    let folder = super::Folder::new();
    let file = folder.file("t.csv", "x,w,y\n1,0,5\n2,0,7\n1,1,1\n2,3,2\n3,2,3\n4,1,4\n5,1,5\n");
    let model = folder.path("m.gm");
    run(&["fit", "linear-regression", &file, "--target", "y", "--weight", "w", "--save", &model]);
    let (shown, _) = run(&["predict", &model, &folder.file("new.csv", "x\n10\n"), "--quiet"]);
    let predicted: f32 = shown.lines().nth(1).unwrap().parse().unwrap();
    assert!((predicted - 10.0).abs() < 1e-3, "{shown}");
    let errors = super::refused(2, &["fit", "linear-regression", &file, "--target", "w", "--weight", "q"]);
    assert!(errors.contains("--weight must be"), "{errors}");
    let split = ["fit", "tree-regressor", &file, "--target", "y", "--weight", "w", "--split", "0.6"];
    assert!(run(&split).0.contains("rows scored"));
}

#[test]
fn json_says_what_was_run_and_how_classes_were_found() {
    let fit = ["fit", "knn", "data/iris.csv", "--target", "species", "--split", "0.6", "--seed", "3"];
    let report = json(&[&fit[..], &["--set", "n_neighbors=7"]].concat());
    assert_eq!((&report["parameters"]["n_neighbors"], &report["seed"]), (&7.into(), &3.into()));
    assert_eq!((&report["target"][0], &report["known_classes"][2]), (&"species".into(), &"virginica".into()));
    assert_eq!(report["files"][0], "data/iris.csv");
    let counts = report["confusion"]["counts"].as_array().unwrap();
    let all: f64 = counts.iter().flat_map(|row| row.as_array().unwrap()).map(|count| count.as_f64().unwrap()).sum();
    assert_eq!((all, report["scored_rows"].as_f64()), (60.0, Some(60.0)));
    assert!(report["confusion"]["per_class"][0]["recall"].as_f64().unwrap() > 0.9);
    for score in ["accuracy", "f1_macro", "matthews", "brier", "roc_auc_ovr", "log_loss"] {
        assert!(report["scores"][score].is_number(), "{score}: {}", report["scores"]);
    }
    assert!(report["scores"]["f1"].is_null());
    let fit = ["fit", "ridge", "data/diabetes.csv", "--target", "progression", "--split", "0.6"];
    let scores = &json(&fit)["scores"];
    assert!(["r2", "median_error", "mape"].iter().all(|score| scores[score].is_number()), "{scores}");
    let fit = ["fit", "knn", "data/breast_cancer.csv", "--target", "diagnosis", "--split", "0.6"];
    let scores = &json(&fit)["scores"];
    assert!(["f1", "average_precision", "roc_auc"].iter().all(|score| scores[score].is_number()), "{scores}");
}

#[test]
fn many_numbers_as_classes_are_one_warning_with_the_model_that_predicts_numbers() {
    let fit = ["fit", "gbm", "data/diabetes.csv", "--target", "progression", "--set", "n_estimators=1"];
    let (_, errors) = run(&fit);
    assert!(errors.contains("214 different numbers") && errors.contains("gradient-boosting-regressor"), "{errors}");
    assert_eq!(errors.matches("warning").count(), 1, "{errors}");
    let folder = Folder::new();
    let rows: String = (0..40).map(|row| format!("{row},c{}\n", row / 4)).collect();
    let (_, errors) = run(&["fit", "gbm", &folder.file("t.csv", format!("a,k\n{rows}")), "--target", "k"]);
    assert!(errors.contains("10 classes have fewer rows than a leaf, 20 at least"), "{errors}");
}
