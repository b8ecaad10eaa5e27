//! Transformers that keep zeros, against what they make of the same rows dense.

use gristmill::estimator::{OwnedRows, Rows};
use gristmill::prelude::*;
use gristmill::preprocessing::{MinMaxScaler, Norm, Normalizer, OneHotEncoder, RobustScaler, StandardScaler};

use super::random;

/// Sizes at which there is a row, a column, few and many numbers.
const SHAPES: [(usize, usize, f32); 6] =
    [(1, 1, 1.0), (1, 5, 0.5), (7, 1, 0.5), (65, 9, 0.3), (300, 40, 0.05), (64, 3, 1.0)];

#[test]
fn a_standard_scaler_without_means_gives_the_bits_of_dense_rows() {
    for (rows, columns, share) in SHAPES {
        let x = random(rows, columns, share, 41);
        for with_std in [true, false] {
            let scaler = StandardScaler::default().with_mean(false).with_std(with_std);
            let (sparse, dense) = (scaler.fit(&x).unwrap(), scaler.fit(&x.to_dense().unwrap()).unwrap());
            let near =
                |one: &[f64], other: &[f64]| one.iter().zip(other).all(|(a, b)| (a - b).abs() <= 1e-14 * b.abs());
            assert!(near(sparse.mean(), dense.mean()) && near(sparse.var(), dense.var()), "{rows}×{columns}");
            // With the same numbers found, the same bits are made.
            let made: SparseMatrix = dense.transform(&x).unwrap();
            assert_eq!(made.to_dense().unwrap(), dense.transform(&x.to_dense().unwrap()).unwrap());
            assert_eq!(made.nnz(), x.nnz());
        }
    }
}

#[test]
fn a_constant_sparse_column_is_not_divided() {
    let x = SparseMatrix::from_triplets(3, 3, [(0, 0, 5.0), (1, 0, 5.0), (2, 0, 5.0), (1, 2, 4.0)]).unwrap();
    let model = StandardScaler::default().with_mean(false).fit(&x).unwrap();
    assert_eq!(model.scale()[..2], [1.0, 1.0]);
    assert!((model.var()[2] - 32.0 / 9.0).abs() < 1e-15 && model.var()[..2] == [0.0, 0.0]);
}

#[test]
fn a_robust_scaler_without_medians_counts_the_zeros() {
    for (rows, columns, share) in SHAPES {
        let x = random(rows, columns, share, 42);
        for range in [(25.0, 75.0), (10.0, 99.0), (0.0, 100.0)] {
            let scaler = RobustScaler::default().with_centering(false).quantile_range(range);
            let (sparse, dense) = (scaler.fit(&x).unwrap(), scaler.fit(&x.to_dense().unwrap()).unwrap());
            assert_eq!((sparse.scale(), sparse.center()), (dense.scale(), dense.center()), "{rows}×{columns}");
            let made: SparseMatrix = sparse.transform(&x).unwrap();
            assert_eq!(made.to_dense().unwrap(), dense.transform(&x.to_dense().unwrap()).unwrap());
        }
        let unscaled = RobustScaler::default().with_centering(false).with_scaling(false);
        assert_eq!(unscaled.fit(&x).unwrap().transform(&x).unwrap(), x);
    }
}

#[test]
fn rows_of_length_one_stay_sparse() {
    for (rows, columns, share) in SHAPES {
        let x = random(rows, columns, share, 43);
        for norm in [Norm::L1, Norm::L2, Norm::Max] {
            let model = Normalizer::default().norm(norm).fit(&x).unwrap();
            let (made, dense) = (model.transform(&x).unwrap(), model.transform(&x.to_dense().unwrap()).unwrap());
            let made = made.to_dense().unwrap();
            // Sums of a row with its zeros are made in another order.
            let near = |(made, dense): (&f32, &f32)| (made - dense).abs() <= 1e-7 * dense.abs();
            assert!(made.as_slice().iter().zip(dense.as_slice()).all(near), "{norm:?}");
        }
    }
}

#[test]
fn what_would_fill_the_zeros_is_refused_with_the_remedy() {
    let x = random(20, 5, 0.3, 44);
    let refused = StandardScaler::default().fit(&x).unwrap_err();
    assert!(matches!(refused, Error::Sparse { .. }) && refused.to_string().contains("unless with_mean is false"));
    let refused = RobustScaler::default().fit(&x).unwrap_err().to_string();
    assert!(refused.contains("unless with_centering is false") && refused.contains("--dense"), "{refused}");
    let refused = MinMaxScaler::default().fit(&x).unwrap_err().to_string();
    assert!(refused.contains("min-max-scaler takes dense rows") && refused.contains("20×5"), "{refused}");
    let dense = StandardScaler::default().fit(&x.to_dense().unwrap()).unwrap();
    assert!(matches!(dense.transform(&x), Err(Error::Sparse { .. })));
    let narrow = random(20, 4, 0.3, 45);
    let model = StandardScaler::default().with_mean(false).fit(&x).unwrap();
    assert!(matches!(model.transform(&narrow), Err(Error::Shape { .. })));
    for (rows, columns) in [(0, 5), (5, 0)] {
        let nothing = SparseMatrix::from_triplets(rows, columns, []).unwrap();
        assert!(Normalizer::default().fit(&nothing).is_err());
        assert!(StandardScaler::default().with_mean(false).fit(&nothing).is_err());
    }
}

#[test]
fn names_go_through_and_results_beyond_f32_are_refused() {
    let x = SparseMatrix::from_triplets(2, 2, [(0, 1, 1e-30), (1, 1, 3e38)]).unwrap().with_names(["a", "b"]).unwrap();
    let made = Normalizer::default().fit(&x).unwrap().transform(&x).unwrap();
    assert_eq!((made.names().unwrap(), made.get(1, 1)), (x.names().unwrap(), 1.0));
    let tiny = SparseMatrix::from_triplets(4, 1, [(0, 0, 1e-38), (1, 0, 1e-38), (2, 0, 1.1e-38)]).unwrap();
    let model = StandardScaler::default().with_mean(false).fit(&tiny).unwrap();
    let far = SparseMatrix::from_triplets(1, 1, [(0, 0, 3e38)]).unwrap();
    assert!(matches!(model.transform(&far), Err(Error::NotFinite { row: 0, column: 0, .. })));
    // What becomes zero is stored no more.
    let model = StandardScaler::default().with_mean(false).fit(&far.select(&[0, 0]).unwrap()).unwrap();
    assert_eq!(model.transform(&far).unwrap().nnz(), 1);
}

#[test]
fn one_hot_rows_can_be_sparse() {
    let codes = |row: usize| [(row % 4) as f32, row as f32 / 2.0, (row % 3) as f32];
    let x = Matrix::from_rows(&(0..50).map(codes).collect::<Vec<_>>()).unwrap();
    let x = x.with_names(["a", "b", "c"]).unwrap().with_category_names(0, ["p", "q", "r", "s"]).unwrap();
    let x = x.with_category_names(2, ["u", "v", "w", "never"]).unwrap();
    let (dense, sparse) = (OneHotEncoder::default(), OneHotEncoder::default().sparse_output(true));
    let (dense, sparse) = (dense.fit(&x).unwrap(), sparse.fit(&x).unwrap());
    let wanted = dense.transform(&x).unwrap();
    assert_eq!(sparse.transform(&x).unwrap(), wanted);
    assert_eq!(dense.transform_sparse(&x).unwrap().to_dense().unwrap(), wanted);
    let OwnedRows::Sparse(made) = sparse.transform(Rows::from(&x)).unwrap() else { panic!("sparse rows") };
    assert_eq!((made.to_dense().unwrap(), made.nnz()), (wanted, 50 * 3 - 1));
    // A column of categories that is not encoded is no number, and nothing may be missing.
    let some = OneHotEncoder::default().columns(["a"]).fit(&x).unwrap();
    assert!(some.transform_sparse(&x).unwrap_err().to_string().contains("text in c"));
    let mut blank = x.clone();
    blank.as_mut_slice()[4] = f32::NAN;
    assert!(matches!(dense.transform_sparse(&blank), Err(Error::NotFinite { row: 1, column: 1, .. })));
    assert!(matches!(dense.transform_sparse(&made), Err(Error::Sparse { .. })));
}

#[test]
fn a_hundred_thousand_categories_take_a_number_each() {
    let rows = 100_000;
    let x = Matrix::from_vec(rows, 1, (0..rows).map(|row| row as f32).collect()).unwrap();
    let model = OneHotEncoder::default().sparse_output(true).fit(&x).unwrap();
    let made = model.transform_sparse(&x).unwrap();
    assert_eq!((made.columns(), made.nnz(), made.row(70_000).0), (rows, rows, &[70_000][..]));
}
