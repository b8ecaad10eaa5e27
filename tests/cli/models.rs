//! `gristmill models`.

use super::{json, refused, run};

#[test]
fn every_model_is_listed_with_its_parameters() {
    let (shown, _) = run(&["models"]);
    for word in ["kmeans", "n_clusters", "Number of clusters", "k-means++", "local-outlier-factor", "contamination"] {
        assert!(shown.contains(word), "{word} in {shown}");
    }
    let all = json(&["models"]);
    let models = all["models"].as_array().unwrap();
    assert_eq!(models.len(), gristmill::registry::entries().len());
    let kmeans = models.iter().find(|model| model["name"] == "kmeans").unwrap();
    assert_eq!((&kmeans["task"], &kmeans["parameters"][0]["default"]), (&"clustering".into(), &8.into()));
    assert!(models.iter().all(|model| model["about"].as_str().is_some_and(|about| !about.is_empty())));
}

#[test]
fn one_model_is_shown_in_detail() {
    let (shown, _) = run(&["models", "kneighbors-classifier"]);
    for word in ["n_neighbors", "5", "classification", "--target", "metric"] {
        assert!(shown.contains(word), "{word} in {shown}");
    }
    assert_eq!(json(&["models", "kmeans"])["name"], "kmeans");
    assert!(refused(2, &["models", "kmean"]).contains("kmeans"));
}

#[test]
fn defaults_that_are_models_are_shown_in_words() {
    let (shown, _) = run(&["models", "ada-boost-classifier"]);
    assert!(shown.contains("= decision-tree-classifier (max_depth=1)"), "{shown}");
    for model in ["voting-classifier", "stacking-classifier", "stacking-regressor"] {
        let (shown, _) = run(&["models", model]);
        assert!(shown.contains("kneighbors-") && !shown.contains('{'), "{shown}");
        assert!(shown.lines().all(|line| line.chars().count() < 200), "{shown}");
    }
    assert!(run(&["models", "stacking-classifier"]).0.contains("= kneighbors-classifier,random-forest-classifier "));
}

#[test]
fn every_line_fits_80_columns() {
    let output = super::gristmill(&["models"]).env("COLUMNS", "80").env("LC_ALL", "C").output().unwrap();
    let (shown, _) = super::text(&output);
    // A value is to be copied, so it is not broken.
    let lines = shown.lines().filter(|line| line.split(" = ").nth(1).is_none_or(|value| value.contains(' ')));
    let longest = lines.max_by_key(|line| line.len()).unwrap();
    assert!(longest.len() <= 80 && shown.is_ascii(), "{longest}");
    assert!(shown.contains("\n    n_clusters = 8 ") && shown.contains("gradient-boosting-classifier"));
}
