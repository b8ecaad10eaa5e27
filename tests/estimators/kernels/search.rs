//! Searches whose fits share a kernel matrix and its factorisation.

use gristmill::data::Target;
use gristmill::prelude::*;
use gristmill::selection::{
    CrossValidateOptions, Folds, GridSearch, HalvingSearch, cross_validate, learning_curve, nested_cross_validate,
};

use super::smooth;
use crate::support::{devices, gpu_with};

fn data(rows: usize) -> Dataset {
    let (x, y) = smooth(rows, 3, 31);
    Dataset::new(x, Target::Numbers(Matrix::from_vec(rows, 1, y).unwrap())).unwrap()
}

#[test]
fn a_search_over_penalties_scores_as_fits_by_themselves() {
    let data = data(420);
    let folds = Folds::k_fold(3);
    let alphas = [0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0];
    let ridge = |kernel: &str| KernelRidge::default().kernel(kernel.parse().unwrap());
    for kernel in ["rbf(gamma=0.7)", "rbf", "poly(degree=2,gamma=0.5)"] {
        let search = GridSearch::new(Pipeline::new(ridge(kernel))).parameter("alpha", alphas);
        for (name, device) in devices() {
            let found = search.fit_with(&data, &folds, CrossValidateOptions::default().device(device)).unwrap();
            for (alpha, candidate) in alphas.iter().zip(&found.candidates) {
                let alone = cross_validate(&Pipeline::new(ridge(kernel).alpha(*alpha)), &data, &folds).unwrap();
                let (a, b) = (candidate.score().mean, alone.score().mean);
                // Another device's matrix has other last bits, which small penalties blow up.
                let bound = if matches!(device, Device::Cpu) { 2e-6 } else { 2e-5 };
                assert!((a - b).abs() < bound, "{name} {kernel} {alpha}: {a} and {b}");
            }
        }
    }
}

#[test]
fn folds_take_their_part_of_one_kernel_matrix() {
    let data = data(200);
    let ridge = KernelRidge::default().kernel(Kernel::rbf(0.7));
    let count = |ridge: KernelRidge, device: &Device| {
        device.profile(true);
        let options = CrossValidateOptions::default().device(device);
        gristmill::selection::cross_validate_with(&Pipeline::new(ridge), &data, &Folds::k_fold(5), options).unwrap();
        let found = device.profile_report();
        device.profile(false);
        found.kernels["gram/matrix"].dispatches
    };
    for limits in [Limits::Adapter, Limits::WebGpuMinimum] {
        // A device of its own: others would be counted too.
        let device = &gpu_with(DeviceOptions::default().limits(limits));
        let shared = count(ridge.clone(), device);
        // A width that depends on the rows is another one in each fold.
        let apart = count(ridge.clone().kernel("rbf".parse().unwrap()), device);
        assert!(shared >= 1 && 2 * shared <= apart, "{limits:?}: {shared} and {apart}");
    }
}

#[test]
fn a_candidate_that_cannot_be_fitted_does_not_stop_the_others() {
    let search = GridSearch::new(Pipeline::new(KernelRidge::default()))
        .parameter("kernel", ["rbf(gamma=0.5)", "affine(weights=[1],offset=0)", "linear"]);
    let found = search.fit(&data(80), &Folds::k_fold(4)).unwrap();
    assert!(found.candidates[0].result.is_ok() && found.candidates[2].result.is_ok());
    assert!(found.candidates[1].result.is_err());
}

#[test]
fn folds_of_a_given_kernel_matrix_take_its_rows_and_columns() {
    let data = data(120);
    let mut stream = Device::Cpu.stream();
    let gram = Kernel::rbf(0.7).symmetric_matrix(&mut stream, &data.x.to(&Device::Cpu).unwrap()).unwrap();
    let given = Dataset::new(gram.to_matrix(&mut stream).unwrap(), data.target.clone()).unwrap();
    let ridge = |kernel: Kernel| Pipeline::new(KernelRidge::default().alpha(0.1).kernel(kernel));
    let (computed, precomputed) = (ridge(Kernel::rbf(0.7)), ridge(Kernel::Precomputed));
    let folds = Folds::k_fold(4);
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-5, "{a} and {b}");
    for (_, device) in devices() {
        let score = |pipeline: &Pipeline, data: &Dataset| {
            let options = CrossValidateOptions::default().device(device);
            gristmill::selection::cross_validate_with(pipeline, data, &folds, options).unwrap().score().mean
        };
        close(score(&computed, &data), score(&precomputed, &given));
    }
    let search = |pipeline: &Pipeline| GridSearch::new(pipeline.clone()).parameter("alpha", [0.01, 0.1, 1.0]);
    let found = [(&computed, &data), (&precomputed, &given)].map(|(pipeline, data)| {
        let nested = nested_cross_validate(&search(pipeline), data, &folds, &folds, None).unwrap();
        let curve = learning_curve(pipeline, data, &folds, &[0.3, 1.0]).unwrap();
        let halved = HalvingSearch::of(&search(pipeline)).unwrap().min_rows(40).fit(data, &folds).unwrap();
        let last = halved.last.best().score().mean;
        [nested.score().mean, curve.test[0].mean, curve.train[1].mean, last]
    });
    found[0].iter().zip(found[1]).for_each(|(&a, b)| close(a, b));
    let error = cross_validate(&precomputed, &data, &folds).unwrap_err();
    assert!(matches!(error, Error::Shape { .. }) && error.to_string().contains("120×120"), "{error}");
    // Another model with a kernel parameter, and classes.
    let names: Vec<&str> = (0..120).map(|row| if data.x.get(row, 0) > 0.0 { "right" } else { "left" }).collect();
    let classes = Target::Classes(Labels::from_names(&names));
    let [data, given] = [data.x, given.x].map(|x| Dataset::new(x, classes.clone()).unwrap());
    let svc = |kernel: Kernel| Pipeline::new(Svc::default().kernel(kernel));
    let scores = [(svc(Kernel::rbf(0.7)), data), (svc(Kernel::Precomputed), given)];
    let [a, b] = scores.map(|(pipeline, data)| cross_validate(&pipeline, &data, &folds).unwrap().score().mean);
    assert!(a > 0.9 && a == b, "{a} and {b}");
}
