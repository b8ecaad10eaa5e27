//! Categorical columns in tree models.

use gristmill::ensemble::{
    AdaBoostClassifier, BaggingClassifier, ExtraTreesRegressor, GradientBoostingClassifier, GradientBoostingRegressor,
    Growth, RandomForestClassifier, RandomForestRegressor, StackingClassifier, VotingClassifier,
};
use gristmill::estimator::Prediction;
use gristmill::prelude::*;
use gristmill::tree::{Criterion, RegressionCriterion, Tree};

use crate::support::{baseline, gpu, numbers};

/// Two columns of numbers, one of 7 levels, one of 60, one of 400, and a target that depends on all but the last. Every
/// ninth value of the third column is missing, and some numbers are.
fn table(rows: usize, seed: u64) -> (Matrix, Vec<f32>) {
    let drawn = numbers(rows * 6, seed);
    let level = |number: f32, levels: f32| ((number + 1.0) / 2.0 * levels).floor().clamp(0.0, levels - 1.0);
    let (mut x, mut y) = (vec![], vec![]);
    for (row, drawn) in drawn.chunks_exact(6).enumerate() {
        let (few, many) = (level(drawn[2], 7.0), level(drawn[3], 60.0));
        let effect = (few as usize * 5 % 7) as f32 * 0.4 + (many as usize * 37 % 60) as f32 * 0.03;
        y.push(drawn[0] + drawn[1] * effect + effect + 0.3 * drawn[5]);
        let few = if row % 9 == 4 { f32::NAN } else { few };
        let number = if drawn[0] > 0.9 { f32::NAN } else { drawn[0] };
        x.extend([number, drawn[1], few, many, level(drawn[4], 400.0)]);
    }
    (Matrix::from_vec(rows, 5, x).unwrap().with_categories([2, 3, 4]).unwrap(), y)
}

fn classes(y: &[f32], cuts: &[f32]) -> Labels {
    let codes: Vec<u32> = y.iter().map(|y| cuts.iter().filter(|cut| y > cut).count() as u32).collect();
    Labels::from(codes.as_slice())
}

fn days() -> (Matrix, Labels) {
    let days = datasets::play_tennis().unwrap();
    (days.x.clone().with_categories([0, 1, 2, 3]).unwrap(), days.labels().unwrap().clone())
}

#[test]
fn quinlans_days_are_divided_by_the_levels_that_tell_most() {
    let (x, y) = days();
    for max_bins in [Some(255), None] {
        let tree = DecisionTreeClassifier::default().criterion(Criterion::Entropy).max_bins(max_bins);
        let model = tree.fit(&x, &y).unwrap();
        let root = model.tree().nodes()[0];
        // Of the divisions in two: overcast against the rest gains 0.940 − 10/14·1 = 0.226 bits, more than any other.
        assert_eq!((root.feature, root.count), (Some(0), 14));
        assert!((root.gain / 14.0 - (0.940_286 - 10.0 / 14.0)).abs() < 1e-6);
        let (left, right) = (model.tree().left_categories(0).unwrap(), model.tree().right_categories(0).unwrap());
        assert_eq!([left.len().min(right.len()), left.len() + right.len()], [1, 3]);
        assert!(left == [0] || right == [0], "{left:?} {right:?}");
        assert_eq!(model.score(&x, &y).unwrap(), 1.0);
        assert!(model.to_text().contains("outlook in {0}") || model.to_text().contains("outlook not in {0}"));
        assert!(
            model.tree().left_categories(root.children[0].max(root.children[1])).is_some() || model.tree().leaves() > 2
        );
    }
    // The gains of the other columns at the root, alone: humidity 0.152 bits, wind 0.048.
    for (column, gain) in [(2, 0.151_836), (3, 0.048_127)] {
        let alone = x.select_columns(&[column]).unwrap();
        let tree =
            DecisionTreeClassifier::default().criterion(Criterion::Entropy).max_depth(1).fit(&alone, &y).unwrap();
        assert!((tree.tree().nodes()[0].gain / 14.0 - gain).abs() < 1e-6, "column {column}");
    }
}

#[test]
fn ten_seeds_with_levels_give_the_same_bytes_on_every_device() {
    for seed in 0..10 {
        let (x, y) = table(1200 + 37 * seed as usize, seed);
        let labels = classes(&y, if seed % 4 == 3 { &[0.5, 2.0] } else { &[1.5] });
        let growth = if seed % 2 == 0 { Growth::LeafWise } else { Growth::DepthWise };
        let boosting = GradientBoostingClassifier::default().n_estimators(4).growth(growth).seed(seed);
        let boosting = if seed % 3 == 1 { boosting.subsample(0.7).max_features(0.6) } else { boosting };
        let model = boosting.fit(&x, &labels).unwrap();
        let levels =
            model.trees().iter().flat_map(|tree| tree.nodes()).filter(|node| node.category_set.is_some()).count();
        assert!(levels > 4, "{levels}");
        let wanted = model.to_bytes().unwrap();
        let chances = model.predict_proba(&x).unwrap();
        for (name, device) in [("gpu", gpu()), ("baseline", baseline())] {
            let rows = x.to(device).unwrap();
            let found = boosting.fit(&rows, &labels).unwrap();
            assert!(found.to_bytes().unwrap() == wanted, "{name}: seed {seed}");
            assert_eq!(found.predict_proba(&rows).unwrap(), chances, "{name}: seed {seed}");
        }
        let again = gristmill::ensemble::GradientBoostingClassifierModel::from_bytes(&wanted).unwrap();
        assert_eq!(again.predict_proba(&x).unwrap(), chances);
    }
}

#[test]
fn what_is_no_level_is_missing_on_every_device() {
    let (x, y) = table(1500, 40);
    let model = GradientBoostingRegressor::default().n_estimators(6).fit(&x, &y).unwrap();
    let strange = [f32::NAN, 7.0, 100.0, 2.5, -1.0, 1e-40, 16_777_216.0, 3e38, 399.0, 1e5];
    let mut queries = vec![];
    for (at, value) in strange.iter().enumerate() {
        (2..5).for_each(|column| {
            let mut row = x.row(at).to_vec();
            row[column] = *value;
            queries.extend(row);
        });
    }
    let queries = Matrix::from_vec(3 * strange.len(), 5, queries).unwrap();
    let said = model.predict(&queries).unwrap();
    // NaN and 7, a level that was not fitted, in the column of seven levels.
    let (missing, beyond) = (queries.row(0).to_vec(), [&queries.row(0)[..2], &[7.0], &queries.row(0)[3..]].concat());
    let pair = model.predict(&Matrix::from_rows(&[missing, beyond]).unwrap()).unwrap();
    assert_eq!(pair.get(0, 0), pair.get(1, 0));
    let mut rests = vec![];
    for row in 0..queries.rows() {
        let sum: f64 = model.trees().iter().map(|tree| tree.value(tree.leaf_of(queries.row(row)))[0]).sum();
        // What is left is the baseline.
        rests.push(f64::from(said.get(row, 0)) - sum);
    }
    assert!(rests.iter().all(|rest| (rest - rests[0]).abs() < 1e-5), "{rests:?}");
    for device in [gpu(), baseline()] {
        assert_eq!(model.predict(&queries.to(device).unwrap()).unwrap(), said);
    }
}

#[test]
fn other_codes_for_the_same_levels_change_no_prediction() {
    // Numbers as targets: with classes, levels of as many rows would be alike, and their codes would decide.
    let (x, y) = table(2000, 41);
    let x = x.select_columns(&[0, 1, 2, 3]).unwrap();
    let mut permuted = x.clone();
    for row in permuted.as_mut_slice().chunks_exact_mut(4) {
        let code = |value: f32, levels: usize, factor: usize| {
            if value.is_nan() { value } else { ((value as usize * factor + 3) % levels) as f32 }
        };
        (row[2], row[3]) = (code(row[2], 7, 3), code(row[3], 60, 7));
    }
    let boosting = GradientBoostingRegressor::default().n_estimators(10);
    let boosted = [&x, &permuted].map(|x| boosting.fit(x, &y).unwrap().predict(x).unwrap());
    let tree = DecisionTreeRegressor::default().min_samples_leaf(20).max_depth(5);
    let trees = [&x, &permuted].map(|x| tree.fit(x, &y).unwrap().predict(x).unwrap());
    for [one, other] in [boosted, trees] {
        let differences = one.as_slice().iter().zip(other.as_slice()).map(|(one, other)| (one - other).abs());
        let largest = differences.fold(0.0, f32::max);
        assert!(largest < 1e-5, "{largest}");
    }
}

#[test]
fn a_hundred_thousand_levels_are_no_trouble() {
    let rows = 120_000_usize;
    let drawn = numbers(rows, 42);
    // A third of the rows has one of fifty levels, which tell something; the others one each.
    let level =
        |row: usize| if row.is_multiple_of(3) { (row / 3 % 50 * 2000) as f32 } else { (row * 7919 % 100_000) as f32 };
    let x: Vec<f32> = (0..rows).flat_map(|row| [level(row), drawn[row]]).collect();
    let x = Matrix::from_vec(rows, 2, x).unwrap().with_categories([0]).unwrap();
    let y: Vec<f32> = (0..rows).map(|row| if level(row) % 4000.0 == 0.0 && row % 3 == 0 { 1.0 } else { 0.0 }).collect();
    let labels = classes(&y, &[0.5]);
    let model = GradientBoostingClassifier::default().n_estimators(10).max_leaf_nodes(7).fit(&x, &labels).unwrap();
    assert!(model.score(&x, &labels).unwrap() > 0.97);
    // A byte for each level, once, and 32 for each division.
    assert!(model.to_bytes().unwrap().len() < 150_000, "{}", model.to_bytes().unwrap().len());
    let forest = RandomForestClassifier::default().n_estimators(3).max_depth(6).fit(&x, &labels).unwrap();
    assert!(forest.score(&x, &labels).unwrap() > 0.97);
}

#[test]
fn more_levels_than_bins_tell_what_they_can() {
    // 1,500 levels of twelve rows each, in the first half of the rows: the rest is for the score.
    let (rows, levels) = (36_000, 1500);
    let drawn = numbers(rows, 43);
    let x: Vec<f32> = (0..rows).map(|row| (row * 7919 % levels) as f32).collect();
    let y: Vec<f32> = x.iter().zip(&drawn).map(|(level, drawn)| (*level as usize % 7) as f32 + 0.5 * drawn).collect();
    let labels = classes(&y, &[1.5, 4.5]);
    let [seen, unseen] = [(0..rows / 2).collect(), (rows / 2..rows).collect::<Vec<usize>>()];
    let part = |rows: &[usize]| {
        let values: Vec<f32> = rows.iter().map(|row| x[*row]).collect();
        let targets: Vec<f32> = rows.iter().map(|row| y[*row]).collect();
        (Matrix::from_vec(rows.len(), 1, values).unwrap().with_categories([0]).unwrap(), targets)
    };
    let ((x, y), (test_x, test_y)) = (part(&seen), part(&unseen));
    let test_y = Matrix::from_vec(test_y.len(), 1, test_y).unwrap();
    let (labels, test_labels): (Labels, Labels) = (labels.select(&seen).unwrap(), labels.select(&unseen).unwrap());
    let boosting = GradientBoostingRegressor::default().n_estimators(60).fit(&x, &y).unwrap();
    let tree = DecisionTreeRegressor::default().max_leaf_nodes(40);
    let exact = tree.clone().max_bins(None).fit(&x, &y).unwrap();
    let forest = RandomForestRegressor::default().n_estimators(5).max_leaf_nodes(40).fit(&x, &y).unwrap();
    // The noise has a variance of 1/12, the levels one of 4.
    let scores = [
        boosting.score(&test_x, &test_y).unwrap(),
        tree.fit(&x, &y).unwrap().score(&test_x, &test_y).unwrap(),
        exact.score(&test_x, &test_y).unwrap(),
        forest.score(&test_x, &test_y).unwrap(),
    ];
    assert!(scores.iter().all(|score| *score > 0.97), "{scores:?}");
    let classifier = GradientBoostingClassifier::default().n_estimators(20);
    let on_cpu = classifier.fit(&x, &labels).unwrap();
    assert!(on_cpu.score(&test_x, &test_labels).unwrap() > 0.99);
    let on_gpu = classifier.fit(&x.to(gpu()).unwrap(), &labels).unwrap();
    assert_eq!(on_cpu.to_bytes().unwrap(), on_gpu.to_bytes().unwrap());
}

#[test]
fn ensembles_pass_categories_on_and_models_of_numbers_refuse_them() {
    let (x, y) = table(600, 43);
    let labels = classes(&y, &[1.5]);
    let uses = |text: String| text.contains(" in {");
    let tree = DecisionTreeClassifier::default().max_depth(3);
    assert!(uses(tree.fit(&x, &labels).unwrap().to_text()));
    let ada = AdaBoostClassifier::new(AnyEstimator::new(tree.clone())).n_estimators(5).fit(&x, &labels).unwrap();
    let bags = BaggingClassifier::new(AnyEstimator::new(tree.clone())).n_estimators(4).fit(&x, &labels).unwrap();
    let forest = RandomForestRegressor::default().n_estimators(5).fit(&x, &y).unwrap();
    assert!(ada.score(&x, &labels).unwrap() > 0.8 && bags.score(&x, &labels).unwrap() > 0.75);
    assert!(forest.score(&x, &Matrix::from_vec(600, 1, y.clone()).unwrap()).unwrap() > 0.85);
    let members =
        || [AnyEstimator::new(tree.clone()), AnyEstimator::new(RandomForestClassifier::default().n_estimators(5))];
    let voting = VotingClassifier::new(members());
    let stack = StackingClassifier::new(members());
    assert!(voting.fit(&x, &labels).unwrap().score(&x, &labels).unwrap() > 0.75);
    assert!(stack.fit(&x, &labels).unwrap().score(&x, &labels).unwrap() > 0.75);
    assert!(AnyEstimator::new(voting).abilities().categories);
    let mixed = VotingClassifier::new([AnyEstimator::new(tree), AnyEstimator::new(KNeighborsClassifier::new(3))]);
    assert!(!AnyEstimator::new(mixed).abilities().categories);
    let complete = x.select_columns(&[1, 3]).unwrap().with_names(["size", "town"]).unwrap();
    for refused in [
        KMeans::new(2).fit(&complete).unwrap_err().to_string(),
        KNeighborsClassifier::new(3).fit(&complete, &labels).unwrap_err().to_string(),
        LinearRegression::default().fit(&complete, &y).unwrap_err().to_string(),
        KMeans::new(2).fit(&complete.to(gpu()).unwrap()).unwrap_err().to_string(),
    ] {
        assert!(
            refused.contains("town") && !refused.contains("size") && refused.contains("OneHotEncoder"),
            "{refused}"
        );
    }
}

#[test]
fn names_and_marks_survive_a_device() {
    let (x, y) = table(300, 44);
    let x = x.with_names(["a", "b", "c", "d", "e"]).unwrap();
    let tree = DecisionTreeRegressor::default().max_depth(3);
    let wanted = tree.fit(&x, &y).unwrap().to_bytes().unwrap();
    for device in [gpu(), baseline()] {
        assert!(tree.fit(&x.to(device).unwrap(), &y).unwrap().to_bytes().unwrap() == wanted);
    }
}

#[test]
fn pipelines_take_columns_of_text_as_they_are() {
    let days = datasets::play_tennis().unwrap();
    let model = Pipeline::new(DecisionTreeClassifier::default()).fit(&days).unwrap();
    let Prediction::Classes(said) = model.predict(&days.x).unwrap() else { panic!("classes") };
    assert_eq!(said.codes(), days.labels().unwrap().codes());
    assert!(Pipeline::new(KNeighborsClassifier::new(1)).fit(&days).is_err());
    let again = PipelineModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(again.predict(&days.x).unwrap(), model.predict(&days.x).unwrap());
    // A category that was not fitted is missing to the tree.
    let mut new = days.clone();
    new.x = new.x.with_category_names(0, ["Hail", "Rain", "Sunny"]).unwrap();
    let arranged = model.align(&new).unwrap().x;
    assert!(arranged.get(2, 0).is_nan() && !arranged.get(0, 0).is_nan());
    assert_eq!(model.predict(&arranged).unwrap().len(), 14);
}

/// Checks that levels without a row in a node go with its larger child, left if they are alike; says how many there were.
fn check_absent_levels(tree: &Tree, x: &Matrix, what: &str) -> usize {
    let mut rows = vec![vec![]; tree.nodes().len()];
    rows[0] = (0..x.rows()).collect();
    let mut checked = 0;
    for (number, node) in tree.nodes().iter().enumerate() {
        let own = std::mem::take(&mut rows[number]);
        let Some(feature) = node.feature else { continue };
        let feature = feature as usize;
        let (left, right) = (tree.left_categories(number as u32), tree.right_categories(number as u32));
        let goes_left = |row: &usize| match (x.get(*row, feature), &left) {
            (value, _) if value.is_nan() => node.missing_left,
            (value, Some(left)) => left.contains(&(value as u32)),
            (value, None) => value <= node.threshold,
        };
        let (on_left, on_right): (Vec<usize>, Vec<usize>) = own.iter().partition(|row| goes_left(row));
        if let (Some(left), Some(right)) = (&left, &right) {
            let absent = |code: &&u32| own.iter().all(|row| x.get(*row, feature) != **code as f32);
            let (absent_left, absent_right) = (left.iter().filter(absent).count(), right.iter().filter(absent).count());
            let wrong = if 2 * on_left.len() >= own.len() { absent_right } else { absent_left };
            assert_eq!(wrong, 0, "{what}: node {number} of {} and {} rows", on_left.len(), on_right.len());
            checked += absent_left + absent_right;
        }
        [rows[node.children[0] as usize], rows[node.children[1] as usize]] = [on_left, on_right];
    }
    checked
}

#[test]
fn levels_that_a_node_has_not_go_with_the_larger_child_in_every_tree() {
    // Without the column in which rare levels share a bin.
    let (x, y) = table(500, 77);
    let x = x.select_columns(&[0, 1, 2, 3]).unwrap();
    let mut checked = [0; 4];
    for max_bins in [Some(255), None] {
        let extra = ExtraTreesRegressor::default().n_estimators(4).max_bins(max_bins).fit(&x, &y).unwrap();
        for tree in extra.trees() {
            checked[0] += check_absent_levels(tree, &x, "extra trees");
        }
        let absolute = DecisionTreeRegressor::default().criterion(RegressionCriterion::AbsoluteError);
        let absolute = absolute.max_bins(max_bins).max_depth(6).fit(&x, &y).unwrap();
        checked[1] += check_absent_levels(absolute.tree(), &x, "absolute error");
        let squared = DecisionTreeRegressor::default().max_bins(max_bins).max_depth(6).fit(&x, &y).unwrap();
        checked[2] += check_absent_levels(squared.tree(), &x, "squared error");
    }
    let boosted = GradientBoostingRegressor::default().n_estimators(3).fit(&x, &y).unwrap();
    checked[3] = boosted.trees().iter().map(|tree| check_absent_levels(tree, &x, "boosting")).sum();
    assert!(checked.iter().all(|checked| *checked > 100), "{checked:?}");
}

#[test]
fn rare_categories_that_interact_with_a_column_are_told_apart() {
    // 600 categories of one mean: with half of them the target rises where the number is above 0, with the others it falls.
    let (rows, categories) = (24_000, 600);
    let number = |row: usize| ((row * 7919 + row / categories * 31) % 997) as f32 / 498.5 - 1.0;
    let category = |row: usize| row % categories;
    let kind = |category: usize| if category * 37 % 101 < 50 { 1.0 } else { -1.0 };
    let x = (0..rows).flat_map(|row| [category(row) as f32, number(row), number(row * 13 + 5)]).collect();
    let x = Matrix::from_vec(rows, 3, x).unwrap().with_categories([0]).unwrap();
    let y: Vec<f32> = (0..rows).map(|row| kind(category(row)) * number(row).signum() + 0.1 * number(row * 3)).collect();
    let boosting = GradientBoostingRegressor::default().n_estimators(15).learning_rate(0.3);
    let model = boosting.fit(&x, &y).unwrap();
    let predicted = model.predict(&x).unwrap();
    let error: f64 = (0..rows).map(|row| f64::from(predicted.get(row, 0) - y[row]).powi(2)).sum::<f64>() / rows as f64;
    assert!(error < 0.03, "{error}");
    let on_gpu = boosting.fit(&x.to(gpu()).unwrap(), &y).unwrap();
    assert_eq!(model.to_bytes().unwrap(), on_gpu.to_bytes().unwrap());
}
