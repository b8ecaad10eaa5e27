//! Sample weights in cross-validation and search.

use gristmill::Error;
use gristmill::prelude::*;
use gristmill::selection::{CrossValidateOptions, Folds, GridSearch, cross_validate_with, learning_curve_with};

/// y = 2x in rows that count, and something else in every fifth, which does not.
fn data() -> (Dataset, Vec<f32>) {
    let noise = |row: usize| row.is_multiple_of(5);
    let x = Matrix::from_vec(60, 1, (0..60).map(|row| row as f32).collect()).unwrap();
    let y = (0..60).map(|row| if noise(row) { -7.0 } else { 2.0 * row as f32 }).collect();
    let target = gristmill::Target::Numbers(Matrix::from_vec(60, 1, y).unwrap());
    (Dataset::new(x, target).unwrap(), (0..60).map(|row| f32::from(u8::from(!noise(row)))).collect())
}

#[test]
fn rows_of_weight_0_teach_nothing_in_any_fold() {
    let (data, weights) = data();
    let (pipeline, folds) = (Pipeline::new(LinearRegression::default()), Folds::k_fold(4));
    let weighted = || CrossValidateOptions::default().sample_weight(&weights);
    let search = GridSearch::new(pipeline.clone()).fit_with(&data, &folds, weighted()).unwrap();
    let new = Matrix::from_rows(&[[100.0]]).unwrap();
    let predicted = search.model.predict(&new).unwrap();
    assert!((predicted.numbers().unwrap().get(0, 0) - 200.0).abs() < 1e-2);
    // The scores are those of models of the rows that count alone.
    let found = cross_validate_with(&pipeline, &data, &folds, weighted()).unwrap();
    for ((train, test), score) in folds.split(60, None).unwrap().iter().zip(&found.test[0]) {
        let counted: Vec<usize> = train.iter().copied().filter(|row| weights[*row] > 0.0).collect();
        let model = pipeline.fit(&data.select(&counted).unwrap()).unwrap();
        let test = data.select(&test).unwrap();
        assert!((model.score(&test, &test.target).unwrap() - score).abs() < 1e-4, "{score}");
    }
    let curve = learning_curve_with(&pipeline, &data, &folds, &[1.0], weighted()).unwrap();
    assert!((curve.test[0].mean - found.score().mean).abs() < 1e-4);
}

#[test]
fn weights_that_are_none_are_refused() {
    let (data, weights) = data();
    let (pipeline, folds) = (Pipeline::new(LinearRegression::default()), Folds::k_fold(4));
    let refused = |weights: &[f32]| {
        cross_validate_with(&pipeline, &data, &folds, CrossValidateOptions::default().sample_weight(weights))
    };
    assert!(matches!(refused(&weights[1..]), Err(Error::Shape { .. })));
    assert!(matches!(refused(&[-1.0; 60]), Err(Error::Param { name: "sample_weight", .. })));
}
