//! Searches whose fits share a kernel matrix and its factorisation.

use gristmill::data::Target;
use gristmill::prelude::*;
use gristmill::selection::{CrossValidateOptions, Folds, GridSearch, cross_validate};

use super::smooth;
use crate::support::{devices, open_gpu};

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
                assert!((a - b).abs() < 2e-5, "{name} {kernel} {alpha}: {a} and {b}");
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
        let device = &open_gpu(DeviceOptions::default().limits(limits));
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
