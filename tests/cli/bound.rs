//! `gristmill bound`.

use super::{json, refused, run};

#[test]
fn a_bound_prints_its_formula_its_numbers_and_what_they_mean() {
    let (shown, _) = run(&["bound", "vc-gap", "--set", "dimension=3", "--set", "rows=1000", "--set", "delta=0.05"]);
    assert!(shown.contains("epsilon = 0.163978") && shown.contains("ln(2N/h)"), "{shown}");
    assert!(shown.contains("95 % of all draws"), "{shown}");
    let found =
        json(&["bound", "realisable", "--set", "conjunctions=10", "--set", "epsilon=0.1", "--set", "delta=0.05"]);
    assert!((found["found"][0]["value"].as_f64().unwrap() - 139.82).abs() < 5e-3);
    assert!(found["found"][0]["meaning"].as_str().unwrap().starts_with("140 rows"));
}

#[test]
fn without_numbers_the_parameters_are_shown_and_without_a_name_all_bounds() {
    let (shown, _) = run(&["bound", "adaboost"]);
    assert!(shown.contains("gristmill bound adaboost --set gamma=0.1 --set error=0.001"), "{shown}");
    let (list, _) = run(&["bound"]);
    assert!(["realisable", "vc-dimension", "cover-hart", "curse"].iter().all(|name| list.contains(name)), "{list}");
    let all = json(&["bound"]);
    assert!(all["bounds"].as_array().unwrap().len() >= 18);
}

#[test]
fn wrong_numbers_are_wrong_usage() {
    assert!(
        refused(2, &["bound", "hoeffding", "--set", "rows=0", "--set", "delta=0.1"])
            .contains("rows must be at least 1")
    );
    assert!(
        refused(2, &["bound", "hoeffding", "--set", "rows=10", "--set", "delta=1"]).contains("delta must be above 0")
    );
    assert!(refused(2, &["bound", "hoeffding", "--set", "rows=many"]).contains("KEY=NUMBER"));
    assert!(refused(2, &["bound", "hofding"]).contains("hoeffding?"));
}
