//! Trees by absolute error: leaves are medians, and the trees are scikit-learn's.

use gristmill::prelude::*;
use gristmill::tree::{RegressionCriterion, Tree};

fn absolute() -> DecisionTreeRegressor {
    DecisionTreeRegressor::default().criterion(RegressionCriterion::AbsoluteError)
}

/// Features, values and impurities, a node before what is below it.
fn in_order(tree: &Tree) -> (Vec<i64>, Vec<f64>, Vec<f64>) {
    let (mut features, mut values, mut impurities, mut waiting) = (vec![], vec![], vec![], vec![0]);
    while let Some(number) = waiting.pop() {
        let node = &tree.nodes()[number as usize];
        features.push(node.feature.map_or(-2, i64::from));
        values.push(tree.value(number)[0]);
        impurities.push(node.impurity);
        if node.feature.is_some() {
            waiting.extend([node.children[1], node.children[0]]);
        }
    }
    (features, values, impurities)
}

#[test]
fn trees_are_those_of_scikit_learn() {
    let data = datasets::diabetes().unwrap();
    let y = data.values().unwrap();
    // Diabetes has at most 255 values a column but for two; 255 bins hold the others exactly.
    let model = absolute().max_depth(3).max_bins(None).fit(&data.x, y).unwrap();
    let (features, values, impurities) = in_order(model.tree());
    assert_eq!(features, [8, 2, 8, -2, -2, 0, -2, -2, 2, 3, -2, -2, 2, -2, -2]);
    let wanted = [140.5, 95.5, 84.0, 72.0, 93.0, 145.0, 274.0, 144.0, 196.5, 153.5, 115.5, 166.0, 237.0, 220.0, 274.0];
    assert_eq!(values, wanted);
    let wanted = [65.042986425, 43.830275229, 35.269005848, 28.424242424, 37.314285714, 51.680851064, 28.0];
    assert!(impurities.iter().zip(wanted).all(|(found, wanted)| (found - wanted).abs() < 1e-8), "{impurities:?}");
}

#[test]
fn weights_move_the_medians_as_in_scikit_learn() {
    let data = datasets::diabetes().unwrap();
    let cases = [
        ((1.0, 1.0), [140.0, 101.0, 89.5, 147.0, 200.0, 185.5, 270.0], 64.186862967),
        ((0.37, 0.25), [140.0, 101.0, 90.0, 147.0, 200.0, 186.0, 270.0], 64.020937626),
    ];
    for ((slope, least), wanted, impurity) in cases {
        let weights: Vec<f32> = (0..442).map(|row| (row % 3) as f32 * slope + least).collect();
        let options = Fit::default().sample_weight(&weights);
        let model = absolute().max_depth(2).max_bins(None).fit_with(&data.x, data.values().unwrap(), options).unwrap();
        let (features, values, impurities) = in_order(model.tree());
        assert_eq!(features, [8, 2, -2, -2, 3, -2, -2]);
        assert_eq!(values, wanted);
        assert!((impurities[0] - impurity).abs() < 1e-5, "{}", impurities[0]);
    }
}

#[test]
fn bins_that_hold_every_value_give_the_same_tree_and_missing_values_too() {
    let rows = 300;
    let at = |row: usize, column: usize| ((row * (7 + 4 * column) + column) % (23 + column)) as f32;
    let value =
        |row: usize, column: usize| if (row + 3 * column).is_multiple_of(11) { f32::NAN } else { at(row, column) };
    let x: Vec<f32> = (0..rows * 4).map(|place| value(place / 4, place % 4)).collect();
    let x = Matrix::from_vec(rows, 4, x).unwrap();
    let y: Vec<f32> =
        (0..rows).map(|row| at(row, 1) * 2.0 - at(row, 3) + if row.is_multiple_of(11) { 40.0 } else { 0.0 }).collect();
    let exact = absolute().max_bins(None).max_depth(6).fit(&x, &y).unwrap();
    let binned = absolute().max_depth(6).fit(&x, &y).unwrap();
    assert_eq!(exact.predict(&x).unwrap(), binned.predict(&x).unwrap());
    let error = |predicted: &Matrix| {
        predicted.as_slice().iter().zip(&y).map(|(predicted, y)| f64::from((predicted - y).abs())).sum::<f64>()
    };
    // A single division by absolute error is the best one there is.
    let one = absolute().max_depth(1).fit(&x, &y).unwrap();
    let squared = DecisionTreeRegressor::default().max_depth(1).fit(&x, &y).unwrap();
    assert!(error(&one.predict(&x).unwrap()) <= error(&squared.predict(&x).unwrap()) + 1e-3);
}

#[test]
fn an_outlier_moves_a_median_less_than_a_mean() {
    let x = Matrix::from_vec(6, 1, vec![0.0, 0.0, 0.0, 1.0, 1.0, 1.0]).unwrap();
    let y = [1.0, 2.0, 3.0, 7.0, 8.0, 1e6];
    let model = absolute().max_depth(1).fit(&x, &y).unwrap();
    assert_eq!(model.predict(&x).unwrap().as_slice(), [2.0, 2.0, 2.0, 8.0, 8.0, 8.0]);
    let both = Matrix::from_vec(6, 2, y.iter().flat_map(|y| [*y, -*y]).collect()).unwrap();
    let model = absolute().max_depth(1).fit(&x, &both).unwrap();
    assert_eq!(model.predict(&x).unwrap().row(4), [8.0, -8.0]);
}

#[test]
fn forests_of_medians_are_as_good_as_scikit_learns() {
    let data = datasets::diabetes().unwrap();
    let rows = |test: bool| (0..data.x.rows()).filter(|row| (row % 4 == 0) == test).collect::<Vec<usize>>();
    let (train, test) = (data.select(&rows(false)).unwrap(), data.select(&rows(true)).unwrap());
    let (y, truth) = (train.values().unwrap(), test.values().unwrap());
    let criterion = RegressionCriterion::AbsoluteError;
    // scikit-learn: 0.413 and 0.443, means of three and five.
    let forest = RandomForestRegressor::default().criterion(criterion).fit(&train.x, y).unwrap();
    let trees = ExtraTreesRegressor::default().criterion(criterion).fit(&train.x, y).unwrap();
    let (forest, trees) = (forest.score(&test.x, truth).unwrap(), trees.score(&test.x, truth).unwrap());
    assert!((forest - 0.413).abs() < 0.04 && (trees - 0.443).abs() < 0.04, "{forest} {trees}");
}

#[test]
fn the_same_bytes_on_any_number_of_threads() {
    let data = datasets::diabetes().unwrap();
    let fit = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| absolute().fit(&data.x, data.values().unwrap()).unwrap().to_bytes().unwrap())
    };
    assert!(fit(1) == fit(4));
}
