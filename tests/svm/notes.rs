//! Facts of the lecture notes.

use gristmill::kernel_methods::Kernel;
use gristmill::prelude::*;
use gristmill::svm::OneClassSvm;

#[test]
fn a_bound_of_a_fiftieth_on_a_hundred_moons_is_a_nu_of_a_half() {
    let moons = datasets::moons(100, 0.1, 7).unwrap();
    let by_bound = OneClassSvm::default().c(0.02).kernel(Kernel::rbf(5.0)).tol(1e-5).fit(&moons.x).unwrap();
    let by_share = OneClassSvm::default().nu(0.5).kernel(Kernel::rbf(5.0)).tol(1e-5).fit(&moons.x).unwrap();
    assert_eq!(by_bound.support(), by_share.support());
    assert!(by_bound.support().len() >= 50);
    let outliers = by_bound.decision_function(&moons.x).unwrap();
    assert!(outliers.as_slice().iter().filter(|value| **value < -1e-3).count() <= 50);
}
