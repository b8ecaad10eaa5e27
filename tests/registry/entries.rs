//! Every model by its name.

use gristmill::estimator::Task;
use gristmill::prelude::*;
use gristmill::registry::{self, parse_setting, parse_value};
use serde_json::{Value, json};

#[test]
fn every_parameter_has_help_in_the_order_of_the_fields() {
    for entry in registry::entries() {
        let parameters = entry.estimator().parameters().unwrap();
        let mut fields: Vec<&str> = parameters.keys().map(String::as_str).collect();
        let mut helped: Vec<&str> = entry.parameters.iter().map(|parameter| parameter.name).collect();
        fields.sort_unstable();
        helped.sort_unstable();
        assert_eq!(fields, helped, "{}", entry.name);
    }
}

#[test]
fn a_wrong_model_gets_the_nearest_right_one() {
    let error = registry::find("kneighbours-classifier").unwrap_err().to_string();
    assert!(error.contains("kneighbors-classifier"), "{error}");
    let error = registry::find("zebra").unwrap_err().to_string();
    assert!(error.contains("`gristmill models` lists them"), "{error}");
}

#[test]
fn values_are_read_as_json_numbers_words_and_nothing() {
    let read = |text: &str| parse_value(text).unwrap();
    assert_eq!(read("5"), json!(5));
    assert_eq!(read(".5"), json!(0.5));
    assert_eq!(read("1e-3"), json!(1e-3));
    assert_eq!(read("true"), json!(true));
    assert_eq!(read("none"), Value::Null);
    assert_eq!(read("[1,2]"), json!([1, 2]));
    assert_eq!(read("k-means++"), json!("k-means++"));
    assert_eq!(parse_setting("metric=minkowski:3").unwrap(), ("metric".to_string(), json!("minkowski:3")));
    assert!(parse_setting("metric").unwrap_err().to_string().contains("key=value"));
}

#[test]
fn settings_are_checked_by_name_and_type() {
    let knn = registry::find("kneighbors-classifier").unwrap().estimator();
    let refusal = |name: &str, value: Value| knn.set(name, value).unwrap_err().to_string();
    assert!(refusal("n_neighbours", json!(3)).contains("did you mean n_neighbors?"));
    assert!(refusal("n_neighbors", json!("many")).starts_with("n_neighbors must be an integer"));
    assert!(refusal("n_neighbors", json!(-1)).starts_with("n_neighbors must be"));
    assert!(refusal("metric", json!("euclid")).starts_with("metric must be euclidean, manhattan"));
    assert!(refusal("weights", json!("heavy")).starts_with("weights must be"));
    assert!(refusal("metric.p", json!(3)).contains("metric"));
    assert_eq!(knn.set("metric", json!("minkowski:3")).unwrap().parameters().unwrap()["metric"], "minkowski:3");
}

#[test]
fn parameters_survive_json_for_every_model() {
    for entry in registry::entries() {
        let estimator = entry.estimator();
        let again: AnyEstimator = serde_json::from_value(serde_json::to_value(&estimator).unwrap()).unwrap();
        assert_eq!(again, estimator);
        let by_name: AnyEstimator = serde_json::from_value(json!(entry.name)).unwrap();
        assert_eq!(by_name, estimator);
    }
    let centers = Matrix::from_rows(&[[0.1, 0.2], [3.0, 4.0]]).unwrap();
    let kmeans = AnyEstimator::new(KMeans::new(2).init(Init::Centers(centers)));
    let again: AnyEstimator = serde_json::from_value(serde_json::to_value(&kmeans).unwrap()).unwrap();
    assert_eq!(again, kmeans);
    let lof = AnyEstimator::new(LocalOutlierFactor::default()).set("contamination", json!(0.1)).unwrap();
    assert_eq!(lof.parameters().unwrap()["contamination"], json!(0.1));
}

#[test]
fn every_model_fits_by_name_and_is_the_same_after_a_round_trip() {
    let (iris, diabetes) = (datasets::iris().unwrap(), datasets::diabetes().unwrap());
    let days = datasets::play_tennis().unwrap();
    for entry in registry::entries() {
        let mut estimator = entry.estimator();
        let data = match entry.task {
            Task::Regression => &diabetes,
            _ if estimator.name() == "id3-classifier" => &days,
            _ => &iris,
        };
        if estimator.has("novelty") {
            estimator = estimator.set("novelty", json!(true)).unwrap();
        }
        if estimator.has("n_estimators") {
            estimator = estimator.set("n_estimators", json!(5)).unwrap();
        }
        if estimator.has("eta0") && entry.task == Task::Regression {
            // Longer steps diverge on columns that are not scaled.
            estimator = estimator.set("eta0", json!(1e-7)).unwrap();
        }
        let model = estimator.fit(&data.x, &data.target, Fit::default()).unwrap();
        let again = AnyModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
        match entry.task {
            Task::Transformation => {
                assert_eq!(again.transform(&data.x).unwrap(), model.transform(&data.x).unwrap(), "{}", entry.name);
            }
            Task::Density => {
                let logs = model.score_samples(&data.x).unwrap().unwrap();
                assert_eq!(again.score_samples(&data.x).unwrap().unwrap(), logs, "{}", entry.name);
            }
            _ => assert_eq!(again.predict(&data.x).unwrap(), model.predict(&data.x).unwrap(), "{}", entry.name),
        }
        assert_eq!(again.predict_proba(&data.x).unwrap(), model.predict_proba(&data.x).unwrap());
        assert_eq!(again.classes(), model.classes());
        assert_eq!(again.to_bytes().unwrap(), model.to_bytes().unwrap());
    }
}

#[test]
fn every_loss_of_boosting_fits_by_name_and_is_the_same_after_a_round_trip() {
    let (diabetes, cancer) = (datasets::diabetes().unwrap(), datasets::breast_cancer().unwrap());
    let numbers = ["squared_error", "absolute_error", "huber", "quantile", "poisson"];
    let classes = ["log_loss", "exponential"];
    let cases = numbers.map(|loss| ("gradient-boosting-regressor", loss, &diabetes)).into_iter();
    let cases = cases.chain(classes.map(|loss| ("gradient-boosting-classifier", loss, &cancer)));
    let mut seen: Vec<Vec<u8>> = vec![];
    for (name, loss, data) in cases {
        let (key, value) = parse_setting(&format!("loss={loss}")).unwrap();
        let estimator = registry::find(name).unwrap().estimator().set(&key, value).unwrap();
        let estimator = estimator.set("n_estimators", json!(5)).unwrap();
        assert_eq!(estimator.parameters().unwrap()["loss"], loss);
        let model = estimator.fit(&data.x, &data.target, Fit::default()).unwrap();
        let bytes = model.to_bytes().unwrap();
        let again = AnyModel::from_bytes(&bytes).unwrap();
        let x = || &data.x;
        assert_eq!(again.predict(x()).unwrap(), model.predict(x()).unwrap(), "{loss}");
        assert_eq!(again.predict_proba(x()).unwrap(), model.predict_proba(x()).unwrap(), "{loss}");
        assert_eq!(again.to_bytes().unwrap(), bytes, "{loss}");
        assert!(!seen.contains(&bytes), "{loss} is another loss");
        seen.push(bytes);
    }
    let error = registry::find("gradient-boosting-regressor").unwrap().estimator().set("loss", json!("hinge"));
    let error = error.unwrap_err().to_string();
    assert!(numbers.iter().all(|loss| error.contains(loss)), "{error}");
}

#[test]
fn weights_are_refused_by_models_without_a_use_for_them() {
    let iris = datasets::iris().unwrap();
    let weights = vec![1.0; iris.x.rows()];
    let knn = registry::find("kneighbors-classifier").unwrap().estimator();
    let refused = knn.fit(&iris.x, &iris.target, Fit::default().sample_weight(&weights)).unwrap_err();
    assert!(refused.to_string().contains("sample weights"), "{refused}");
}

/// A file of each layout, of which every length and every bit is tried: numbers alone, names of classes, models inside.
/// All files pass through the same checks, which `tests/model/refused.rs` tries one by one, so others are sampled.
const LAYOUTS: [&str; 3] = ["ridge", "kneighbors-classifier", "voting-regressor"];

#[test]
fn a_truncated_or_flipped_file_of_any_model_is_refused() {
    assert!(LAYOUTS.iter().all(|name| registry::find(name).is_ok()));
    let x = Matrix::from_rows(&[[0.0, 2.0], [1.0, 1.0], [4.0, 4.0], [5.0, 3.0], [9.0, 0.0], [8.0, 2.0]]).unwrap();
    let classes = Labels::from_names(&["a", "a", "b", "b", "a", "b"]);
    let numbers = Matrix::from_vec(6, 1, vec![0.5, 1.0, 2.5, 3.0, 4.0, 5.5]).unwrap();
    for entry in registry::entries() {
        let target = match entry.task {
            Task::Regression => gristmill::Target::Numbers(numbers.clone()),
            _ => gristmill::Target::Classes(classes.clone()),
        };
        let regression = entry.task == Task::Regression;
        let tree = if regression { "decision-tree-regressor" } else { "decision-tree-classifier" };
        let numbers = [("n_clusters", 2), ("n_neighbors", 2), ("n_estimators", 2), ("cv", 2)];
        let numbers = numbers.map(|(name, value)| (name, json!(value)));
        let trees = ["estimator", "estimators", "final_estimator"].map(|name| (name, json!(tree)));
        let mut estimator = entry.estimator();
        for (name, value) in numbers.into_iter().chain(trees) {
            if estimator.has(name) {
                estimator = estimator.set(name, value).unwrap();
            }
        }
        let data = Dataset::new(x.clone(), target).unwrap();
        let bytes = Pipeline::from(estimator).fit(&data).unwrap().to_bytes().unwrap();
        let sample = if LAYOUTS.contains(&entry.name) { usize::MAX } else { 200 };
        for length in (0..bytes.len()).step_by(bytes.len().div_ceil(sample)) {
            assert!(AnyModel::from_bytes(&bytes[..length]).is_err(), "{}: {length} bytes", entry.name);
        }
        let mut flipped = bytes.clone();
        for bit in (0..8 * bytes.len()).step_by((8 * bytes.len()).div_ceil(sample) | 1) {
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(AnyModel::from_bytes(&flipped).is_err(), "{}: bit {bit}", entry.name);
            flipped[bit / 8] ^= 1 << (bit % 8);
        }
    }
}

#[test]
fn a_part_of_a_name_gets_the_names_that_have_it() {
    let error = registry::find("random-forest").unwrap_err().to_string();
    assert!(error.contains("did you mean random-forest-classifier or random-forest-regressor?"), "{error}");
    assert!(!error.contains("kmeans"), "{error}");
    assert!(registry::find("boosting").unwrap_err().to_string().contains("gradient-boosting-regressor?"));
}

#[test]
fn numbers_and_lists_are_taken_as_people_write_them() {
    let forest = registry::find("random-forest-classifier").unwrap().estimator();
    for text in ["1e1", "10.0", "+10"] {
        let set = forest.set("n_estimators", parse_value(text).unwrap()).unwrap();
        assert_eq!(set.parameters().unwrap()["n_estimators"], 10, "{text}");
    }
    assert!(forest.set("n_estimators", json!(10.5)).unwrap_err().to_string().contains("integer"));
    let boost = registry::find("ada-boost-classifier").unwrap().estimator();
    let error = boost.set("learning_rate", parse_value("nan").unwrap()).unwrap_err().to_string();
    assert!(error.starts_with("learning_rate must be a number, got"), "{error}");
    let voting = registry::find("voting-classifier").unwrap().estimator();
    let set = voting.set("weights", parse_value("1,2.5,3").unwrap()).unwrap();
    assert_eq!(set.parameters().unwrap()["weights"], json!([1.0, 2.5, 3.0]));
    // What a .npy file of one column is read as.
    let set = voting.set("weights", json!([[1.0], [2.5]])).unwrap();
    assert_eq!(set.parameters().unwrap()["weights"], json!([1.0, 2.5]));
    let error = voting.set("weights", json!("heavy")).unwrap_err().to_string();
    assert!(error.contains("a list, such as [1,2,3]"), "{error}");
}

#[test]
fn a_mistake_in_a_list_of_models_is_told_with_its_place() {
    let voting = registry::find("voting-classifier").unwrap().estimator();
    let refusal = |value: Value| voting.set("estimators", value).unwrap_err().to_string();
    let error = refusal(json!(["ridge", "kneighbor-classifier"]));
    assert!(error.contains("estimators.1.model") && error.contains("did you mean kneighbors-classifier?"), "{error}");
    let deep = json!([{"model": "decision-tree-classifier", "max_depth": "deep"}]);
    let error = refusal(deep);
    assert!(error.contains("estimators.0.max_depth is an integer"), "{error}");
    assert!(refusal(json!([7])).contains("estimators.0"));
    assert!(refusal(json!(7)).starts_with("estimators must be a list of models"));
    assert!(refusal(json!("ridge,rigde")).contains("did you mean ridge?"));
}
