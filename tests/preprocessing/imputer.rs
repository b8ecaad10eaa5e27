use gristmill::prelude::*;

use super::fixtures::*;
use super::{assert_close, matrix};

#[test]
fn missing_values_become_scikit_learns_numbers() {
    let x = matrix(4, &GAPS);
    let cases = [
        (ImputeStrategy::Mean, &FILLED_MEAN),
        (ImputeStrategy::Median, &FILLED_MEDIAN),
        (ImputeStrategy::MostFrequent, &FILLED_MOST_FREQUENT),
        (ImputeStrategy::Constant, &FILLED_CONSTANT),
    ];
    for (strategy, expected) in cases {
        let model = SimpleImputer::default().strategy(strategy).fill_value(-1.0).fit(&x).unwrap();
        assert_close(model.transform(&x).unwrap().as_slice(), expected, 1e-6);
    }
}

#[test]
fn a_column_without_any_value_is_left_out_or_filled() {
    let x = matrix(4, &GAPS).with_names(["a", "b", "c", "d"]).unwrap();
    let without = SimpleImputer::default().fit(&x).unwrap();
    assert_eq!(without.transform(&x).unwrap().names().unwrap(), ["a", "b", "c"]);
    assert!(without.statistics()[3].is_nan());
    let kept = SimpleImputer::default().keep_empty_features(true).fit(&x).unwrap();
    assert_eq!(kept.transform(&x).unwrap().row(0), [1.0, 6.0, 3.0, 0.0]);
    let constant = SimpleImputer::default().strategy(ImputeStrategy::Constant).fill_value(-1.0);
    let filled = constant.keep_empty_features(true).fit(&x).unwrap().transform(&x).unwrap();
    assert_eq!(filled.row(0), [1.0, -1.0, 3.0, -1.0]);
}

#[test]
fn rows_without_gaps_are_shared_and_not_copied() {
    let x = matrix(2, &[1.0, 2.0, 3.0, 4.0]);
    let z = SimpleImputer::default().fit(&x).unwrap().transform(&x).unwrap();
    assert_eq!(z.as_slice().as_ptr(), x.as_slice().as_ptr());
}

#[test]
fn medians_of_wide_tables_are_those_of_their_columns() {
    let (rows, columns) = (101, 37);
    let value = |row: usize, column: usize| ((row * 53 + column * 29) % 101) as f32 + column as f32;
    let mut values: Vec<f32> = (0..rows * columns).map(|at| value(at / columns, at % columns)).collect();
    values[5 * columns + 3] = f32::NAN;
    let x = Matrix::from_vec(rows, columns, values).unwrap();
    let model = SimpleImputer::default().strategy(ImputeStrategy::Median).fit(&x).unwrap();
    for column in 0..columns {
        let mut sorted: Vec<f32> = (0..rows).map(|row| x.get(row, column)).filter(|value| !value.is_nan()).collect();
        sorted.sort_by(f32::total_cmp);
        let middle = (sorted[(sorted.len() - 1) / 2] + sorted[sorted.len() / 2]) / 2.0;
        assert_eq!(model.statistics()[column], middle, "column {column}");
    }
}
