//! Products and sums of compressed rows.

use gristmill::SparseMatrix;
use gristmill::cpu::sparse::{CompressedRows, gram, moments, multiply};

use super::random;
use crate::cpu::{SIZES, in_pools, numbers};

fn wide(x: &[f32]) -> Vec<f64> {
    x.iter().map(|value| f64::from(*value)).collect()
}

#[test]
fn products_are_those_of_the_dense_rows() {
    for rows in SIZES {
        for (columns, outputs) in [(1, 1), (7, 3), (257, 2)] {
            let x = random(rows, columns, 0.2, 1 + rows as u64);
            let right = wide(&numbers(columns * outputs, 2));
            let got = in_pools(|| multiply(CompressedRows::from(&x), &right, outputs));
            assert_eq!(got.len(), rows * outputs);
            let dense = x.to_dense().unwrap();
            for row in 0..rows {
                for output in 0..outputs {
                    let terms = dense.row(row).iter().enumerate();
                    let want: f64 =
                        terms.map(|(column, value)| f64::from(*value) * right[column * outputs + output]).sum();
                    assert!((got[row * outputs + output] - want).abs() < 1e-13, "{rows}×{columns}");
                }
            }
        }
    }
}

#[test]
fn a_row_s_product_does_not_depend_on_the_other_rows() {
    let x = random(1000, 300, 0.3, 3);
    let right = wide(&numbers(300 * 2, 4));
    let all = multiply(CompressedRows::from(&x), &right, 2);
    let order: Vec<usize> = (0..1000).map(|row| row * 7 % 1000).collect();
    for chunk in [1, 2, 7, 64, 1000] {
        for rows in order.chunks(chunk).take(20) {
            let some = multiply(CompressedRows::from(&x.select(rows).unwrap()), &right, 2);
            let same = rows.iter().enumerate().all(|(at, row)| some[2 * at..2 * at + 2] == all[2 * row..2 * row + 2]);
            assert!(same, "chunks of {chunk}");
        }
    }
}

#[test]
fn the_transpose_of_the_transpose_is_the_matrix() {
    for (rows, columns) in [(0, 0), (0, 3), (3, 0), (1, 1), (65, 129), (1000, 5)] {
        let x = random(rows, columns, 0.1, 5);
        let turned = CompressedRows::from(&x).transposed();
        assert_eq!((turned.view().rows(), turned.columns), (columns, rows));
        let again = turned.view().transposed();
        let again = SparseMatrix::from_parts(columns, again.offsets, again.indices, again.values).unwrap();
        assert_eq!(again, x);
        let turned = SparseMatrix::from_parts(rows, turned.offsets, turned.indices, turned.values).unwrap();
        assert!((0..rows).all(|row| (0..columns).all(|column| turned.get(column, row) == x.get(row, column))));
    }
}

#[test]
fn products_of_columns_are_those_of_the_dense_columns() {
    for (rows, columns, share) in [(1, 1, 1.0), (64, 5, 0.3), (257, 65, 0.1), (100, 130, 0.05), (5, 3, 0.0)] {
        let x = random(rows, columns, share, 6);
        let dense = x.to_dense().unwrap();
        let values = wide(x.values());
        let view = CompressedRows { columns, offsets: x.offsets(), indices: x.indices(), values: &values };
        let turned = view.transposed();
        let got = in_pools(|| gram(view, turned.view()));
        for one in 0..columns {
            for other in 0..columns {
                let terms = (0..rows).map(|row| f64::from(dense.get(row, one)) * f64::from(dense.get(row, other)));
                assert!((got[one * columns + other] - terms.sum::<f64>()).abs() < 1e-13);
            }
        }
    }
    let empty = SparseMatrix::from_triplets(4, 0, []).unwrap();
    let view = CompressedRows { columns: 0, offsets: empty.offsets(), indices: &[], values: &[] };
    assert!(gram(view, view.transposed().view()).is_empty());
}

#[test]
fn moments_count_the_zeros() {
    for (rows, columns, share) in [(1, 4, 0.5), (1000, 17, 0.1), (300, 3, 1.0)] {
        let x = random(rows, columns, share, 7);
        // An offset, so that a sum of squares less a square would lose digits.
        let x = SparseMatrix::from_parts(
            columns,
            x.offsets().to_vec(),
            x.indices().to_vec(),
            x.values().iter().map(|value| value + 3000.0).collect(),
        );
        let x = x.unwrap();
        let dense = x.to_dense().unwrap();
        let found = moments(CompressedRows::from(&x));
        for column in 0..columns {
            let values: Vec<f64> = (0..rows).map(|row| f64::from(dense.get(row, column))).collect();
            let mean = values.iter().sum::<f64>() / rows as f64;
            let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / rows as f64;
            assert!((found.mean[column] - mean).abs() <= 1e-12 * mean.abs());
            assert!((found.variance[column] - variance).abs() <= 1e-12 * variance + 1e-12);
            assert_eq!(found.nonzero[column], values.iter().filter(|value| **value != 0.0).count());
        }
    }
}
