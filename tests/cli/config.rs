//! `--config`, and the resolved run in JSON.

use super::{Folder, json, read, refused, run};

const RUN: &str = r#"
command = "fit"
model = "decision-tree-classifier"
data = "data/wine.csv"
target = "class"
drop = ["hue", "ash"]
split = 0.7
seed = 3
scale = true
folds = 4

[set]
max_depth = 2
min_samples_leaf = 4

[cv]
grid = { max_depth = [1, 2] }
"#;

#[test]
fn a_run_from_a_file_is_the_run_that_is_typed() {
    let folder = Folder::new();
    let config = folder.file("run.toml", RUN);
    let data = ["data/wine.csv", "--target", "class", "--drop", "hue,ash", "--scale", "--seed", "3"];
    let set = ["--set", "max_depth=2", "--set", "min_samples_leaf=4"];
    let typed = json(&[&["fit", "decision-tree-classifier", "--split", "0.7"], &data[..], &set].concat());
    let from_file = json(&["--config", &config]);
    assert_eq!(from_file["scores"], typed["scores"]);
    assert_eq!(from_file["parameters"], typed["parameters"]);
    assert_eq!((&from_file["columns"], &from_file["seed"]), (&11.into(), &3.into()));
    assert_eq!(json(&["fit", "--config", &config])["scores"], typed["scores"]);
    // The same file serves another command, with what only that one knows.
    let searched = json(&["cv", "--config", &config]);
    assert_eq!(searched["candidates"].as_array().unwrap().len(), 2);
    assert_eq!(searched["folds"]["accuracy"].as_array().unwrap().len(), 4);
}

#[test]
fn what_is_typed_wins_over_the_file() {
    let folder = Folder::new();
    let config = folder.file("run.toml", RUN);
    let told = json(&["fit", "--config", &config, "--seed", "5", "--set", "max_depth=1"]);
    assert_eq!((&told["seed"], &told["parameters"]["max_depth"]), (&5.into(), &1.into()));
    assert_eq!(told["parameters"]["min_samples_leaf"], 4);
    let told = json(&[
        "fit",
        "id3-classifier",
        "data/play_tennis.csv",
        "--config",
        &folder.file("p.toml", "target = \"play\""),
    ]);
    assert_eq!((&told["model"], &told["target"][0]), (&"id3-classifier".into(), &"play".into()));
    // One of two that exclude each other.
    let told = json(&["fit", "--config", &config, "--test", "data/wine.csv"]);
    assert_eq!(told["scored_rows"], 178);
}

#[test]
fn json_tells_the_resolved_run() {
    let folder = Folder::new();
    let config = folder.file("run.toml", RUN);
    let told = json(&["fit", "--config", &config, "--quiet"]);
    let arguments = &told["run"]["arguments"];
    assert_eq!(told["run"]["command"], "fit");
    assert_eq!((&arguments["model"], &arguments["split"]), (&"decision-tree-classifier".into(), &"0.7".into()));
    assert_eq!(arguments["drop"], serde_json::json!(["hue", "ash"]));
    assert_eq!(arguments["set"], serde_json::json!(["max_depth=2", "min_samples_leaf=4"]));
    assert_eq!((&arguments["scale"], &arguments["seed"]), (&true.into(), &3.into()));
    assert!(arguments.get("one_hot").is_none());
}

#[test]
fn a_wrong_file_is_refused_with_its_name_and_what_is_wrong() {
    let folder = Folder::new();
    let refused_file = |text: &str| {
        let config = folder.file("wrong.toml", text);
        let errors = refused(2, &["fit", "--config", &config]);
        assert!(errors.contains("wrong.toml"), "{errors}");
        errors
    };
    assert!(refused_file("targt = \"class\"").contains("the nearest is \"target\""));
    assert!(refused_file("target = ").contains("line 1"));
    assert!(refused_file("scale = 3").contains("expected true or false"));
    assert!(refused_file("[fit]\nfolds = 3").contains("no argument of fit"));
    let config = folder.file("none.toml", "target = \"class\"");
    assert!(refused(2, &["--config", &config]).contains("names no command"));
    assert!(refused(1, &["fit", "--config", &folder.path("absent.toml")]).contains("absent.toml"));
    let config = folder.file("wrong.toml", "command = \"fitt\"");
    assert!(refused(2, &["--config", &config]).contains("the nearest is \"fit\""));
}

#[test]
fn completions_and_pages_of_the_manual_know_every_command() {
    for shell in ["bash", "zsh", "fish"] {
        let (script, _) = run(&["completions", shell]);
        assert!(script.contains("early-stopping") && script.contains("contributions"), "{shell}");
    }
    let folder = Folder::new();
    run(&["man", "--folder", &folder.path("")]);
    let names = folder.names();
    assert!(names.contains(&"gristmill.1".to_string()) && names.contains(&"gristmill-fit.1".to_string()), "{names:?}");
    let page = read(folder.path("gristmill-fit.1"));
    assert!(
        page.contains("gristmill fit [OPTIONS] <MODEL> <DATA>") && page.contains("\\-\\-early\\-stopping"),
        "{page}"
    );
    assert!(run(&["man"]).0.contains(".SH NAME"));
    assert!(refused(2, &["man", "fti"]).contains("the nearest is \"fit\""));
}
