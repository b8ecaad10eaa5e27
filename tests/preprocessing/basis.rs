use gristmill::prelude::*;
use gristmill::preprocessing::*;

use super::fixtures::X;
use super::{assert_close, assert_near, matrix};

fn named() -> Matrix {
    matrix(3, &X[..6]).with_names(["a", "b", "c"]).unwrap()
}

#[test]
fn polynomial_features_have_scikit_learns_order_and_names() {
    let z = PolynomialFeatures::new(3).include_bias(false).fit(&named()).unwrap().transform(&named()).unwrap();
    let names = [
        "a", "b", "c", "a^2", "a b", "a c", "b^2", "b c", "c^2", "a^3", "a^2 b", "a^2 c", "a b^2", "a b c", "a c^2",
        "b^3", "b^2 c", "b c^2", "c^3",
    ];
    assert_eq!(z.names().unwrap(), names);
    let second = [
        2.25, 35.5, 7.0, 5.0625, 79.875, 15.75, 1260.25, 248.5, 49.0, 11.390625, 179.71875, 35.4375, 2835.5625,
        559.125, 110.25, 44738.875, 8821.75, 1739.5, 343.0,
    ];
    assert_eq!(z.row(1), second);
}

#[test]
fn interactions_hold_each_column_once() {
    let model = PolynomialFeatures::new(3).interaction_only(true).fit(&named()).unwrap();
    let z = model.transform(&named()).unwrap();
    assert_eq!(z.names().unwrap(), ["1", "a", "b", "c", "a b", "a c", "b c", "a b c"]);
    assert_eq!(z.row(0), [1.0, 1.5, -20.0, 7.0, -30.0, 10.5, -140.0, -210.0]);
    // No product has more factors than there are columns.
    let more = PolynomialFeatures::new(9).interaction_only(true).fit(&named()).unwrap();
    assert_eq!(more.transform(&named()).unwrap(), z);
}

#[test]
fn polynomial_features_number_as_the_binomials_say() {
    for (columns, degree, expected) in [(1, 7, 8), (5, 3, 56), (4, 5, 126), (3, 0, 1)] {
        let x = Matrix::from_vec(1, columns, vec![1.5; columns]).unwrap();
        let z = PolynomialFeatures::new(degree).fit(&x).unwrap().transform(&x).unwrap();
        assert_eq!(z.columns(), expected);
        assert_eq!(z.get(0, expected - 1), 1.5_f32.powi(degree as i32));
    }
}

#[test]
fn too_many_or_too_large_products_are_errors() {
    let wide = Matrix::zeros(1, 1000).unwrap();
    assert!(matches!(PolynomialFeatures::new(4).fit(&wide), Err(Error::Limit { .. })));
    assert!(matches!(PolynomialFeatures::new(usize::MAX).fit(&wide), Err(Error::Limit { .. })));
    let empty = PolynomialFeatures::new(0).include_bias(false).fit(&wide);
    assert!(matches!(empty, Err(Error::Param { name: "degree", .. })));
    let large = matrix(2, &[1e30, 0.0]);
    let model = PolynomialFeatures::new(2).fit(&large).unwrap();
    assert!(matches!(model.transform(&large), Err(Error::NotFinite { row: 0, column: 3, .. })));
    let model = PolynomialFeatures::new(12).fit(&large).unwrap();
    assert!(model.transform(&large).is_err());
}

#[test]
fn sines_are_those_of_the_formula() {
    let x = matrix(2, &[0.3, -100.25, 2.0, 7.5, 1e4, 0.0]);
    let (terms, period) = (40, 3.5);
    let model = SineBasis::new(terms).period(period).cosine(true).fit(&x).unwrap();
    let z = model.transform(&x).unwrap();
    assert_eq!(z.columns(), 2 * 2 * terms);
    for row in 0..3 {
        for column in 0..2 {
            for term in 0..terms {
                let turn = std::f64::consts::TAU * (term + 1) as f64 * f64::from(x.get(row, column)) / period;
                let first = column * 2 * terms;
                assert!((f64::from(z.get(row, first + term)) - turn.sin()).abs() < 1e-6);
                assert!((f64::from(z.get(row, first + terms + term)) - turn.cos()).abs() < 1e-6);
            }
        }
    }
    assert_eq!(model.names(None)[..2], ["x0_sin1", "x0_sin2"]);
    assert_eq!(model.names(None)[terms..terms + 1], ["x0_cos1"]);
}

#[test]
fn the_default_sines_are_those_of_the_notes() {
    let x = matrix(1, &[0.7, -8.0]);
    let z = SineBasis::default().fit(&x).unwrap().transform(&x).unwrap();
    let expected: Vec<f64> =
        [0.7_f32, -8.0].iter().flat_map(|x| (1..=3).map(move |term| (f64::from(*x) * f64::from(term)).sin())).collect();
    assert_close(z.as_slice(), &expected, 1e-6);
}

#[test]
fn gaussian_centres_lie_on_a_grid_or_at_quantiles() {
    let x = matrix(2, &[0.0, 5.0, 1.0, 5.0, 2.0, 5.0, 10.0, 5.0]);
    let grid = GaussianBasis::new(3).fit(&x).unwrap();
    assert_eq!(grid.centers(), [vec![0.0, 5.0, 10.0], vec![5.0]]);
    assert_eq!(grid.widths(), [5.0, 1.0]);
    let z = grid.transform(&x).unwrap();
    let expected = [(-0.02_f64).exp(), (-0.32_f64).exp(), (-1.62_f64).exp(), 1.0];
    assert_close(z.row(1), &expected, 1e-6);
    assert_eq!(grid.names(None), ["x0_gauss0", "x0_gauss1", "x0_gauss2", "x1_gauss0"]);
    let quantiles = GaussianBasis::new(3).centers(GaussianCenters::Quantiles).width(2.0).fit(&x).unwrap();
    assert_near(&quantiles.centers()[0], &[0.0, 1.5, 10.0], 1e-12);
    assert_eq!(quantiles.widths(), [2.0, 2.0]);
    let middle = GaussianBasis::new(1).centers(GaussianCenters::Quantiles).fit(&x).unwrap();
    assert_eq!(middle.centers(), [vec![1.5], vec![5.0]]);
}

#[test]
fn gaussian_bumps_at_points_see_the_whole_row() {
    let x = matrix(2, &[0.0, 0.0, 3.0, 4.0]);
    let points = GaussianCenters::Points(vec![vec![0.0, 0.0], vec![3.0, 4.0]]);
    let model = GaussianBasis::default().centers(points).fit(&x).unwrap();
    assert_eq!(model.widths(), [5.0]);
    let half = (-0.5_f64).exp();
    assert_close(model.transform(&x).unwrap().as_slice(), &[1.0, half, half, 1.0], 1e-6);
    assert_eq!(model.names(None), ["gauss0", "gauss1"]);
    let narrow = GaussianCenters::Points(vec![vec![0.0]]);
    assert!(matches!(GaussianBasis::default().centers(narrow).fit(&x), Err(Error::Param { name: "centers", .. })));
}
