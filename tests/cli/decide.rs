//! `gristmill decide`.

use super::{Folder, json, refused, run};

const GRID: &str = r##"{"discount": 0.9, "grid": ["...+", ".#.-", "T..."], "terminal": "+-",
    "rewards": {"+": 1, "-": -1, ".": -0.04}, "teleports": [{"from": [2, 0], "to": [0, 2]}]}"##;
const PROCESS: &str = r#"{"discount": 0.5, "states": ["a", "b"], "actions": ["go", "stay"], "terminal": ["b"],
    "rewards": {"entered": {"b": 4}, "state": {"a": 1}},
    "transitions": {"a": {"go": {"a": 0.5, "b": 0.5}, "stay": {"a": 1}}}}"#;

#[test]
fn a_process_and_a_grid_are_solved() {
    let folder = Folder::new();
    let (process, grid) = (folder.path("process.json"), folder.path("grid.json"));
    std::fs::write(&process, PROCESS).unwrap();
    std::fs::write(&grid, GRID).unwrap();
    for method in ["value-iteration", "policy-iteration"] {
        let found = json(&["decide", &process, "--method", method]);
        assert!((found["states"][0]["value"].as_f64().unwrap() - 4.0).abs() < 1e-8, "{found}");
        assert_eq!(found["states"][0]["action"], "go");
        assert!(found["states"][1]["action"].is_null() && found["converged"] == true);
    }
    let (shown, _) = run(&["decide", &process, "--device", "gpu", "--profile", "--json"]);
    let counted: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert!(counted["profile"]["readbacks"].as_u64().unwrap() > 0, "{counted}");
    let picture = folder.path("policy.svg");
    let (shown, _) = run(&["decide", &grid, "--plot", &picture]);
    assert!(shown.contains("teleport") && shown.contains("Bellman residual"), "{shown}");
    assert!(std::fs::read_to_string(&picture).unwrap().contains("Values and policy"));
}

#[test]
fn mistakes_are_named_with_their_place() {
    let folder = Folder::new();
    let file = folder.path("process.json");
    let wrong = |from: &str, to: &str| {
        std::fs::write(&file, PROCESS.replace(from, to)).unwrap();
        refused(1, &["decide", &file])
    };
    assert!(wrong("\"b\": 0.5}", "\"b\": 0.4}").contains("transitions.a.go: the probabilities sum to 0.9"));
    assert!(wrong("\"stay\": {\"a\": 1}", "\"run\": {\"a\": 1}").contains("\"run\" is no action"));
    assert!(wrong("\"b\"],", "\"b\"").contains("line 1"));
    let endless = wrong("\"discount\": 0.5", "\"discount\": 1").contains("endless");
    assert!(!endless);
    std::fs::write(
        &file,
        PROCESS.replace("0.5, \"states\"", "1, \"states\"").replace("{\"a\": 0.5, \"b\": 0.5}", "{\"a\": 1}"),
    )
    .unwrap();
    assert!(refused(1, &["decide", &file]).contains("endless"));
    std::fs::write(&file, PROCESS).unwrap();
    assert!(refused(2, &["decide", &file, "--plot", &folder.path("x.svg")]).contains("--plot draws grids"));
    assert!(refused(1, &["decide", "no.json"]).contains("no.json"));
}
