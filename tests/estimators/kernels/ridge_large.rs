//! Kernel ridge regression for many rows: conjugate gradients and Falkon against the exact solution.

use gristmill::estimator::Model;
use gristmill::kernel_methods::{Centers, RidgeSolver};
use gristmill::prelude::*;

use super::smooth;
use crate::support::{devices, gpu_with, numbers};

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
fn weights_of_falkon_count_as_in_kernel_ridge() {
    let (x, y) = smooth(300, 2, 29);
    let two: Vec<f32> = y.iter().flat_map(|&y| [y, 1.0 - y]).collect();
    let two = Matrix::from_vec(300, 2, two).unwrap();
    let weights: Vec<f32> = (0..300).map(|row| (row % 4) as f32).collect();
    let options = || Fit::default().sample_weight(&weights);
    let exact = KernelRidge::default().alpha(0.05).kernel(Kernel::rbf(2.0)).fit_with(&x, &two, options()).unwrap();
    let wanted = exact.predict(&x).unwrap();
    for (name, device) in devices() {
        let x = x.to(device).unwrap();
        let falkon = Falkon::default().alpha(0.05).kernel(Kernel::rbf(2.0)).n_centers(1000);
        let error = worst(&wanted, &falkon.fit_with(&x, &two, options()).unwrap().predict(&x).unwrap());
        assert!(error < 2e-3, "{name}: {error}");
    }
}

/// Read-backs of fits that differ by a number of iterations alone.
fn waits(device: &Device, few: impl Fn() -> usize, many: impl Fn() -> usize) -> (u64, usize) {
    let count = |fit: &dyn Fn() -> usize| {
        device.profile(true);
        let iterations = fit();
        let readbacks = device.profile_report().readbacks;
        device.profile(false);
        (readbacks, iterations)
    };
    let (few, many) = (count(&few), count(&many));
    (many.0 - few.0, many.1 - few.1)
}

#[test]
fn an_iteration_waits_for_the_device_once() {
    let (x, y) = smooth(400, 3, 33);
    for limits in [Limits::Adapter, Limits::WebGpuMinimum] {
        // A device of its own: others would be counted too.
        let (name, device) = (format!("{limits:?}"), &gpu_with(DeviceOptions::default().limits(limits)));
        let x = x.to(device).unwrap();
        let gradients = |max_iter: usize| {
            let ridge = KernelRidge::default().alpha(1e-3).kernel(Kernel::laplacian(3.0)).solver(RidgeSolver::Pcg);
            let model = ridge.tol(1e-12).max_iter(max_iter).fit(&x, &y).unwrap();
            model.report().iterations.unwrap().count
        };
        let (waited, iterations) = waits(device, || gradients(2), || gradients(7));
        assert_eq!((waited, iterations), (5, 5), "{name}: conjugate gradients");
        let falkon = |max_iter: usize| {
            let falkon = Falkon::default().n_centers(50).kernel(Kernel::rbf(2.0)).tol(1e-12);
            falkon.max_iter(max_iter).fit(&x, &y).unwrap().report().iterations.unwrap().count
        };
        let (waited, iterations) = waits(device, || falkon(2), || falkon(9));
        assert_eq!((waited, iterations), (7, 7), "{name}: Falkon");
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
}
