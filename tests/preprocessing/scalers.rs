use gristmill::prelude::*;
use gristmill::preprocessing::*;

use super::fixtures::*;
use super::{assert_close, assert_near, matrix};

#[test]
fn the_standard_scaler_gives_scikit_learns_numbers() {
    let x = matrix(3, &X);
    let model = StandardScaler::default().fit(&x).unwrap();
    assert_near(model.mean(), &[1.660714285714286, 23.67857142857143, 7.0], 1e-12);
    assert_near(model.var(), &STANDARD_VAR, 1e-8);
    assert_eq!(model.scale()[2], 1.0);
    assert_close(model.transform(&x).unwrap().as_slice(), &STANDARD, 1e-6);
}

#[test]
fn missing_values_are_skipped_by_the_scalers_and_stay_missing() {
    let x = matrix(3, &WITH_MISSING);
    let standard = StandardScaler::default().fit(&x).unwrap();
    assert_near(standard.var(), &STANDARD_MISSING_VAR, 1e-8);
    assert_close(standard.transform(&x).unwrap().as_slice(), &STANDARD_MISSING, 1e-6);
    let min_max = MinMaxScaler::default().fit(&x).unwrap();
    assert_close(min_max.transform(&x).unwrap().as_slice(), &MIN_MAX_MISSING, 1e-6);
    let robust = RobustScaler::default().quantile_range((10.0, 80.0)).fit(&x).unwrap();
    assert_near(robust.center(), &[1.5, 23.75, 7.0], 1e-12);
    assert_near(robust.scale(), &[8.2, 50.75, 1.0], 1e-12);
    assert_close(robust.transform(&x).unwrap().as_slice(), &ROBUST_MISSING, 1e-6);
}

#[test]
fn a_column_without_any_value_is_left_alone() {
    let x = matrix(2, &[f64::NAN, 1.0, f64::NAN, 3.0]);
    let new = matrix(2, &[5.0, 3.0]);
    assert_eq!(StandardScaler::default().fit(&x).unwrap().transform(&new).unwrap().as_slice(), [5.0, 1.0]);
    assert_eq!(MinMaxScaler::default().fit(&x).unwrap().transform(&new).unwrap().as_slice(), [5.0, 1.0]);
    assert_eq!(RobustScaler::default().fit(&x).unwrap().transform(&new).unwrap().as_slice(), [5.0, 1.0]);
}

#[test]
fn mean_and_deviation_can_be_left_as_they_are() {
    let x = matrix(1, &[1.0, 3.0]);
    let centred = StandardScaler::default().with_std(false).fit(&x).unwrap();
    assert_eq!(centred.transform(&x).unwrap().as_slice(), [-1.0, 1.0]);
    let scaled = StandardScaler::default().with_mean(false).fit(&x).unwrap();
    assert_eq!(scaled.transform(&matrix(1, &[1.0, 4.0])).unwrap().as_slice(), [1.0, 4.0]);
    assert_eq!(scaled.inverse_transform(&x).unwrap().as_slice(), [1.0, 3.0]);
    let plain = RobustScaler::default().with_centering(false).with_scaling(false).fit(&x).unwrap();
    assert_eq!(plain.transform(&x).unwrap(), x);
}

#[test]
fn rounding_of_the_mean_makes_no_variance_of_a_constant_column() {
    let x = Matrix::from_vec(10_007, 1, vec![0.1; 10_007]).unwrap();
    let model = StandardScaler::default().fit(&x).unwrap();
    assert_eq!((model.var(), model.scale()), (&[0.0][..], vec![1.0]));
    assert!(model.transform(&x).unwrap().as_slice().iter().all(|value| value.abs() < 1e-9));
}

#[test]
fn the_variance_survives_data_far_from_the_origin() {
    let x = Matrix::from_vec(4, 1, vec![8_388_608.0, 8_388_609.0, 8_388_610.0, 8_388_611.0]).unwrap();
    assert_eq!(StandardScaler::default().fit(&x).unwrap().var(), [1.25]);
}

#[test]
fn the_min_max_scaler_gives_scikit_learns_numbers() {
    let x = matrix(3, &X);
    let model = MinMaxScaler::default().feature_range((-1.0, 2.0)).fit(&x).unwrap();
    assert_near(&model.scale(), &[0.20689655172413793, 0.025, 3.0], 1e-12);
    assert_eq!((model.data_min(), model.data_max()), (&[-6.5, -20.0, 7.0][..], &[8.0, 100.0, 7.0][..]));
    assert_close(model.transform(&x).unwrap().as_slice(), &MIN_MAX, 1e-6);
    let first = matrix(3, &X[..12]);
    let clipped = MinMaxScaler::default().clip(true).fit(&first).unwrap().transform(&matrix(3, &X[12..])).unwrap();
    assert_close(clipped.as_slice(), &MIN_MAX_CLIPPED, 1e-6);
}

#[test]
fn a_tiny_range_is_a_range() {
    let x = Matrix::from_vec(3, 1, vec![0.0, 1e-40, 2e-40]).unwrap();
    let scaled = MinMaxScaler::default().fit(&x).unwrap().transform(&x).unwrap();
    assert_close(scaled.as_slice(), &[0.0, 0.5, 1.0], 1e-4);
}

#[test]
fn the_robust_scaler_gives_scikit_learns_numbers() {
    let x = matrix(3, &X);
    let model = RobustScaler::default().fit(&x).unwrap();
    assert_eq!((model.center(), model.scale()), (&[2.25, 12.0, 7.0][..], &[3.1875, 39.625, 1.0][..]));
    assert_close(model.transform(&x).unwrap().as_slice(), &ROBUST, 1e-6);
}

#[test]
fn every_scaler_turns_its_rows_back() {
    let x = matrix(3, &X);
    let standard = StandardScaler::default().fit(&x).unwrap();
    let min_max = MinMaxScaler::default().feature_range((-3.0, 5.0)).fit(&x).unwrap();
    let robust = RobustScaler::default().fit(&x).unwrap();
    let back = [
        standard.inverse_transform(&standard.transform(&x).unwrap()).unwrap(),
        min_max.inverse_transform(&min_max.transform(&x).unwrap()).unwrap(),
        robust.inverse_transform(&robust.transform(&x).unwrap()).unwrap(),
    ];
    back.iter().for_each(|back| assert_close(back.as_slice(), &X, 1e-6));
}

#[test]
fn rows_are_scaled_alike_alone_and_among_many() {
    let values: Vec<f32> = (0..70_001 * 3).map(|at| ((at * 7919) % 10_007) as f32 * 0.37 - 1000.0).collect();
    let x = Matrix::from_vec(70_001, 3, values).unwrap();
    let model = StandardScaler::default().fit(&x).unwrap();
    let all = model.transform(&x).unwrap();
    for row in [0, 1, 21_844, 21_845, 21_846, 70_000] {
        let alone = Matrix::from_rows(&[x.row(row)]).unwrap();
        assert_eq!(model.transform(&alone).unwrap().as_slice(), all.row(row));
    }
    let mean: f64 = all.as_slice().iter().map(|value| f64::from(*value)).sum::<f64>() / 210_003.0;
    assert!(mean.abs() < 1e-6, "{mean}");
}

#[test]
fn the_normalizer_gives_scikit_learns_numbers() {
    let x = matrix(3, &WITH_ZEROS);
    for (norm, expected) in [(Norm::L1, &NORM_L1), (Norm::L2, &NORM_L2), (Norm::Max, &NORM_MAX)] {
        let model = Normalizer::default().norm(norm).fit(&x).unwrap();
        assert_close(model.transform(&x).unwrap().as_slice(), expected, 1e-6);
    }
}

#[test]
fn long_and_huge_rows_get_length_one() {
    let x = Matrix::from_vec(1, 1003, (0..1003).map(|at| 1e38 * ((at % 7) as f32 - 3.0) / 3.0).collect()).unwrap();
    let unit = Normalizer::default().fit(&x).unwrap().transform(&x).unwrap();
    let length: f64 = unit.as_slice().iter().map(|value| f64::from(*value).powi(2)).sum();
    assert!((length - 1.0).abs() < 1e-6, "{length}");
}

#[test]
fn names_stay_with_their_columns() {
    let x = matrix(3, &X).with_names(["a", "b", "c"]).unwrap();
    let scaled = StandardScaler::default().fit(&x).unwrap().transform(&x).unwrap();
    assert_eq!(scaled.names().unwrap(), ["a", "b", "c"]);
    let unnamed = matrix(3, &X);
    let model = MinMaxScaler::default().fit(&unnamed).unwrap();
    assert_eq!(model.transform(&unnamed).unwrap().names(), None);
    assert_eq!(model.names(None), ["x0", "x1", "x2"]);
}
