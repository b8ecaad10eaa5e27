//! Rows and kernels at the edge of sense: both devices give the same result, or the same typed error.

use gristmill::data::Target;
use gristmill::estimator::Prediction;
use gristmill::prelude::*;
use gristmill::registry;

use super::smooth;
use crate::support::devices;

const MODELS: [&str; 7] =
    ["kernel-ridge", "kernel-ridge-cv", "falkon", "nystroem", "kernel-pca", "kernel-kmeans", "kernel-perceptron"];

/// What a model makes of rows: predictions or new columns, or the error's text.
fn outcome(model: &str, kernel: &str, device: &Device, x: &Matrix) -> std::result::Result<Vec<f32>, String> {
    let entry = registry::find(model).unwrap();
    let mut estimator = entry.estimator().set("kernel", kernel.into()).map_err(|error| error.to_string())?;
    for (name, value) in [("n_clusters", 1), ("n_components", 2), ("n_centers", 5)] {
        if estimator.has(name) {
            estimator = estimator.set(name, value.into()).unwrap();
        }
    }
    let target = match model {
        "kernel-perceptron" => {
            Target::Classes(Labels::from(&(0..x.rows() as u32).map(|row| row % 2).collect::<Vec<_>>()[..]))
        }
        _ => Target::Numbers(Matrix::from_vec(x.rows(), 1, (0..x.rows()).map(|row| row as f32).collect()).unwrap()),
    };
    let x = x.to(device).unwrap();
    let made = estimator.fit(&x, &target, Fit::default()).and_then(|model| match entry.task {
        gristmill::estimator::Task::Transformation => {
            Ok(model.transform(&x)?.to_matrix(&mut x.device().stream())?.into_vec())
        }
        _ => Ok(match model.predict(&x)? {
            Prediction::Numbers(numbers) => numbers.into_vec(),
            Prediction::Classes(labels) => labels.codes().iter().map(|&code| code as f32).collect(),
            Prediction::Clusters(clusters) => clusters.iter().map(|&cluster| cluster as f32).collect(),
            Prediction::Outliers(_) => vec![],
        }),
    });
    made.map_err(|error| error.to_string())
}

/// Both devices agree; returns what the CPU gave.
fn agreed(model: &str, kernel: &str, x: &Matrix) -> std::result::Result<Vec<f32>, String> {
    let wanted = outcome(model, kernel, &Device::Cpu, x);
    for (name, device) in devices() {
        let found = outcome(model, kernel, device, x);
        match (&wanted, &found) {
            (Ok(wanted), Ok(found)) => {
                let off = wanted.iter().zip(found).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                assert!(wanted.len() == found.len() && off < 2e-3, "{model} {kernel} on {name}: off by {off}");
                assert!(found.iter().all(|value| value.is_finite()), "{model} {kernel} on {name}");
            }
            _ => assert_eq!(wanted, found, "{model} {kernel} on {name}"),
        }
    }
    wanted
}

#[test]
fn identical_rows_and_a_single_row_are_the_same_on_both_devices() {
    let same = Matrix::from_vec(20, 2, vec![1.5; 40]).unwrap();
    let one = Matrix::from_rows(&[[2.0, 1.0]]).unwrap();
    for model in MODELS {
        let of_same = agreed(model, "rbf(gamma=1)", &same);
        // Without variance there is no component; everything else has a result.
        assert_eq!(of_same.is_err(), model == "kernel-pca", "{model}: {of_same:?}");
        let of_one = agreed(model, "rbf(gamma=1)", &one);
        let refused = matches!(model, "kernel-pca" | "kernel-ridge-cv");
        assert_eq!(of_one.is_err(), refused, "{model}: {of_one:?}");
    }
}

#[test]
fn kernels_without_a_slope_are_constants() {
    let (x, _) = smooth(20, 2, 41);
    for kernel in ["rbf(gamma=0)", "poly(degree=0)", "laplacian(gamma=0)", "poly(gamma=0,coef0=1,degree=3)", "linear^0"]
    {
        for model in MODELS {
            let found = agreed(model, kernel, &x);
            assert_eq!(found.is_err(), model == "kernel-pca", "{model} {kernel}: {found:?}");
        }
        // All predictions are the shrunk mean, 190/21.
        let ridge = agreed("kernel-ridge", kernel, &x).unwrap();
        assert!(ridge.iter().all(|value| (value - 190.0 / 21.0).abs() < 1e-3), "{kernel}: {ridge:?}");
    }
}

#[test]
fn a_kernel_that_overflows_is_refused_with_the_row() {
    let x = Matrix::from_rows(&[[1.0, 2.0], [3e9, 1.0], [0.5, 0.5]]).unwrap();
    for kernel in ["poly(degree=3,gamma=1)", "exp(linear)", "linear^4"] {
        for model in MODELS {
            let refused = agreed(model, kernel, &x).unwrap_err();
            assert!(
                refused.contains("row 2 with itself") && refused.contains("scale the columns"),
                "{model}: {refused}"
            );
        }
    }
}

#[test]
fn a_matrix_that_no_budget_holds_is_refused_before_it_is_made() {
    // Of full rank: a kernel matrix of low rank needs no room for the whole of it.
    let x = Matrix::from_vec(40_000, 1, (0..40_000).map(|row| row as f32).collect()).unwrap();
    let y = vec![0.0; 40_000];
    let exact = KernelRidge::default().kernel(Kernel::rbf(1.0)).solver(gristmill::kernel_methods::RidgeSolver::Exact);
    for (name, device) in devices() {
        let x = x.to(device).unwrap();
        let path = KernelRidgeCv::default().kernel(Kernel::rbf(1.0)).fit(&x, &y).map(|_| ());
        for refused in [exact.fit(&x, &y).map(|_| ()), path] {
            let refused = refused.unwrap_err();
            assert!(matches!(&refused, Error::Limit { need: 6_400_000_000, .. }), "{name}: {refused}");
            assert!(refused.to_string().contains("solver=pcg"), "{refused}");
        }
    }
}
