//! `gristmill inspect`.

use super::{Folder, PEOPLE, json, refused, run};

#[test]
fn a_pipeline_shows_columns_categories_classes_steps_and_arrays() {
    let folder = Folder::new();
    let (people, model) = (folder.file("people.csv", PEOPLE), folder.path("people.gm"));
    let fit = ["fit", "kneighbors-classifier", &people, "--target", "kind", "--one-hot", "--scale", "--save", &model];
    run(&fit);
    assert!(!run(&["inspect", &model]).0.contains("F32 8×5"));
    let (shown, _) = run(&["inspect", &model, "--tensors"]);
    let words =
        ["pipeline with kneighbors-classifier", "version 1", "one-hot-encoder → standard-scaler", "target: kind"];
    for word in words.iter().chain(&["classes: a, b", "Bern, Graz, Ulm", "n_neighbors", "F32 8×5", "height", "KiB"]) {
        assert!(shown.contains(word), "{word} in {shown}");
    }
    let inside = json(&["inspect", &model]);
    assert_eq!((&inside["kind"], &inside["version"]), (&"pipeline".into(), &1.into()));
    assert_eq!(inside["columns"][1]["categories"].as_array().unwrap().len(), 3);
    assert_eq!(inside["columns"][0]["type"], "number");
    assert_eq!(inside["classes"].as_array().unwrap().len(), 2);
    assert_eq!(inside["steps"][0], "one-hot-encoder");
    let models = inside["models"].as_array().unwrap();
    let knn = models.iter().find(|model| model["name"] == "model").unwrap();
    assert_eq!(knn["parameters"]["n_neighbors"], 5);
    assert!(knn["arrays"].as_array().unwrap().iter().all(|array| array["shape"].is_array()));
}

#[test]
fn a_foreign_or_broken_file_is_refused_with_its_path() {
    let folder = Folder::new();
    let foreign = folder.file("foreign.gm", "not a model at all, but longer than a header");
    assert!(refused(1, &["inspect", &foreign]).contains("foreign.gm"));
    let model = folder.path("iris.gm");
    run(&["fit", "kmeans", "data/iris.csv", "--drop", "species", "--save", &model]);
    let bytes = std::fs::read(&model).unwrap();
    let cut = folder.file("cut.gm", &bytes[..bytes.len() - 3]);
    for command in ["inspect", "predict", "evaluate"] {
        let errors = match command {
            "inspect" => refused(1, &[command, &cut]),
            _ => refused(1, &[command, &cut, "data/iris.csv"]),
        };
        assert!(errors.contains("cut.gm"), "{errors}");
    }
    assert!(refused(1, &["inspect", &folder.path("absent.gm")]).contains("absent.gm"));
}

#[test]
fn a_tree_is_printed_and_drawn_with_the_names_of_its_categories() {
    let folder = Folder::new();
    let (model, picture) = (folder.path("tennis.gm"), folder.path("tennis.svg"));
    run(&["fit", "id3-classifier", "data/play_tennis.csv", "--target", "play", "--save", &model]);
    let (shown, _) = run(&["inspect", &model, "--plot", &picture]);
    for line in ["outlook? (0.247 bits)", "├─ Overcast: Yes (1.000)  [4 rows]", "└─ Sunny: humidity? (0.971 bits)"]
    {
        assert!(shown.contains(line), "{line} in {shown}");
    }
    let svg = super::read(&picture);
    assert!(svg.contains(">Overcast<") && svg.contains("humidity?"));
    // A category that was never seen gets the majority.
    let day = folder.file("day.csv", "outlook,temperature,humidity,wind\nFoggy,Hot,High,Weak\n");
    let (said, _) = run(&["predict", &model, &day]);
    assert!(said.contains("Yes"), "{said}");
    // A tree of two ways names the categories too.
    run(&["fit", "decision-tree-classifier", "data/play_tennis.csv", "--target", "play", "--save", &model]);
    run(&["inspect", &model, "--plot", &picture]);
    assert!(super::read(&picture).contains("{Overcast}"));
    let forest = folder.path("iris.gm");
    run(&["fit", "extra-trees-classifier", "data/iris.csv", "--target", "species", "--save", &forest]);
    assert!(refused(2, &["inspect", &forest, "--plot", &picture]).contains("one tree"));
}

#[test]
fn an_ensemble_tells_its_parameters_and_its_members_together() {
    let folder = Folder::new();
    let model = folder.path("boost.gm");
    let fit = ["fit", "ada-boost-classifier", "data/breast_cancer.csv", "--target", "diagnosis", "--save", &model];
    run(&[&fit[..], &["--seed", "3", "--set", "learning_rate=0.5", "--set", "n_estimators=30"]].concat());
    let (shown, _) = run(&["inspect", &model]);
    for word in ["learning_rate", "0.5", "decision-tree-classifier (max_depth=1)", "30 × decision-tree"] {
        assert!(shown.contains(word), "{word} in {shown}");
    }
    assert!(shown.contains("varies") && shown.lines().count() < 150, "{}", shown.lines().count());
    let inside = json(&["inspect", &model]);
    let boost = &inside["models"][0];
    assert_eq!((&boost["parameters"]["n_estimators"], boost["models"].as_array().unwrap().len()), (&30.into(), 30));
}
