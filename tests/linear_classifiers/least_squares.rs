use gristmill::linear::{LeastSquaresClassifier, LogisticRegression};
use gristmill::prelude::*;

use super::assert_near;

#[test]
fn a_penalty_gives_half_of_the_planes_of_scikit_learns_ridge_classifier() {
    // Whose targets are −1 and 1: twice as far apart as 0 and 1.
    let iris = datasets::iris().unwrap();
    let model = LeastSquaresClassifier::default().alpha(1.0).fit(&iris.x, iris.labels().unwrap()).unwrap();
    let wanted = [
        [0.127_268_69, 0.470_836_45, -0.445_366_19, -0.121_203_18],
        [-0.027_607_58, -0.877_987_81, 0.371_996_38, -0.832_875_63],
        [-0.099_661_11, 0.407_151_36, 0.073_369_81, 0.954_078_81],
    ];
    for (class, wanted) in wanted.iter().enumerate() {
        assert_near(model.coef().row(class).iter().map(|value| 2.0 * value), wanted, 1e-5);
    }
}

/// Three classes in a row: 0 at −4, 1 at 0, 2 at 4.
fn in_a_row() -> (Matrix, Labels) {
    let noise = crate::support::matrix(150, 2, 9);
    let value = |row: usize| [4.0 * (row % 3) as f32 - 4.0 + noise.get(row, 0), noise.get(row, 1)];
    let rows: Vec<[f32; 2]> = (0..150).map(value).collect();
    let codes = (0..150).map(|row| (row % 3) as u32).collect();
    let names = ["left", "middle", "right"].map(str::to_string).to_vec();
    (Matrix::from_rows(&rows).unwrap(), Labels::from_codes(codes, names).unwrap())
}

#[test]
fn the_middle_of_three_classes_is_lost_to_least_squares_and_not_to_logistic_regression() {
    let (x, y) = in_a_row();
    let recall = |predicted: &Labels| {
        let hits = (0..150).filter(|row| row % 3 == 1 && predicted.codes()[*row] == 1).count();
        hits as f64 / 50.0
    };
    let squares = LeastSquaresClassifier::default().fit(&x, &y).unwrap();
    assert!(recall(&squares.predict(&x).unwrap()) < 0.1);
    let logistic = LogisticRegression::default().fit(&x, &y).unwrap();
    assert_eq!(recall(&logistic.predict(&x).unwrap()), 1.0);
}

#[test]
fn rows_far_on_their_own_side_move_the_boundary_of_least_squares_alone() {
    let noise = crate::support::matrix(100, 2, 10);
    let near: Vec<[f32; 2]> =
        (0..100).map(|row| [if row % 2 == 0 { -1.5 } else { 1.5 } + noise.get(row, 0), noise.get(row, 1)]).collect();
    let mut codes: Vec<u32> = (0..100).map(|row| row % 2).collect();
    let mut all = near.clone();
    all.extend((0..20).map(|row| [40.0 + row as f32, 0.0]));
    codes.extend([1; 20]);
    let names = || vec!["left".to_string(), "right".to_string()];
    let (x, y) = (Matrix::from_rows(&near).unwrap(), Labels::from_codes(codes[..100].to_vec(), names()).unwrap());
    let (far, far_y) = (Matrix::from_rows(&all).unwrap(), Labels::from_codes(codes, names()).unwrap());
    let squares = LeastSquaresClassifier::default();
    assert!(squares.fit(&x, &y).unwrap().score(&x, &y).unwrap() > 0.99);
    assert!(squares.fit(&far, &far_y).unwrap().score(&x, &y).unwrap() < 0.9);
    assert!(LogisticRegression::default().fit(&far, &far_y).unwrap().score(&x, &y).unwrap() > 0.99);
}
