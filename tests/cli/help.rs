//! Help and tables that any terminal can show.

use super::{Folder, gristmill, run, text};

const COMMANDS: &[&str] = &[
    "fit",
    "cv",
    "select",
    "curve",
    "clusters",
    "bias-variance",
    "predict",
    "transform",
    "evaluate",
    "models",
    "data",
    "inspect",
    "export",
    "devices",
    "doctor",
    "tour",
    "lectures",
    "bench",
    "text",
    "decide",
    "bound",
    "completions",
    "man",
];

#[test]
fn help_stands_under_headings_in_80_columns() {
    let (help, _) = run(&["fit", "--help"]);
    let headings =
        ["Arguments:", "Data:", "Model:", "Scoring:", "Output:", "Reading the file:", "Running:", "Examples:"];
    let places: Vec<usize> = headings.iter().map(|heading| help.find(heading).expect(heading)).collect();
    assert!(places.is_sorted(), "{places:?}");
    // What is needed comes first.
    assert!(help.find("--target") < help.find("--features") && help.find("--set") < help.find("--step"));
    for command in COMMANDS {
        for line in run(&[command, "--help"]).0.lines() {
            assert!(line.chars().count() <= 80, "{command}: {line}");
        }
    }
    assert!(run(&["--help"]).0.lines().all(|line| line.chars().count() <= 80));
}

#[test]
fn the_c_locale_gets_ascii_and_80_columns_are_kept() {
    let folder = Folder::new();
    let model = folder.path("wine.gm");
    let commands: &[&[&str]] = &[
        &["fit", "random-forest-classifier", "data/wine.csv", "--target", "class", "--split", "0.7", "--save", &model],
        &["fit", "kmeans", "data/iris.csv", "--drop", "species"],
        &["inspect", &model, "--tensors"],
        &["evaluate", &model, "data/wine.csv", "--permutation-importance", "2"],
        &["cv", "ridge", "data/diabetes.csv", "--target", "progression", "--grid", "alpha=0.1,1,10"],
        &["data", "data/breast_cancer.csv", "--target", "diagnosis"],
        &["devices"],
        &["models"],
        &["doctor"],
        &["bound"],
        &["bound", "tree"],
        &["bound", "tree", "--set", "nodes=7", "--set", "questions=2", "--set", "rows=1000", "--set", "delta=0.05"],
        &["select", "linear-regression", "data/diabetes.csv", "--target", "progression"],
        &["curve", "ridge", "data/diabetes.csv", "--target", "progression"],
        &["clusters", "data/iris.csv", "--drop", "species", "--k", "2..4"],
        &["bias-variance", "ridge", "data/diabetes.csv", "--target", "progression"],
        &["lectures", "--chapter", "kernels"],
        &["lectures", "--chapter", "choice"],
        &["fit", "--help"],
    ];
    for command in commands {
        let mut asked = gristmill(command);
        let output = asked.args(["--device", "cpu"]).env("LC_ALL", "C").env("COLUMNS", "80").output().unwrap();
        let (shown, errors) = text(&output);
        assert!(output.status.success() && shown.is_ascii(), "{command:?}: {errors}{shown}");
        // A line with the name of a file is as long as that.
        for line in shown.lines().filter(|line| !line.contains(&model)) {
            assert!(line.len() <= 80, "{command:?}: {line}");
        }
        assert!(!shown.contains('\u{1b}'));
    }
    let mut utf8 = gristmill(&["data", "data/iris.csv"]);
    let (shown, _) = text(&utf8.env("LC_ALL", "C.UTF-8").output().unwrap());
    assert!(shown.contains('┌') && shown.contains('×'), "{shown}");
}
