//! Sparse rows through pipelines, folds and files.

use gristmill::data::{Dataset, ReadOptions, Target};
use gristmill::estimator::{Prediction, Rows};
use gristmill::pipeline::{Pipeline, PipelineModel};
use gristmill::prelude::*;
use gristmill::preprocessing::{Normalizer, OneHotEncoder, RobustScaler, StandardScaler};
use gristmill::selection::{Folds, GridSearch, cross_validate};

use super::random;
use crate::cpu::numbers;

/// Sparse and dense, the same numbers.
fn both(rows: usize, columns: usize) -> (Dataset, Dataset) {
    let x = random(rows, columns, 0.2, 51);
    let noise = numbers(rows, 52);
    let y = (0..rows).map(|row| x.row(row).1.iter().sum::<f32>() + 0.1 * noise[row]).collect();
    let target = Target::Numbers(Matrix::from_vec(rows, 1, y).unwrap());
    (Dataset::from_sparse(x.clone(), target.clone()).unwrap(), Dataset::new(x.to_dense().unwrap(), target).unwrap())
}

fn numbers_of(prediction: Prediction) -> Vec<f32> {
    let Prediction::Numbers(numbers) = prediction else { panic!("numbers") };
    numbers.into_vec()
}

fn near(one: &[f32], other: &[f32]) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).all(|(one, other)| (one - other).abs() < 1e-5 * other.abs().max(1.0))
}

fn scaled() -> Pipeline {
    let scaler = StandardScaler::default().with_mean(false);
    Pipeline::new(Ridge::new(0.5)).step(scaler).step(Normalizer::default())
}

#[test]
fn a_pipeline_of_sparse_rows_predicts_as_that_of_dense_rows() {
    let (sparse, dense) = both(200, 30);
    for pipeline in [Pipeline::new(LinearRegression::default()), scaled()] {
        let (of_sparse, of_dense) = (pipeline.fit(&sparse).unwrap(), pipeline.fit(&dense).unwrap());
        assert_eq!(of_sparse.columns().len(), 30);
        let wanted = numbers_of(of_dense.predict(&dense.x).unwrap());
        assert!(near(&numbers_of(of_sparse.predict(Rows::from(&sparse)).unwrap()), &wanted));
        // Each takes the other's rows.
        assert!(near(&numbers_of(of_sparse.predict(&dense.x).unwrap()), &wanted));
        assert!(near(&numbers_of(of_dense.predict(Rows::from(&sparse)).unwrap()), &wanted));
        let aligned = of_sparse.align(&sparse).unwrap();
        assert!(aligned.x.columns() == 0 && near(&numbers_of(of_sparse.predict(aligned.rows()).unwrap()), &wanted));
        let again = PipelineModel::from_bytes(&of_sparse.to_bytes().unwrap()).unwrap();
        let predict = |model: &PipelineModel| model.predict(Rows::from(&sparse)).unwrap();
        assert_eq!(predict(&again), predict(&of_sparse));
        let seen = of_sparse.prepare(&sparse).unwrap();
        assert!(seen.sparse.is_some() && seen.target == sparse.target && seen.columns() == 30);
    }
}

#[test]
fn steps_that_need_dense_rows_refuse_sparse_ones() {
    let (sparse, _) = both(50, 8);
    let centred = Pipeline::new(Ridge::new(1.0)).step(RobustScaler::default());
    assert!(matches!(centred.fit(&sparse), Err(Error::Sparse { .. })));
    assert!(!gristmill::estimator::Estimator::abilities(&centred).sparse);
    assert!(gristmill::estimator::Estimator::abilities(&scaled()).sparse);
    let clusters = Pipeline::new(KMeans::new(2)).step(Normalizer::default());
    let refused = clusters.fit(&sparse).unwrap_err().to_string();
    assert!(refused.contains("dense rows") && refused.contains("50×8"), "{refused}");
}

#[test]
fn folds_and_grids_score_sparse_rows_as_dense_ones() {
    let (sparse, dense) = both(150, 20);
    let folds = Folds::k_fold(5).seed(3);
    let score = |data: &Dataset| cross_validate(&scaled(), data, &folds).unwrap().score().mean;
    assert!((score(&sparse) - score(&dense)).abs() < 1e-5);
    let grid = |data: &Dataset| {
        let found = GridSearch::new(scaled()).parameter("alpha", [0.01, 1.0, 100.0]).fit(data, &folds).unwrap();
        (format!("{:?}", found.best().parameters), found.model.predict(Rows::from(data)).unwrap())
    };
    let ((best, predicted), (dense_best, dense_predicted)) = (grid(&sparse), grid(&dense));
    assert_eq!(best, dense_best);
    assert!(near(&numbers_of(predicted), &numbers_of(dense_predicted)));
}

#[test]
fn columns_are_matched_by_name_and_their_number_must_fit() {
    let (sparse, _) = both(60, 4);
    let named = |names: [&str; 4], sparse: &SparseMatrix| {
        Dataset::from_sparse(sparse.clone().with_names(names).unwrap(), Target::None).unwrap()
    };
    let rows = sparse.sparse.clone().unwrap();
    let train = Dataset { target: sparse.target.clone(), ..named(["a", "b", "c", "d"], &rows) };
    let model = Pipeline::new(Ridge::new(0.1)).fit(&train).unwrap();
    let wanted = numbers_of(model.predict(&rows).unwrap());
    let turned = named(["d", "c", "b", "a"], &rows.select_columns(&[3, 2, 1, 0]).unwrap());
    let aligned = model.align(&turned).unwrap();
    assert_eq!(numbers_of(model.predict(aligned.rows()).unwrap()), wanted);
    let fewer = named(["a", "b", "c", "x"], &rows);
    assert!(model.align(&fewer).unwrap_err().to_string().contains("\"d\""));
    let unnamed = Pipeline::new(Ridge::new(0.1)).fit(&sparse).unwrap();
    let narrow = Dataset::from_sparse(rows.select_columns(&[0, 1]).unwrap(), Target::None).unwrap();
    assert!(matches!(unnamed.align(&narrow), Err(Error::Shape { .. })));
}

#[test]
fn text_becomes_sparse_columns_for_a_linear_model() {
    let mut text = "city,size,price\n".to_string();
    (0..120).for_each(|row| text += &format!("c{},{},{}\n", row % 30, row % 7, row % 30 + 2 * (row % 7)));
    let data = Dataset::parse("t.csv", text.as_bytes(), &ReadOptions::default().target("price")).unwrap();
    let fit = |sparse| {
        let encoder = OneHotEncoder::default().sparse_output(sparse);
        Pipeline::new(Ridge::new(1e-3)).step(encoder).fit(&data).unwrap()
    };
    let (sparse, dense) = (fit(true), fit(false));
    assert!(near(&numbers_of(sparse.predict(&data.x).unwrap()), &numbers_of(dense.predict(&data.x).unwrap())));
    assert_eq!(sparse.input_columns(), dense.input_columns());
    assert!(sparse.prepare(&data).unwrap().sparse.is_some());
}
