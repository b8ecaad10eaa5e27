//! The variance of averages.

use gristmill::ensemble::EnsembleVariance;
use gristmill::prelude::*;

fn column(values: &[f32]) -> Result<Matrix> {
    Matrix::from_vec(values.len(), 1, values.to_vec())
}

#[test]
fn the_formula_is_exact_for_members_of_equal_variance() {
    let members = || [column(&[1.0, -1.0, 1.0, -1.0]), column(&[1.0, 1.0, -1.0, -1.0]), column(&[3.0, 1.0, 3.0, 1.0])];
    let found = EnsembleVariance::of("test", members()).unwrap();
    // Correlations 0, 1 and 0.
    assert!((found.correlation - 1.0 / 3.0).abs() < 1e-12 && (found.variance - 1.0).abs() < 1e-12, "{found:?}");
    assert!((found.by_formula() - (1.0 / 3.0 + 2.0 / 9.0)).abs() < 1e-12);
    assert!((found.of_average - found.by_formula()).abs() < 1e-12, "{found:?}");
}

#[test]
fn one_member_is_its_own_average() {
    let found = EnsembleVariance::of("test", [column(&[1.0, 2.0, 6.0])]).unwrap();
    assert_eq!(found.correlation, 0.0);
    assert!((found.of_average - found.variance).abs() < 1e-12 && found.by_formula() == found.variance);
    assert!(EnsembleVariance::of("test", [column(&[])]).is_err());
}
