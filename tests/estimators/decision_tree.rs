//! Decision trees: numbers of the textbook and of scikit-learn.

use gristmill::prelude::*;
use gristmill::tree::{ClassWeight, Criterion, MaxFeatures, Ties, TreeFigure};

use crate::support::{gpu, numbers};

/// Every fourth row to test, the others to train.
fn quarters(data: &Dataset) -> (Dataset, Dataset) {
    let rows = |test: bool| (0..data.x.rows()).filter(|row| (row % 4 == 0) == test).collect::<Vec<usize>>();
    (data.select(&rows(false)).unwrap(), data.select(&rows(true)).unwrap())
}

#[test]
fn quinlans_days_are_split_by_the_information_they_give() {
    let days = datasets::play_tennis().unwrap();
    let tree = DecisionTreeClassifier::default().criterion(Criterion::Entropy).max_bins(None);
    // The codes as numbers, in the order of the categories' names.
    let x = days.x.clone().with_categories([]).unwrap();
    let model = tree.fit(&x, days.labels().unwrap()).unwrap();
    let root = model.tree().nodes()[0];
    // 9 days of play and 5 without: 0.940 bits. Overcast days, code 0, are all played: the gain is
    // 0.940 − 10/14·1 = 0.226 bits.
    assert!((root.impurity - 0.940_286).abs() < 1e-6);
    assert_eq!((root.feature, root.threshold, root.count), (Some(0), 0.5, 14));
    assert!((root.gain / 14.0 - (0.940_286 - 10.0 / 14.0)).abs() < 1e-6);
    assert_eq!(model.tree().value(root.children[0]), [0.0, 1.0]);
    assert_eq!(model.score(&x, days.labels().unwrap()).unwrap(), 1.0);
}

#[test]
fn iris_at_depth_two_is_scikit_learns_tree() {
    let iris = datasets::iris().unwrap();
    for max_bins in [Some(255), None] {
        let model = DecisionTreeClassifier::default().max_depth(2).max_bins(max_bins);
        let model = model.fit(&iris.x, iris.labels().unwrap()).unwrap();
        let nodes = model.tree().nodes();
        // scikit-learn draws between petal length and width at the root; ours takes the lower feature.
        assert_eq!((nodes[0].feature, nodes[0].threshold), (Some(2), 2.45));
        assert_eq!((nodes[2].feature, nodes[2].threshold), (Some(3), 1.75));
        let counts: Vec<u64> = nodes.iter().map(|node| node.count).collect();
        assert_eq!(counts, [150, 50, 100, 54, 46]);
        let impurities = [0.666_666_67, 0.0, 0.5, 0.168_038_41, 0.042_533_08];
        assert!(nodes.iter().zip(impurities).all(|(node, want)| (node.impurity - want).abs() < 1e-8));
        assert_eq!(model.score(&iris.x, iris.labels().unwrap()).unwrap(), 0.96);
        let full = DecisionTreeClassifier::default().max_bins(max_bins).fit(&iris.x, iris.labels().unwrap()).unwrap();
        assert_eq!((full.tree().leaves(), full.score(&iris.x, iris.labels().unwrap()).unwrap()), (9, 1.0));
        assert!((full.feature_importances().iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}

#[test]
fn accuracies_are_those_of_scikit_learn() {
    // (data, mean of ten of scikit-learn's trees, ±): ties in its trees are broken by chance.
    let cases = [
        (datasets::iris().unwrap(), 0.921, 0.03),
        (datasets::digits().unwrap(), 0.844, 0.03),
        (datasets::breast_cancer().unwrap(), 0.911, 0.035),
        (datasets::wine().unwrap(), 0.956, 0.045),
    ];
    for (data, want, tolerance) in cases {
        let (train, test) = quarters(&data);
        for max_bins in [Some(255), None] {
            let model = DecisionTreeClassifier::default().max_bins(max_bins);
            let model = model.fit(&train.x, train.labels().unwrap()).unwrap();
            assert_eq!(model.score(&train.x, train.labels().unwrap()).unwrap(), 1.0);
            let score = model.score(&test.x, test.labels().unwrap()).unwrap();
            assert!((score - want).abs() <= tolerance, "{score} where scikit-learn has {want}");
        }
    }
}

#[test]
fn diabetes_is_fitted_as_well_as_by_scikit_learn() {
    let (train, test) = quarters(&datasets::diabetes().unwrap());
    for (depth, want_train, want_test) in [(2, 0.456_040, 0.348_083), (3, 0.531_285, 0.390_697)] {
        let model = DecisionTreeRegressor::default().max_depth(depth).max_bins(None);
        let model = model.fit(&train.x, train.values().unwrap()).unwrap();
        let score = model.score(&train.x, train.values().unwrap()).unwrap();
        assert!((score - want_train).abs() < 1e-5, "depth {depth}: {score}");
        let score = model.score(&test.x, test.values().unwrap()).unwrap();
        assert!((score - want_test).abs() < 1e-3, "depth {depth}: {score}");
    }
    let full = DecisionTreeRegressor::default().fit(&train.x, train.values().unwrap()).unwrap();
    assert_eq!(full.score(&train.x, train.values().unwrap()).unwrap(), 1.0);
}

#[test]
fn limits_hold_in_every_node() {
    let data = datasets::breast_cancer().unwrap();
    let y = data.labels().unwrap();
    for seed in 0..3 {
        let model = DecisionTreeClassifier::default().max_depth(5).min_samples_leaf(7).min_samples_split(40);
        let model =
            model.max_features(MaxFeatures::Sqrt).min_impurity_decrease(0.002).seed(seed).fit(&data.x, y).unwrap();
        let tree = model.tree();
        assert!(tree.depth() <= 5 && tree.leaves() > 2);
        for node in tree.nodes() {
            match node.feature {
                Some(_) => assert!(node.count >= 40 && node.gain / 569.0 >= 0.002 && node.children[0] > 0),
                None => assert!(node.count >= 7),
            }
        }
        let leaves = DecisionTreeClassifier::default().max_leaf_nodes(6).seed(seed).fit(&data.x, y).unwrap();
        assert_eq!(leaves.tree().leaves(), 6);
    }
}

#[test]
fn weights_equal_repetition() {
    let iris = datasets::iris().unwrap();
    let y = iris.labels().unwrap();
    let times: Vec<usize> = (0..150).map(|row| row * 7 % 4).collect();
    let rows: Vec<usize> = (0..150).flat_map(|row| std::iter::repeat_n(row, times[row])).collect();
    let repeated = iris.select(&rows).unwrap();
    let weights: Vec<f32> = times.iter().map(|times| *times as f32).collect();
    for criterion in [Criterion::Gini, Criterion::Entropy, Criterion::Misclassification] {
        let tree = DecisionTreeClassifier::default().criterion(criterion);
        let weighted = tree.fit_with(&iris.x, y, Fit::default().sample_weight(&weights)).unwrap();
        let plain = tree.fit(&repeated.x, repeated.labels().unwrap()).unwrap();
        assert_eq!(weighted.tree().values(), plain.tree().values());
        let splits = |model: &DecisionTreeClassifierModel| {
            model
                .tree()
                .nodes()
                .iter()
                .map(|node| (node.feature, node.threshold, node.gain, node.weight))
                .collect::<Vec<_>>()
        };
        assert_eq!(splits(&weighted), splits(&plain));
    }
    // A weight of 0 is as good as absence, to the byte.
    let present: Vec<usize> = (0..150).filter(|row| times[*row] > 0).collect();
    let weights: Vec<f32> = times.iter().map(|times| (*times).min(1) as f32).collect();
    let some = iris.select(&present).unwrap();
    let tree = DecisionTreeClassifier::default();
    let zeroed = tree.fit_with(&iris.x, y, Fit::default().sample_weight(&weights)).unwrap();
    assert_eq!(zeroed.to_bytes().unwrap(), tree.fit(&some.x, some.labels().unwrap()).unwrap().to_bytes().unwrap());
}

#[test]
fn balanced_classes_move_the_leaf_to_the_rare_one() {
    let x = Matrix::from_rows(&[[0.0]; 10]).unwrap();
    let y = Labels::from_codes(vec![0, 0, 0, 0, 0, 0, 0, 1, 1, 1], vec!["many".into(), "few".into()]).unwrap();
    let plain = DecisionTreeClassifier::default().fit(&x, &y).unwrap();
    assert_eq!(plain.tree().value(0), [0.7, 0.3]);
    let balanced = DecisionTreeClassifier::default().class_weight(ClassWeight::Balanced).fit(&x, &y).unwrap();
    let chances = balanced.tree().value(0);
    assert!((chances[0] - 0.5).abs() < 1e-6 && (chances[1] - 0.5).abs() < 1e-6);
    let given = ClassWeight::Given([("few".to_string(), 3.0)].into());
    let given = DecisionTreeClassifier::default().class_weight(given).fit(&x, &y).unwrap();
    assert_eq!(given.tree().value(0), [7.0 / 16.0, 9.0 / 16.0]);
}

#[test]
fn text_and_picture_name_columns_and_classes() {
    let iris = datasets::iris().unwrap();
    let model = DecisionTreeClassifier::default().max_depth(2).fit(&iris.x, iris.labels().unwrap()).unwrap();
    let text = model.to_text();
    assert!(text.starts_with("petal_length ≤ 2.45") && text.contains("setosa (1.000)  [50 rows]"), "{text}");
    assert_eq!(text.lines().count(), 5);
    let svg = TreeFigure::of_classifier(&model).title("a < b").to_svg();
    assert!(svg.contains("petal_width ≤ 1.75") && svg.contains("a &lt; b") && !svg.contains('…'));
    assert_eq!(svg.matches("<rect ").count(), 6);
    let cut = TreeFigure::of_classifier(&model).max_depth(0).to_svg();
    assert!(cut.contains('…') && cut.matches("<rect ").count() == 2);
    let diabetes = datasets::diabetes().unwrap();
    let numbers = DecisionTreeRegressor::default().fit(&diabetes.x, diabetes.values().unwrap()).unwrap();
    let svg = TreeFigure::of_regressor(&numbers).to_svg();
    // Cut where it would be wider than 64 boxes.
    assert!(svg.matches("<rect ").count() < 130 && svg.contains('…'));
}

#[test]
fn several_outputs_are_learned_together() {
    let x = Matrix::from_rows(&[[0.0], [1.0], [2.0], [3.0]]).unwrap();
    let y = Matrix::from_rows(&[[1.0, 0.0], [1.0, 0.0], [5.0, 8.0], [7.0, 8.0]]).unwrap();
    let model = DecisionTreeRegressor::default().max_depth(1).fit(&x, &y).unwrap();
    assert_eq!(model.predict(&x).unwrap().as_slice(), [1.0, 0.0, 1.0, 0.0, 6.0, 8.0, 6.0, 8.0]);
    // The mean of the variances: (6.75 + 16)/2.
    assert_eq!(model.tree().nodes()[0].impurity, 11.375);
}

#[test]
fn saved_trees_predict_the_same_bits() {
    let digits = datasets::digits().unwrap();
    let model = DecisionTreeClassifier::default().max_depth(8).fit(&digits.x, digits.labels().unwrap()).unwrap();
    let again = DecisionTreeClassifierModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(again.predict_proba(&digits.x).unwrap(), model.predict_proba(&digits.x).unwrap());
    assert_eq!((again.to_text(), again.to_bytes().unwrap()), (model.to_text(), model.to_bytes().unwrap()));
    let diabetes = datasets::diabetes().unwrap();
    let model = DecisionTreeRegressor::default().fit(&diabetes.x, diabetes.values().unwrap()).unwrap();
    let again = DecisionTreeRegressorModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(again.predict(&diabetes.x).unwrap(), model.predict(&diabetes.x).unwrap());
    assert!(DecisionTreeClassifierModel::from_bytes(&model.to_bytes().unwrap()).is_err());
}

#[test]
fn of_equally_good_columns_the_lowest_wins_or_a_drawn_one_on_every_device() {
    // Four copies of one column, and noise.
    let rows = numbers(300 * 2, 5);
    let values = rows.chunks_exact(2).flat_map(|row| [row[0], row[0], row[1], row[0], row[0]]);
    let x = Matrix::from_vec(300, 5, values.collect()).unwrap();
    let y = Labels::from(rows.chunks_exact(2).map(|row| u32::from(row[0] > 0.3)).collect::<Vec<_>>().as_slice());
    let tree = |bins: Option<usize>| DecisionTreeClassifier::default().max_bins(bins);
    let root = |tree: DecisionTreeClassifier| tree.fit(&x, &y).unwrap().tree().nodes()[0].feature;
    for bins in [None, Some(255)] {
        assert!((0..8).all(|seed| root(tree(bins).seed(seed)) == Some(0)));
        let mut drawn: Vec<u32> = (0..40).map(|seed| root(tree(bins).ties(Ties::Random).seed(seed)).unwrap()).collect();
        drawn.sort_unstable();
        drawn.dedup();
        assert_eq!(drawn, [0, 1, 3, 4]);
    }
    // Nodes of several rows that are no better split by one column than by another, on the host and on a GPU.
    let noisy: Vec<u32> = numbers(3000, 6).iter().map(|value| u32::from(*value > 0.0)).collect();
    let coarse = numbers(3000 * 6, 7).iter().map(|value| (value * 3.0).round()).collect();
    let (x, y) = (Matrix::from_vec(3000, 6, coarse).unwrap(), Labels::from(noisy.as_slice()));
    let tree = DecisionTreeClassifier::default().ties(Ties::Random).seed(3);
    let model = tree.fit(&x, &y).unwrap();
    assert_eq!(tree.fit(&x.to(gpu()).unwrap(), &y).unwrap().to_bytes().unwrap(), model.to_bytes().unwrap());
    assert_ne!(tree.seed(4).fit(&x, &y).unwrap().tree(), model.tree());
}
