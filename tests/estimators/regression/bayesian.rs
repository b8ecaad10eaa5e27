//! A posterior over planes.

use gristmill::prelude::*;

use super::{apart, sparse};
use crate::estimators::linear::targets;
use crate::support::{matrix, numbers};

fn notes() -> BayesianLinearRegression {
    BayesianLinearRegression::default().noise_variance(0.04).prior_variance(0.5)
}

/// −0.3 + 0.5x with noise.
fn line(count: usize, seed: u64) -> (Matrix, Vec<f32>) {
    let x = numbers(count, seed);
    let noise = numbers(count, seed + 1);
    let y = x.iter().zip(&noise).map(|(x, noise)| -0.3 + 0.5 * x + 0.2 * noise).collect();
    (Matrix::from_vec(count, 1, x).unwrap(), y)
}

#[test]
fn one_row_at_a_time_is_the_same_as_all_at_once() {
    let x = matrix(40, 3, 71);
    let y = targets(&x, 2, 0.3, 72);
    let all = notes().fit(&x, &y).unwrap();
    let mut sequential = notes().prior(3, 2).unwrap();
    for row in (0..40).rev() {
        sequential.update(&x.select(&[row]).unwrap(), &y.select(&[row]).unwrap()).unwrap();
    }
    assert!((all.coef() - sequential.coef()).amax() < 1e-12);
    assert!((all.covariance().unwrap() - sequential.covariance().unwrap()).amax() < 1e-12);
    assert_eq!(sequential.rows(), 40);
    let halves = AnyEstimator::new(notes());
    let (first, last): (Vec<usize>, Vec<usize>) = ((0..20).collect(), (20..40).collect());
    let part = |rows: &[usize]| (x.select(rows).unwrap(), Target::Numbers(y.select(rows).unwrap()));
    let ((x1, y1), (x2, y2)) = (part(&first), part(&last));
    let model = halves.partial_fit(None, &x1, &y1, Fit::default()).unwrap();
    let model = halves.partial_fit(Some(model), &x2, &y2, Fit::default()).unwrap();
    let predicted = model.predict(&x).unwrap();
    let wanted = all.predict(&x).unwrap();
    for (a, b) in predicted.numbers().unwrap().as_slice().iter().zip(wanted.as_slice()) {
        assert!((a - b).abs() < 1e-6);
    }
    let of_sparse = notes().fit(&sparse(&x), &y).unwrap();
    assert!((all.coef() - of_sparse.coef()).amax() < 1e-12);
    assert_eq!(BayesianLinearRegressionModel::from_bytes(&all.to_bytes().unwrap()).unwrap(), all);
}

#[test]
fn the_mean_is_ridge_regression() {
    let x = matrix(50, 4, 73);
    let y = targets(&x, 1, 0.3, 74);
    let params = notes().fit_intercept(false);
    let ridge = Ridge::new(0.04 / 0.5).fit_intercept(false).fit(&x, &y).unwrap();
    let model = params.fit(&x, &y).unwrap();
    assert!(apart(model.coef().as_slice(), ridge.coef().as_slice()) < 1e-10);
    // A prior without information is least squares.
    let flat = params.prior_variance(1e12).fit(&x, &y).unwrap();
    let plain = LinearRegression::default().fit_intercept(false).fit(&x, &y).unwrap();
    assert!(apart(flat.coef().as_slice(), plain.coef().as_slice()) < 1e-9);
    // A weight is so many rows.
    let weights: Vec<f32> = (0..50).map(|row| 1.0 + (row % 2) as f32).collect();
    let twice: Vec<usize> = (0..50).flat_map(|row| vec![row; 1 + row % 2]).collect();
    let weighted = notes().fit_with(&x, &y, Fit::default().sample_weight(&weights)).unwrap();
    let repeated = notes().fit(&x.select(&twice).unwrap(), &y.select(&twice).unwrap()).unwrap();
    assert!((weighted.coef() - repeated.coef()).amax() < 1e-10);
}

#[test]
fn the_line_of_the_notes_is_found_and_its_variance_falls() {
    let query = Matrix::from_vec(3, 1, vec![-1.0, 0.0, 1.0]).unwrap();
    let mut before = f32::INFINITY;
    for count in [1, 2, 20, 2000] {
        let (x, y) = line(count, 75);
        let model = notes().fit(&x, &y).unwrap();
        let (_, variance) = model.predict_with_variance(&query).unwrap();
        let largest = variance.as_slice().iter().copied().fold(0.0, f32::max);
        assert!(largest < before && variance.as_slice().iter().all(|value| *value > 0.04));
        before = largest;
    }
    assert!(before < 0.0402); // the second term is gone
    let (x, y) = line(2000, 75);
    let model = notes().fit(&x, &y).unwrap();
    assert!((model.coef()[(0, 0)] - 0.5).abs() < 0.05 && (model.intercept()[0] + 0.3).abs() < 0.05);
}

#[test]
fn drawn_planes_have_the_mean_and_covariance_of_the_posterior() {
    let (x, y) = line(10, 76);
    let model = notes().fit(&x, &y).unwrap();
    let planes = model.sample_planes(0, 20_000, 1).unwrap();
    assert_eq!(planes.shape(), (20_000, 2));
    let wanted = model.covariance().unwrap();
    let mean = planes.row_mean();
    assert!((mean[0] - model.coef()[(0, 0)]).abs() < 4.0 * (wanted[(0, 0)] / 20_000.0).sqrt());
    assert!((mean[1] - model.intercept()[0]).abs() < 4.0 * (wanted[(1, 1)] / 20_000.0).sqrt());
    let mut centred = planes.clone();
    centred.row_iter_mut().for_each(|mut row| row -= &mean);
    let found = centred.tr_mul(&centred) / 20_000.0;
    assert!((found - &wanted).amax() < 0.05 * wanted.amax());
    assert_eq!(planes, model.sample_planes(0, 20_000, 1).unwrap());
    // The density is highest at the mean and integrates to 1.
    let top = model.log_density(0, &[model.coef()[(0, 0)], model.intercept()[0]]).unwrap();
    assert!(model.log_density(0, &[0.0, 0.0]).unwrap() < top);
    let constant = -(2.0 * std::f64::consts::PI).ln() - 0.5 * wanted.determinant().ln();
    assert!((top - constant).abs() < 1e-9);
}
