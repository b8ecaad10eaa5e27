//! k-means in the space of a kernel.

use gristmill::kernel_methods::{Kernel, KernelInit, KernelKMeans, KernelKMeansModel};
use gristmill::metrics::adjusted_rand_score;
use gristmill::prelude::*;

use crate::estimators::blobs::blobs;
use crate::support::{bits, devices, matrix};

fn fitted(params: &KernelKMeans, x: &Matrix, device: &Device) -> KernelKMeansModel {
    params.fit(&x.to(device).unwrap()).unwrap()
}

#[test]
fn with_the_linear_kernel_it_is_k_means() {
    for (x, k, seed) in [(blobs(400, 3, 5, 2.0, 1).0, 5, 0), (matrix(500, 4, 2), 7, 3), (matrix(300, 2, 5), 3, 9)] {
        for (name, device) in devices() {
            let on_device = x.to(device).unwrap();
            // The same seed starts at the same rows.
            let known = KMeans::new(k).seed(seed).tol(0.0).fit(&on_device).unwrap();
            let params = KernelKMeans::new(k).kernel(Kernel::Linear).seed(seed).tol(0.0);
            let model = params.fit(&on_device).unwrap();
            assert_eq!(model.labels(), known.labels(), "{name}");
            assert!((model.inertia() - known.inertia()).abs() < 1e-4 * known.inertia(), "{name}");
            assert!(model.converged());
            let known = KMeans::new(k).seed(seed).init(Init::Random).n_init(1).tol(0.0).fit(&on_device).unwrap();
            let model = params.init(KernelInit::Random).n_init(1).fit(&on_device).unwrap();
            assert_eq!(model.labels(), known.labels(), "{name}: random starts");
        }
    }
}

#[test]
fn rings_are_separated_by_a_gaussian_and_not_by_centres() {
    let rings = datasets::circles(300, 0.03, 0.3, 2).unwrap();
    let score = |clusters: &[u32]| adjusted_rand_score(rings.labels().unwrap().codes(), clusters).unwrap();
    for (name, device) in devices() {
        let model = fitted(&KernelKMeans::new(2).kernel(Kernel::rbf(4.0)).n_init(10), &rings.x, device);
        assert_eq!(score(model.labels()), 1.0, "{name}");
        let plain = KMeans::new(2).fit(&rings.x.to(device).unwrap()).unwrap();
        assert!(score(plain.labels()) < 0.1, "{name}");
    }
}

#[test]
fn the_inertia_never_rises() {
    let x = matrix(600, 3, 7);
    for (name, device) in devices() {
        for seed in 0..4 {
            let model = fitted(&KernelKMeans::new(9).kernel(Kernel::rbf(2.0)).seed(seed).tol(0.0), &x, device);
            let inertias = model.inertias();
            assert!(inertias.windows(2).all(|pair| pair[1] <= pair[0]), "{name}: {inertias:?}");
            assert_eq!(inertias.last(), Some(&model.inertia()));
            assert!(inertias.len() > 2 && model.converged());
        }
    }
}

/// Σ ‖φ(x) − μ‖² of the labels, by the sums as they are written.
fn inertia_of(kernel: &Kernel, x: &Matrix, labels: &[u32], k: u32) -> f64 {
    let value = |i: usize, j: usize| kernel.value(x.row(i), x.row(j)).unwrap();
    let mut total = 0.0;
    for cluster in 0..k {
        let rows: Vec<usize> = (0..x.rows()).filter(|row| labels[*row] == cluster).collect();
        let own: f64 = rows.iter().map(|&i| value(i, i)).sum();
        let pairs: f64 = rows.iter().map(|&i| rows.iter().map(|&j| value(i, j)).sum::<f64>()).sum();
        total += own - pairs / rows.len().max(1) as f64;
    }
    total
}

#[test]
fn the_inertia_is_that_of_the_formula_and_new_rows_are_near_theirs() {
    let x = matrix(250, 3, 1);
    let kernel: Kernel = "rbf(gamma=1)+0.1*poly(gamma=0.5,degree=2)".parse().unwrap();
    for (name, device) in devices() {
        let model = fitted(&KernelKMeans::new(4).kernel(kernel.clone()).tol(0.0), &x, device);
        let exact = inertia_of(&kernel, &x, model.labels(), 4);
        assert!((model.inertia() - exact).abs() < 1e-4 * exact, "{name}: {} and {exact}", model.inertia());
        assert_eq!(model.predict(&x.to(device).unwrap()).unwrap(), model.labels(), "{name}");
        let again = KernelKMeansModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
        let new = matrix(40, 3, 2);
        assert_eq!(again.predict(&new).unwrap(), model.predict(&new).unwrap(), "{name}");
        let same = fitted(&KernelKMeans::new(4).kernel(kernel.clone()).tol(0.0), &x, device);
        assert_eq!(same.inertia().to_bits(), model.inertia().to_bits(), "{name}");
    }
}

#[test]
fn an_empty_cluster_takes_the_farthest_row() {
    // Two rows start as one centre each of the same place; one of them must lose all its rows.
    let x = Matrix::from_rows(&[[0.0], [0.0], [0.0], [0.1], [5.0], [5.1], [9.0]]).unwrap();
    for (name, device) in devices() {
        for seed in 0..20 {
            let params = KernelKMeans::new(3).kernel(Kernel::Linear).init(KernelInit::Random).n_init(1).seed(seed);
            let model = fitted(&params.tol(0.0), &x, device);
            let mut used = model.labels().to_vec();
            used.sort_unstable();
            used.dedup();
            assert_eq!(used, [0, 1, 2], "{name}, seed {seed}");
        }
    }
}

#[test]
fn weights_count_rows_several_times() {
    let (x, _) = blobs(120, 2, 3, 1.5, 3);
    let weights: Vec<f32> = (0..120).map(|row| (row % 3) as f32).collect();
    let twice: Vec<usize> = (0..120).flat_map(|row| vec![row; row % 3]).collect();
    let repeated = x.select(&twice).unwrap();
    let params = KernelKMeans::new(3).kernel(Kernel::rbf(0.3)).n_init(8).tol(0.0);
    for (name, device) in devices() {
        let options = Fit::default().sample_weight(&weights);
        let weighted = params.fit_with(&x.to(device).unwrap(), options).unwrap();
        let plain = fitted(&params, &repeated, device);
        assert!((weighted.inertia() - plain.inertia()).abs() < 1e-4 * plain.inertia(), "{name}");
    }
}

#[test]
fn identical_rows_one_row_and_a_constant_kernel_are_one_cluster() {
    let same = Matrix::from_vec(12, 2, vec![0.7; 24]).unwrap();
    for (name, device) in devices() {
        for (x, kernel) in [(&same, "rbf(gamma=1)"), (&matrix(12, 2, 1), "2")] {
            let model = fitted(&KernelKMeans::new(3).kernel(kernel.parse().unwrap()), x, device);
            assert_eq!(model.labels(), [0; 12], "{name}");
            assert_eq!(model.inertia(), 0.0, "{name}");
            assert_eq!(model.predict(&matrix(3, 2, 4)).unwrap(), [0; 3], "{name}");
        }
        let one = fitted(&KernelKMeans::new(1), &matrix(1, 2, 3), device);
        assert_eq!((one.labels(), one.inertia()), (&[0][..], 0.0), "{name}");
        let many = KernelKMeans::new(13).fit(&same.to(device).unwrap()).unwrap_err().to_string();
        assert!(many.contains("from 1 to the number of rows, 12"), "{many}");
    }
}

/// Above 8192 rows the matrix is never whole.
#[test]
fn rows_whose_matrix_does_not_fit_are_clustered_by_products() {
    let (x, true_clusters) = blobs(8300, 2, 2, 0.5, 8);
    let params = KernelKMeans::new(2).kernel(Kernel::rbf(0.05)).max_iter(3);
    let model = params.fit(&x).unwrap();
    let score = adjusted_rand_score(&true_clusters, model.labels()).unwrap();
    assert!(score > 0.99, "{score}");
    assert_eq!(bits(&[params.fit(&x).unwrap().inertia() as f32]), bits(&[model.inertia() as f32]));
}
