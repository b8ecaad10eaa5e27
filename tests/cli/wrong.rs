//! Wrong names, wrong values, wrong files: what to do about them, and the exit code.

use super::{Folder, PEOPLE, gristmill, refused, run, text};

#[test]
fn wrong_names_get_the_nearest_right_one() {
    let errors = refused(2, &["fit", "kmean", "data/iris.csv"]);
    assert!(errors.starts_with("gristmill: ") && errors.contains("did you mean kmeans?"), "{errors}");
    let errors = refused(2, &["fit", "kmeans", "data/iris.csv", "--set", "n_cluster=3"]);
    assert!(errors.contains("did you mean n_clusters?"), "{errors}");
    let errors = refused(2, &["fit", "kneighbors-classifier", "data/iris.csv", "--target", "spezies"]);
    assert!(errors.contains("\"species\""), "{errors}");
    assert!(refused(2, &["fitt", "kmeans"]).contains("'fit'"));
    let errors = refused(2, &["fit", "random-forest", "data/iris.csv", "--target", "species"]);
    assert!(errors.contains("random-forest-classifier or random-forest-regressor?"), "{errors}");
    assert!(refused(2, &["fit", "kmeans", "data/iris.csv", "--tagret", "x"]).contains("--target"));
    assert!(refused(2, &["fit", "kmeans", "data/iris.csv", "--missing", "meen"]).contains("mean"));
}

#[test]
fn short_names_are_suggested_and_long_lists_are_not_printed() {
    let errors = refused(2, &["fit", "gmb", "data/iris.csv", "--target", "species"]);
    assert!(errors.contains("did you mean gbm?"), "{errors}");
    let errors = refused(2, &["fit", "perceptronium-network", "data/iris.csv", "--target", "species"]);
    assert!(errors.contains("gristmill models") && errors.len() < 160, "{errors}");
}

#[test]
fn a_column_that_is_not_there_is_told_by_the_flag_that_names_it() {
    for (command, flag) in [("fit", "--weight"), ("fit", "--split-column"), ("cv", "--group"), ("cv", "--time")] {
        let typed = [command, "ridge", "data/diabetes.csv", "--target", "progression", flag, "nosuch"];
        for more in [&[][..], &["--features", "bmi,bp"]] {
            let errors = refused(2, &[&typed[..], more].concat());
            assert!(errors.starts_with(&format!("gristmill: {flag} must be a column")), "{errors}");
        }
    }
    let dropped =
        ["fit", "ridge", "data/diabetes.csv", "--target", "progression", "--weight", "age", "--drop", "nosuch"];
    assert!(refused(2, &dropped).starts_with("gristmill: --drop must be a column"));
}

#[test]
fn wrong_values_of_parameters_are_wrong_usage() {
    let set = |setting: &str| refused(2, &["fit", "kmeans", "data/iris.csv", "--drop", "species", "--set", setting]);
    assert!(set("n_clusters=many").contains("integer"));
    assert!(set("n_clusters").contains("key=value"));
    let errors = refused(2, &["fit", "kmeans", "data/iris.csv", "--drop", "species", "--set", "n_clusters=0"]);
    assert!(errors.contains("n_clusters must be from 1"), "{errors}");
    let inside =
        ["fit", "bagging-classifier", "data/iris.csv", "--target", "species", "--set", "estimator.min_samples_leaf=0"];
    assert!(refused(2, &inside).contains("bag 0: min_samples_leaf must be"));
    let errors = refused(1, &["fit", "kmeans", "data/iris.csv", "--set", "init=absent.npy"]);
    assert!(errors.contains("absent.npy"), "{errors}");
}

#[test]
fn a_target_that_is_needed_and_not_named_is_wrong_usage() {
    let errors = refused(2, &["fit", "kneighbors-classifier", "data/digits.csv"]);
    assert!(errors.contains("--target") && errors.contains("--labels"), "{errors}");
}

#[test]
fn flags_that_exclude_each_other_are_wrong_usage() {
    let fit = ["fit", "kneighbors-classifier", "data/iris.csv", "--target", "species"];
    for more in [
        &["--split", "0.5", "--test", "data/iris.csv"][..],
        &["--labels", "y.csv"],
        &["--features", "1", "--drop", "2"],
        &["--split", "half"],
        &["--test-labels", "y.csv"],
    ] {
        refused(2, &[&fit[..], more].concat());
    }
    assert!(refused(2, &[&fit[..], &["--split", "1.5"]].concat()).contains("between 0 and 1"));
}

#[test]
fn text_columns_are_named_with_what_to_do() {
    let folder = Folder::new();
    let people = folder.file("people.csv", PEOPLE);
    let errors = refused(1, &["fit", "kneighbors-classifier", &people, "--target", "kind"]);
    for word in ["city", "--one-hot", "--drop"] {
        assert!(errors.contains(word), "{word} in {errors}");
    }
    let errors = refused(1, &["fit", "kneighbors-regressor", &people, "--target", "kind", "--one-hot"]);
    assert!(errors.contains("numbers"), "{errors}");
    let errors = refused(1, &["fit", "kneighbors-classifier", &people, "--target", "height", "--one-hot"]);
    assert!(errors.contains("classes"), "{errors}");
}

#[test]
fn files_that_are_not_there_are_named() {
    assert!(refused(1, &["fit", "kmeans", "absent.csv"]).contains("absent.csv"));
    assert!(refused(1, &["data", "absent.csv"]).contains("absent.csv"));
    assert!(refused(1, &["predict", "absent.gm", "data/iris.csv"]).contains("absent.gm"));
    let folder = Folder::new();
    let model = folder.path("iris.gm");
    run(&["fit", "kmeans", "data/iris.csv", "--drop", "species", "--save", &model]);
    assert!(refused(1, &["predict", &model, "absent.csv"]).contains("absent.csv"));
    // Before the work, not after it.
    let errors = refused(1, &["fit", "kmeans", "absent.csv", "--save", "no/such/folder/model.gm"]);
    assert!(errors.contains("no/such/folder"), "{errors}");
}

#[test]
fn every_command_has_help_with_examples() {
    let (shown, _) = run(&["--help"]);
    for command in ["fit", "predict", "evaluate", "models", "data", "inspect", "devices", "bench", "tour"] {
        assert!(shown.contains(command), "{command} in {shown}");
    }
    for command in ["fit", "predict", "evaluate", "models", "data", "inspect"] {
        let (shown, _) = run(&[command, "--help"]);
        for word in ["Examples:", "gristmill ", "--device", "--seed", "--threads", "--json", "--profile", "--quiet"] {
            assert!(shown.contains(word), "{command}: {word} in {shown}");
        }
    }
}

#[test]
fn no_arguments_show_the_help_and_end_with_2() {
    let output = gristmill(&[]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output).1.contains("Usage"));
}

#[test]
fn messages_name_flags_and_the_model_that_would_fit() {
    let fit = ["fit", "kneighbors-classifier", "data/iris.csv", "--target", "species"];
    assert!(refused(2, &[&fit[..], &["--split", "1.5"]].concat()).contains("--split must be"));
    let cv = ["cv", "kneighbors-classifier", "data/iris.csv", "--target", "species", "--folds", "80"];
    assert!(refused(2, &cv).contains("--folds must be"));
    let errors = refused(1, &["fit", "random-forest-regressor", "data/iris.csv", "--target", "species"]);
    assert!(errors.contains("try random-forest-classifier"), "{errors}");
    let errors = refused(1, &["fit", "kneighbors-classifier", "data/iris.csv", "--target", "1", "--drop", "species"]);
    assert!(errors.contains("try kneighbors-regressor"), "{errors}");
}

#[test]
fn failures_are_objects_in_json() {
    let output = gristmill(&["data", "absent.csv", "--json"]).output().unwrap();
    let told: serde_json::Value = serde_json::from_str(&text(&output).0).unwrap();
    assert!(told["error"]["message"].as_str().unwrap().contains("absent.csv") && told["error"]["code"] == 1, "{told}");
}

#[test]
fn short_names_stand_for_models() {
    for (short, model) in [("knn", "kneighbors-classifier"), ("rf-regressor", "random-forest-regressor")] {
        assert_eq!(run(&["models", short]).0, run(&["models", model]).0);
    }
}

#[test]
fn arguments_that_make_no_sense_are_an_error_object_too() {
    for wrong in [&["fit", "--json"][..], &["fit", "knn", "data/iris.csv", "--tagret", "species", "--json"]] {
        let output = super::gristmill(wrong).output().unwrap();
        let (shown, errors) = super::text(&output);
        assert_eq!(output.status.code(), Some(2));
        let told: serde_json::Value = serde_json::from_str(&shown).unwrap();
        assert_eq!(told["error"]["code"], 2);
        assert!(errors.contains(told["error"]["message"].as_str().unwrap().lines().next().unwrap()), "{shown}{errors}");
    }
}
