//! `gristmill evaluate`.

use super::{Folder, json, read, refused, run};

#[test]
fn the_target_is_remembered_and_scores_equal_those_of_fit() {
    let folder = Folder::new();
    let (model, data) = (folder.path("wine.gm"), "data/wine.csv");
    let fit = ["fit", "kneighbors-classifier", data, "--target", "class", "--scale", "--test", data];
    let fitted = json(&[&fit[..], &["--save", &model]].concat());
    let scored = json(&["evaluate", &model, data]);
    assert_eq!(scored["scores"], fitted["scores"]);
    assert_eq!((&scored["model"], &scored["rows"]), (&"kneighbors-classifier".into(), &178.into()));
    assert!(scored["seconds"].get("fit").is_none() && scored["seconds"]["predict"].is_number());
    let (shown, _) = run(&["evaluate", &model, data, "--target", "class"]);
    for word in ["accuracy", "precision", "target", "class_0", "weighted average"] {
        assert!(shown.contains(word), "{word} in {shown}");
    }
}

#[test]
fn labels_come_from_a_file() {
    let folder = Folder::new();
    let model = folder.path("iris.gm");
    run(&["fit", "kneighbors-classifier", "data/iris.csv", "--target", "species", "--save", &model]);
    let iris = read("data/iris.csv");
    let species: String = iris.lines().skip(1).map(|line| format!("{}\n", line.rsplit(',').next().unwrap())).collect();
    let labels = folder.file("species.txt", species);
    let scored = json(&["evaluate", &model, "data/iris.csv", "--labels", &labels, "-q"]);
    assert_eq!(scored["scores"], json(&["evaluate", &model, "data/iris.csv", "-q"])["scores"]);
}

#[test]
fn clusters_are_scored_by_their_inertia() {
    let folder = Folder::new();
    let model = folder.path("iris.gm");
    let fit = ["fit", "kmeans", "data/iris.csv", "--drop", "species", "--set", "n_clusters=3", "--save", &model];
    let fitted = json(&fit);
    let scored = json(&["evaluate", &model, "data/iris.csv", "-q"]);
    let inertia = |report: &serde_json::Value| report["scores"]["inertia"].as_f64().unwrap();
    assert!((inertia(&fitted) - inertia(&scored)).abs() < 1e-3);
    let with_classes = json(&["evaluate", &model, "data/iris.csv", "--target", "species"]);
    assert!(with_classes["scores"]["adjusted_rand"].as_f64().unwrap() > 0.7);
}

#[test]
fn a_truth_that_is_not_there_is_an_error() {
    let folder = Folder::new();
    let model = folder.path("iris.gm");
    run(&["fit", "kneighbors-classifier", "data/iris.csv", "--target", "species", "--save", &model]);
    let header = "sepal_length,sepal_width,petal_length,petal_width";
    let bare = folder.file("bare.csv", format!("{header}\n5,3,1,1\n"));
    assert!(refused(1, &["evaluate", &model, &bare]).contains("species"));
}

#[test]
fn a_class_that_was_not_fitted_counts_as_wrong() {
    let folder = Folder::new();
    let model = folder.path("iris.gm");
    run(&["fit", "kneighbors-classifier", "data/iris.csv", "--target", "species", "--save", &model]);
    let header = "sepal_length,sepal_width,petal_length,petal_width,species";
    let data = folder.file("new.csv", format!("{header}\n5.1,3.5,1.4,0.2,setosa\n5.1,3.5,1.4,0.2,germanica\n"));
    let scored = json(&["evaluate", &model, &data]);
    assert_eq!(scored["scores"]["accuracy"], 0.5);
    assert!(scored["scores"].get("log_loss").is_none());
}

#[test]
fn permuted_columns_show_what_the_model_leans_on() {
    let folder = Folder::new();
    let model = folder.path("iris.gm");
    run(&["fit", "random-forest-classifier", "data/iris.csv", "--target", "species", "--save", &model]);
    let scored = json(&["evaluate", &model, "data/iris.csv", "--permutation-importance", "5"]);
    let importances = scored["importances"].as_array().unwrap();
    assert_eq!(importances.len(), 4);
    assert!(importances[0]["column"].as_str().unwrap().starts_with("petal"), "{importances:?}");
    assert!(importances[0]["mean"].as_f64().unwrap() > 0.1);
    assert!(run(&["evaluate", &model, "data/iris.csv", "--permutation-importance", "2"]).0.contains("permuted column"));
    assert!(refused(2, &["evaluate", &model, "data/iris.csv", "--permutation-importance", "0"]).contains("at least 1"));
}

#[test]
fn permutations_go_by_the_seed_and_suit_clusters() {
    let folder = Folder::new();
    let (model, clusters) = (folder.path("iris.gm"), folder.path("clusters.gm"));
    run(&["fit", "decision-tree-classifier", "data/iris.csv", "--target", "species", "--save", &model]);
    let evaluate = ["evaluate", &model, "data/iris.csv", "--permutation-importance", "3"];
    let found = |seed: &str| json(&[&evaluate[..], &["--seed", seed]].concat())["importances"].clone();
    assert_eq!(found("0"), json(&evaluate)["importances"]);
    assert_ne!(found("0"), found("1"));
    let fit = ["fit", "kmeans", "data/iris.csv", "--drop", "species", "--set", "n_clusters=3", "--scale"];
    run(&[&fit[..], &["--save", &clusters]].concat());
    let scored = json(&["evaluate", &clusters, "data/iris.csv", "--permutation-importance", "2", "-q"]);
    assert!(scored["importances"][0]["mean"].as_f64().unwrap() > 1.0, "{scored}");
}

#[test]
fn classes_that_the_model_does_not_know_are_named() {
    let folder = Folder::new();
    let model = folder.path("m.gm");
    run(&["fit", "decision-tree-classifier", "data/iris.csv", "--target", "species", "--save", &model]);
    let renamed = folder.file("new.csv", read("data/iris.csv").replace("setosa", "Setosa"));
    let (_, errors) = run(&["evaluate", &model, &renamed]);
    assert!(errors.contains("\"Setosa\" of 50 rows") && errors.contains("\"setosa\""), "{errors}");
}

#[test]
fn columns_without_names_are_numbered_as_in_the_file() {
    let folder = Folder::new();
    let rows: String =
        (0..40).map(|row| format!("{},{},{}\n", row % 2, row * 7 % 11, row % 2 * 10 + row % 3)).collect();
    let (file, model) = (folder.file("t.csv", rows), folder.path("m.gm"));
    run(&["fit", "tree", &file, "--target", "1", "--save", &model]);
    assert!(run(&["inspect", &model]).0.contains("column_3"));
    let (shown, errors) = run(&["evaluate", &model, &file, "--permutation-importance", "3"]);
    assert!(shown.contains("column_3") && !shown.contains("x0") && errors.lines().count() == 1, "{shown}{errors}");
    let without = folder.file("p.csv", "4,1\n5,11\n");
    assert_eq!(run(&["predict", &model, &without]), ("prediction\n0\n1\n".to_string(), String::new()));
}

#[test]
fn scores_of_the_file_that_was_fitted_are_said_to_flatter() {
    let folder = Folder::new();
    let model = folder.path("iris.gm");
    let rows = std::fs::read_to_string("data/iris.csv").unwrap();
    let other = folder.file("other.csv", rows);
    run(&["fit", "knn", "data/iris.csv", "--target", "species", "--test", &other, "--save", &model]);
    let (_, errors) = run(&["evaluate", &model, "data/../data/iris.csv"]);
    assert!(errors.contains("fitted on rows of this file"), "{errors}");
    let (_, errors) = run(&["evaluate", &model, &other]);
    assert!(!errors.contains("fitted on"), "{errors}");
}
