//! Shattering: lines shatter three points of the plane, rectangles four, and no more.

use gristmill::cpu::random::philox::Philox;
use gristmill::prelude::*;
use gristmill::theory::{Shattering, linearly_separable, most_shattered, rectangle_separable};

fn points(rows: &[[f32; 2]]) -> Matrix {
    Matrix::from_rows(rows).unwrap()
}

#[test]
fn lines_shatter_three_points_unless_they_are_aligned() {
    let of = |rows: &[[f32; 2]]| Shattering::of(&points(rows), linearly_separable).unwrap();
    assert!(of(&[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]).is_complete());
    let aligned = of(&[[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]);
    assert_eq!((aligned.realised, aligned.is_complete()), (6, false));
    // The same far away and far apart, where rounding is coarse.
    assert!(of(&[[1e4, 1e4], [1e4 + 1.0, 1e4], [1e4, 1e4 + 1.0]]).is_complete());
    assert_eq!(of(&[[0.0, 0.0], [1e6, 1e6], [2e6, 2e6]]).realised, 6);
    // Four in a square lack both exclusive ors; two equal points lack half.
    assert_eq!(of(&[[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]).realised, 14);
    assert_eq!(of(&[[0.5, 0.5], [0.5, 0.5]]).realised, 2);
    assert!(of(&[]).is_complete());
}

#[test]
fn no_four_points_are_shattered_by_lines_and_no_five_by_rectangles() {
    let numbers = Philox::new(7, 1);
    for draw in 0..200_u64 {
        let coordinate = |at: u64| numbers.uniform(draw * 10 + at);
        let rows: Vec<[f32; 2]> = (0..5).map(|at| [coordinate(2 * at), coordinate(2 * at + 1)]).collect();
        // Cover (1965): points in general position have 2·Σ_{i≤d} C(n−1, i) linear labelings: 14 of four, 8 of three.
        assert_eq!(Shattering::of(&points(&rows[..4]), linearly_separable).unwrap().realised, 14);
        assert_eq!(Shattering::of(&points(&rows[..3]), linearly_separable).unwrap().realised, 8);
        assert!(!Shattering::of(&points(&rows), rectangle_separable).unwrap().is_complete());
    }
}

#[test]
fn rectangles_shatter_a_diamond_and_not_a_square() {
    let of = |rows: &[[f32; 2]]| Shattering::of(&points(rows), rectangle_separable).unwrap();
    assert!(of(&[[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [1.0, 2.0]]).is_complete());
    assert!(!of(&[[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]).is_complete());
}

#[test]
fn random_points_find_the_dimensions_of_the_table() {
    assert_eq!(most_shattered(2, 6, 40, 0, linearly_separable).unwrap(), 3);
    assert_eq!(most_shattered(2, 6, 200, 0, rectangle_separable).unwrap(), 4);
    assert_eq!(most_shattered(1, 5, 20, 0, linearly_separable).unwrap(), 2);
    assert_eq!(most_shattered(3, 6, 20, 0, linearly_separable).unwrap(), 4);
}

#[test]
fn any_classifier_can_be_asked() {
    let fits = |points: &Matrix, labels: &[bool]| -> Result<bool> {
        let y = Labels::from(labels.iter().map(|label| u32::from(*label)).collect::<Vec<_>>().as_slice());
        Ok(KNeighborsClassifier::new(1).fit(points, &y)?.score(points, &y)? == 1.0)
    };
    // The nearest neighbour shatters whatever it is given.
    assert_eq!(most_shattered(2, 6, 1, 3, fits).unwrap(), 6);
    let stumps = |points: &Matrix, labels: &[bool]| -> Result<bool> {
        let y = Labels::from(labels.iter().map(|label| u32::from(*label)).collect::<Vec<_>>().as_slice());
        Ok(DecisionTreeClassifier::default().max_depth(1).fit(points, &y)?.score(points, &y)? == 1.0)
    };
    assert_eq!(most_shattered(1, 4, 5, 3, stumps).unwrap(), 2); // thresholds in both directions on a line
}

#[test]
fn twenty_one_points_are_too_many() {
    let many = Matrix::zeros(21, 1).unwrap();
    assert!(Shattering::of(&many, linearly_separable).is_err());
    assert!(linearly_separable(&many, &[true]).is_err());
}
