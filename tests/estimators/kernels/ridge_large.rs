//! Kernel ridge regression for many rows: conjugate gradients and Falkon against the exact solution.

use gristmill::kernel_methods::{Centers, RidgeSolver};
use gristmill::prelude::*;

use super::smooth;
use crate::support::{devices, numbers};

fn worst(a: &Matrix, b: &Matrix) -> f32 {
    a.as_slice().iter().zip(b.as_slice()).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

#[test]
fn conjugate_gradients_find_the_exact_solution() {
    let (x, y) = smooth(700, 3, 21);
    let weights: Vec<f32> = numbers(700, 22).iter().map(|value| value + 1.1).collect();
    let ridge = KernelRidge::default().alpha(0.1).kernel(Kernel::rbf(1.0));
    let iterative = ridge.clone().solver(RidgeSolver::Pcg);
    for (name, device) in devices() {
        let x = x.to(device).unwrap();
        for weighted in [false, true] {
            let options = || if weighted { Fit::default().sample_weight(&weights) } else { Fit::default() };
            let exact = ridge.fit_with(&x, &y, options()).unwrap();
            let found = iterative.fit_with(&x, &y, options()).unwrap();
            assert!(found.residual() <= 1e-6, "{name}: {}", found.residual());
            let error = worst(&exact.predict(&x).unwrap(), &found.predict(&x).unwrap());
            assert!(error < 1e-4, "{name} {weighted}: {error}");
        }
    }
}

#[test]
fn falkon_on_all_rows_is_kernel_ridge() {
    let (x, y) = smooth(300, 2, 23);
    let exact = KernelRidge::default().alpha(0.05).kernel(Kernel::rbf(2.0)).fit(&x, &y).unwrap();
    let wanted = exact.predict(&x).unwrap();
    let falkon = Falkon::default().alpha(0.05).kernel(Kernel::rbf(2.0));
    for (name, device) in devices() {
        let x = x.to(device).unwrap();
        for (centers, count) in [(Centers::Uniform, 1000), (Centers::Uniform, 100), (Centers::Pivoted, 60)] {
            let model = falkon.clone().centers(centers).n_centers(count).fit(&x, &y).unwrap();
            let error = worst(&wanted, &model.predict(&x).unwrap());
            let allowed = if count == 1000 { 2e-3 } else { 2e-2 };
            assert!(error < allowed, "{name} {centers:?} {count}: {error}");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_model_and_files_come_back() {
    let (x, y) = smooth(200, 3, 25);
    let falkon = Falkon::default().n_centers(30).seed(5);
    let model = falkon.fit(&x, &y).unwrap();
    assert_eq!(model.to_bytes().unwrap(), falkon.fit(&x, &y).unwrap().to_bytes().unwrap());
    let again = FalkonModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(again.predict(&x).unwrap(), model.predict(&x).unwrap());
    assert_eq!(model.centers().rows(), 30);
    assert!(falkon.clone().kernel(Kernel::Precomputed).fit(&x, &y).is_err());
    assert!(falkon.fit_with(&x, &y, Fit::default().sample_weight(&[1.0; 200])).is_err());
}
