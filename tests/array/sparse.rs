//! Matrices of mostly zeros.

use gristmill::prelude::*;

/// 5×7: an empty row first and last, the last two columns empty.
fn small() -> SparseMatrix {
    let triplets = [(3, 4, -2.0), (1, 0, 1.5), (2, 3, 4.0), (1, 4, 2.5), (3, 1, 7.0)];
    SparseMatrix::from_triplets(5, 7, triplets).unwrap()
}

#[test]
fn triplets_in_any_order_become_rows() {
    let x = small();
    assert_eq!((x.rows(), x.columns(), x.nnz()), (5, 7, 5));
    assert_eq!(x.row(1), (&[0, 4][..], &[1.5, 2.5][..]));
    assert_eq!(x.row(3), (&[1, 4][..], &[7.0, -2.0][..]));
    assert!(x.row(0).0.is_empty() && x.row(4).1.is_empty());
    assert_eq!((x.get(2, 3), x.get(2, 2), x.get(4, 6)), (4.0, 0.0, 0.0));
    assert!((x.density() - 5.0 / 35.0).abs() < 1e-15);
    assert_eq!(x.offsets(), [0, 0, 2, 3, 5, 5]);
    let backwards = (0..35).rev().map(|at| (at / 7, at % 7, x.get(at / 7, at % 7)));
    assert_eq!(SparseMatrix::from_triplets(5, 7, backwards).unwrap(), x);
}

#[test]
fn dense_and_back_is_the_same_with_names() {
    let x = small().with_names(["a", "b", "c", "d", "e", "f", "g"]).unwrap();
    let dense = x.to_dense().unwrap();
    assert_eq!(dense.row(3), [0.0, 7.0, 0.0, 0.0, -2.0, 0.0, 0.0]);
    assert_eq!(dense.names().unwrap()[6], "g");
    assert_eq!(SparseMatrix::from_dense(&dense).unwrap(), x);
    assert!(small().with_names(["a"]).is_err() && small() != x);
}

#[test]
fn zeros_of_either_sign_are_left_out() {
    let x = SparseMatrix::from_triplets(2, 3, [(0, 0, 0.0), (0, 2, 1.0), (1, 1, -0.0)]).unwrap();
    assert_eq!((x.nnz(), x.row(0).0, x.row(1).0), (1, &[2][..], &[][..]));
    let parts = SparseMatrix::from_parts(3, vec![0, 2, 3], vec![0, 2, 1], vec![0.0, 1.0, -0.0]).unwrap();
    assert_eq!(parts, x);
    assert_eq!(SparseMatrix::from_dense(&Matrix::from_rows(&[[-0.0, 0.0, 1.0], [0.0; 3]]).unwrap()).unwrap(), x);
}

#[test]
fn matrices_without_rows_or_columns_are_matrices() {
    for (rows, columns) in [(0, 0), (0, 5), (5, 0), (1, 1)] {
        let x = SparseMatrix::from_triplets(rows, columns, []).unwrap();
        assert_eq!((x.rows(), x.columns(), x.nnz(), x.density()), (rows, columns, 0, 0.0));
        let dense = x.to_dense().unwrap();
        assert_eq!((dense.rows(), dense.columns()), (rows, columns));
        assert_eq!(SparseMatrix::from_dense(&dense).unwrap(), x);
        assert_eq!(x.select(&(0..rows).collect::<Vec<_>>()).unwrap(), x);
    }
    let one = SparseMatrix::from_triplets(1, 1, [(0, 0, 3.0)]).unwrap();
    assert_eq!((one.density(), one.get(0, 0)), (1.0, 3.0));
}

#[test]
fn parts_that_do_not_fit_are_refused() {
    let refused = |columns, offsets: &[usize], indices: &[u32], values: &[f32]| {
        SparseMatrix::from_parts(columns, offsets.to_vec(), indices.to_vec(), values.to_vec()).unwrap_err().to_string()
    };
    assert!(refused(3, &[], &[], &[]).contains("an offset for each row"));
    assert!(refused(3, &[1, 1], &[0], &[1.0]).contains("from 0 to 1"));
    assert!(refused(3, &[0, 2], &[0], &[1.0]).contains("from 0 to 1"));
    assert!(refused(3, &[0, 2, 1, 3], &[0, 1, 2], &[1.0; 3]).contains("ascending offsets"));
    assert!(refused(3, &[0, 1], &[0, 1], &[1.0]).contains("as many columns as values"));
    assert!(refused(3, &[0, 1, 3], &[0, 2, 1], &[1.0; 3]).contains("row 1"));
    assert!(refused(3, &[0, 2], &[1, 1], &[1.0; 2]).contains("none of them twice"));
    assert!(refused(3, &[0, 2], &[1, 3], &[1.0; 2]).contains("column 3 in row 0"));
    let twice = SparseMatrix::from_triplets(2, 2, [(1, 1, 1.0), (0, 0, 1.0), (1, 1, 2.0)]).unwrap_err().to_string();
    assert!(twice.contains("row 1, column 1 twice"), "{twice}");
    assert!(SparseMatrix::from_triplets(2, 2, [(2, 0, 1.0)]).unwrap_err().to_string().contains("row 2, column 0"));
    assert!(
        SparseMatrix::from_triplets(1 << 33, 1, []).is_err() && SparseMatrix::from_triplets(1, 1 << 33, []).is_err()
    );
}

#[test]
fn values_that_are_not_finite_are_refused_with_their_place() {
    for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let refused = SparseMatrix::from_triplets(3, 9, [(0, 1, 2.0), (2, 8, value)]);
        assert!(matches!(refused, Err(Error::NotFinite { row: 2, column: 8, .. })), "{refused:?}");
        let dense = Matrix::from_rows(&[[1.0, 2.0], [value, 0.0]]).unwrap();
        assert!(matches!(SparseMatrix::from_dense(&dense), Err(Error::NotFinite { row: 1, column: 0, .. })));
    }
    let categorical = Matrix::from_rows(&[[1.0], [0.0]]).unwrap().with_categories([0]).unwrap();
    assert!(SparseMatrix::from_dense(&categorical).unwrap_err().to_string().contains("OneHotEncoder"));
}

#[test]
fn rows_and_columns_are_selected_in_any_order() {
    let x = small().with_names(["a", "b", "c", "d", "e", "f", "g"]).unwrap();
    let dense = x.to_dense().unwrap();
    for rows in [&[][..], &[3], &[4, 0, 3, 3, 1]] {
        assert_eq!(x.select(rows).unwrap().to_dense().unwrap(), dense.select(rows).unwrap());
    }
    for columns in [&[4][..], &[0, 1, 2, 3, 4, 5, 6], &[6, 4, 0, 3], &[5]] {
        assert_eq!(x.select_columns(columns).unwrap().to_dense().unwrap(), dense.select_columns(columns).unwrap());
    }
    assert!(x.select(&[5]).is_err() && x.select_columns(&[7]).is_err() && x.select_columns(&[1, 1]).is_err());
}

#[test]
fn a_wide_matrix_takes_little_memory_and_dense_is_refused_beyond_the_budget() {
    let columns = 1_000_000;
    let triplets = (0..10).flat_map(|row| (0..50).map(move |at| (row, (at * 19_997 + row) % columns, 1.0 + at as f32)));
    let x = SparseMatrix::from_triplets(10, columns, triplets).unwrap();
    assert_eq!((x.nnz(), x.indices().len(), x.values().len(), x.offsets().len()), (500, 500, 500, 11));
    assert_eq!(x.dense_bytes(), 40_000_000);
    let refused = x.to_dense_within(39_999_999);
    assert!(matches!(refused, Err(Error::Limit { need: 40_000_000, have: 39_999_999, .. })), "{refused:?}");
    assert!(SparseMatrix::from_triplets(1 << 20, 1 << 20, []).unwrap().to_dense().is_err());
    let half: Vec<usize> = (0..columns).step_by(2).rev().collect();
    assert_eq!(x.select_columns(&half).unwrap().columns(), columns / 2);
}

#[test]
fn it_is_shown_by_its_numbers() {
    let shown = format!("{:?}", small());
    assert_eq!(
        shown,
        "SparseMatrix 5×7, 5 nonzero\n  [0] \n  [1] 0: 1.5, 4: 2.5\n  [2] 3: 4\n  [3] 1: 7, 4: -2\n  [4] "
    );
    let large = SparseMatrix::from_triplets(100, 50, (0..50).map(|column| (0, column, 1.0))).unwrap();
    assert!(format!("{large:?}").ends_with("\n  …") && format!("{large:?}").lines().count() == 10);
}

#[test]
fn what_takes_dense_rows_refuses_sparse_ones_and_says_what_to_do() {
    let x = SparseMatrix::from_triplets(100, 5000, (0..6000).map(|at| (at % 100, at / 100 * 3, 1.0))).unwrap();
    let refused = KMeans::new(2).fit(&x).unwrap_err();
    assert!(matches!(refused, Error::Sparse { rows: 100, columns: 5000, nonzero: 6000, .. }));
    let said = "KMeans takes dense rows; this data is sparse (100×5000, 1.2 % nonzero): make it dense with --dense or \
                SparseMatrix::to_dense, which needs 2.0 MB";
    assert_eq!(refused.to_string(), said);
    let model = KMeans::new(2).fit(&x.to_dense().unwrap()).unwrap();
    let refused = model.predict(&x).unwrap_err();
    assert!(matches!(refused, Error::Sparse { .. }), "{refused}");
    let y = Labels::from_codes((0..100).map(|row| row % 2).collect(), vec!["a".to_string(), "b".to_string()]).unwrap();
    assert!(matches!(DecisionTreeClassifier::default().fit(&x, &y), Err(Error::Sparse { .. })));
    assert!(matches!(KNeighborsClassifier::new(1).fit(&x, &y), Err(Error::Sparse { .. })));
}
