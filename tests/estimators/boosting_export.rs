//! Boosted trees in LightGBM's text format. The format was checked against LightGBM itself by
//! scripts/check_lightgbm_export; here is what the text must have.

use gristmill::ensemble::{ClassificationLoss, RegressionLoss};
use gristmill::prelude::*;

use crate::support::numbers;

fn data(rows: usize) -> (Matrix, Vec<f32>) {
    let numbers = numbers(rows * 4, 77);
    let x = numbers.chunks_exact(4).flat_map(|row| [row[0], if row[1] > 0.6 { f32::NAN } else { row[1] }, row[2]]);
    let y = numbers.chunks_exact(4).map(|row| (2.0 * row[0] + row[1] * row[2] + 3.5).max(0.0));
    (Matrix::from_vec(rows, 3, x.collect()).unwrap(), y.collect())
}

fn classes(y: &[f32], cuts: &[f32]) -> Labels {
    let codes: Vec<u32> = y.iter().map(|y| cuts.iter().filter(|cut| y > cut).count() as u32).collect();
    Labels::from(&codes[..])
}

/// The values behind a name, wherever it is in a part of the text.
fn values<T: std::str::FromStr>(part: &str, name: &str) -> Vec<T> {
    let line = part.lines().find_map(|line| line.strip_prefix(&format!("{name}="))).unwrap_or_default();
    line.split_whitespace().map(|value| value.parse().ok().unwrap()).collect()
}

/// The trees, each from its own line on.
fn trees(text: &str) -> Vec<&str> {
    let starts: Vec<usize> = text.match_indices("\nTree=").map(|(at, _)| at + 1).collect();
    let ends = starts.iter().skip(1).copied().chain([text.find("end of trees").unwrap()]);
    starts.iter().zip(ends).map(|(start, end)| &text[*start..end]).collect()
}

/// What LightGBM makes of a row: the sum of the leaves that it ends in, for each class.
fn raw_scores(text: &str, row: &[f32]) -> Vec<f64> {
    let classes = values::<usize>(text, "num_tree_per_iteration")[0];
    let mut scores = vec![0.0; classes];
    for (number, tree) in trees(text).into_iter().enumerate() {
        let (features, thresholds) = (values::<usize>(tree, "split_feature"), values::<f64>(tree, "threshold"));
        let kinds = values::<u32>(tree, "decision_type");
        let children = [values::<i64>(tree, "left_child"), values::<i64>(tree, "right_child")];
        let mut at = if features.is_empty() { -1 } else { 0 };
        while at >= 0 {
            let node = at as usize;
            let (value, kind) = (f64::from(row[features[node]]), kinds[node]);
            assert_eq!(kind & !2, 8, "numbers, and missing ones are NaN");
            let left = if value.is_nan() { kind & 2 != 0 } else { value <= thresholds[node] };
            at = children[usize::from(!left)][node];
        }
        scores[number % classes] += values::<f64>(tree, "leaf_value")[(-1 - at) as usize];
    }
    scores
}

#[test]
fn the_text_predicts_what_the_model_does() {
    let (x, y) = data(500);
    let boosting = GradientBoostingRegressor::default().n_estimators(7);
    let model = boosting.fit(&x, &y).unwrap();
    let (text, predicted) = (model.to_lightgbm_text(), model.predict(&x).unwrap());
    assert!((0..500).all(|row| (raw_scores(&text, x.row(row))[0] - f64::from(predicted.get(row, 0))).abs() < 1e-6));
    let labels = classes(&y, &[3.0, 4.0]);
    let model = GradientBoostingClassifier::default().n_estimators(5).fit(&x, &labels).unwrap();
    let (text, scores) = (model.to_lightgbm_text(), model.decision_function(&x).unwrap());
    assert_eq!((values::<usize>(&text, "num_class"), trees(&text).len()), (vec![3], 15));
    for row in 0..500 {
        let found = raw_scores(&text, x.row(row));
        assert!((0..3).all(|class| (found[class] - f64::from(scores.get(row, class))).abs() < 1e-5));
    }
}

#[test]
fn the_text_says_how_large_each_tree_is_and_what_its_loss_is_called() {
    let (x, y) = data(300);
    let boosting = GradientBoostingRegressor::default().n_estimators(3);
    for (loss, objective) in [
        (RegressionLoss::SquaredError, "objective=regression\n"),
        (RegressionLoss::AbsoluteError, "objective=regression_l1\n"),
        (RegressionLoss::Huber, "objective=huber\n"),
        (RegressionLoss::Quantile, "objective=quantile alpha:0.75\n"),
        (RegressionLoss::Poisson, "objective=poisson\n"),
    ] {
        let model = boosting.clone().loss(loss).alpha(0.75).fit(&x, &y).unwrap();
        let text = model.to_lightgbm_text();
        let named = |names: [&str; 3]| model.to_lightgbm_text_with(&names.map(String::from));
        assert!(named(["a b", "c:d", "é"]).contains("\nfeature_names=a_b c_d é\n"));
        // Names that are alike for LightGBM are no names.
        assert_eq!(named(["a b", "a_b", "c"]), text);
        assert!(text.starts_with("tree\nversion=v4\n") && text.contains(objective), "{text}");
        assert!(
            text.contains("\nmax_feature_idx=2\n") && text.contains("\nfeature_names=Column_0 Column_1 Column_2\n")
        );
        let sizes: Vec<usize> = trees(&text).iter().map(|tree| tree.len()).collect();
        assert_eq!(values::<usize>(&text, "tree_sizes"), sizes);
        for tree in trees(&text) {
            let leaves = values::<usize>(tree, "num_leaves")[0];
            assert_eq!(values::<f64>(tree, "leaf_value").len(), leaves);
            assert_eq!(values::<u64>(tree, "leaf_count").iter().sum::<u64>(), 300);
            assert!(
                ["split_feature", "threshold", "decision_type", "left_child", "right_child", "internal_count"]
                    .iter()
                    .all(|name| values::<f64>(tree, name).len() == leaves - 1)
            );
        }
    }
    let two = classes(&y, &[3.5]);
    for (loss, objective) in [
        (ClassificationLoss::LogLoss, "objective=binary sigmoid:1\n"),
        (ClassificationLoss::Exponential, "objective=binary sigmoid:2\n"),
    ] {
        let model = GradientBoostingClassifier::default().loss(loss).n_estimators(2).fit(&x, &two).unwrap();
        assert!(model.to_lightgbm_text().contains(objective));
    }
    let three = GradientBoostingClassifier::default().n_estimators(1).fit(&x, &classes(&y, &[3.0, 4.0])).unwrap();
    assert!(three.to_lightgbm_text().contains("objective=multiclass num_class:3\n"));
    let both = Matrix::from_vec(300, 2, y.iter().flat_map(|y| [*y, -y]).collect()).unwrap();
    let text = boosting.fit(&x, &both).unwrap().to_lightgbm_text();
    assert!(text.contains("num_class=2\nnum_tree_per_iteration=2\n") && !text.contains("objective"));
}

#[test]
fn a_small_model_is_this_text() {
    let x = Matrix::from_rows(&[[1.0, 0.5], [2.0, f32::NAN], [3.0, 0.5], [10.0, 0.5]]).unwrap();
    let boosting = GradientBoostingRegressor::default().n_estimators(1).min_samples_leaf(1).max_leaf_nodes(3);
    let text = boosting.learning_rate(0.5).fit(&x, &[0.0, 4.0, 0.0, 8.0]).unwrap().to_lightgbm_text();
    let known = include_str!("boosting_export.txt");
    assert_eq!(text, known);
    // No round at all: the mean alone.
    let model = GradientBoostingRegressor::default().fit(&Matrix::zeros(3, 1).unwrap(), &[1.0, 2.0, 6.0]).unwrap();
    assert!(model.to_lightgbm_text().contains("Tree=0\nnum_leaves=1\nnum_cat=0\nleaf_value=3e0\nis_linear=0\n"));
}

#[test]
fn the_file_is_the_text() {
    let (x, y) = data(100);
    let model = GradientBoostingRegressor::default().n_estimators(2).fit(&x, &y).unwrap();
    let path = std::env::temp_dir().join(format!("gristmill-lightgbm-{}.txt", std::process::id()));
    model.save_lightgbm(&path).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), model.to_lightgbm_text());
    std::fs::remove_file(&path).unwrap();
    assert!(model.save_lightgbm(std::env::temp_dir().join("no-such-folder").join("model.txt")).is_err());
}
