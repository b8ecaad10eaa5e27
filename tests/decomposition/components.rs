use gristmill::decomposition::Pca;
use gristmill::decomposition::*;
use gristmill::ops::{self, random::philox::Draw};
use gristmill::prelude::*;
use nalgebra::DMatrix;

fn uniforms(count: usize, seed: u64) -> Vec<f32> {
    let mut stream = Device::Cpu.stream();
    ops::random_uniforms(&mut stream, Draw::new(seed, 0), count).unwrap().to_vec(&mut stream).unwrap()
}

/// Sources that are not normal, n×k: uniform ones and ones with heavy tails.
fn sources(n: usize, k: usize) -> DMatrix<f64> {
    let values = uniforms(n * k, 5);
    DMatrix::from_fn(n, k, |row, column| {
        let u = 2.0 * f64::from(values[row * k + column]) - 1.0;
        if column % 2 == 0 { u } else { -u.signum() * (1.0 - u.abs()).max(1e-9).ln() }
    })
}

fn mixed(n: usize, k: usize) -> (DMatrix<f64>, Matrix) {
    let sources = sources(n, k);
    let values = uniforms(k * k, 9);
    let mixing =
        DMatrix::from_fn(k, k, |row, column| f64::from(values[row * k + column]) - 0.5 + f64::from(row == column));
    let shifted = (&sources * mixing.transpose()).add_scalar(3.0);
    (sources, Matrix::from_dmatrix_f64(&shifted).unwrap())
}

/// The least, over the sources, of the largest |correlation| with a component.
fn recovered(sources: &DMatrix<f64>, found: &Matrix) -> f64 {
    let centred = |matrix: &DMatrix<f64>| {
        let mut made = matrix.clone();
        made.column_iter_mut().for_each(|mut column| {
            let mean = column.mean();
            column.add_scalar_mut(-mean);
            let norm = column.norm();
            column /= norm;
        });
        made
    };
    let likeness = centred(sources).transpose() * centred(&found.to_dmatrix());
    likeness.row_iter().map(|row| row.amax()).fold(1.0, f64::min)
}

#[test]
fn mixed_sources_are_found_again_by_every_contrast_and_algorithm() {
    let (sources, x) = mixed(4000, 4);
    for algorithm in [IcaAlgorithm::Parallel, IcaAlgorithm::Deflation] {
        for fun in [IcaContrast::Logcosh, IcaContrast::Exp, IcaContrast::Cube] {
            let model = FastIca::default().algorithm(algorithm).fun(fun).fit(&x).unwrap();
            let z = model.transform(&x).unwrap();
            let likeness = recovered(&sources, &z);
            assert!(likeness > 0.98, "{algorithm:?} {fun:?}: {likeness}");
            assert!(model.converged(), "{algorithm:?} {fun:?}");
            let back = model.inverse_transform(&z).unwrap();
            let apart = x.as_slice().iter().zip(back.as_slice()).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(apart < 1e-4, "{apart}");
        }
    }
}

#[test]
fn components_are_white_and_mixing_undoes_them() {
    let (_, x) = mixed(2000, 5);
    let model = FastIca::default().fit(&x).unwrap();
    let z = model.transform(&x).unwrap().to_dmatrix();
    let covariance = z.transpose() * &z / 2000.0;
    assert!((covariance - DMatrix::identity(5, 5)).amax() < 1e-3);
    assert!((model.components() * model.mixing() - DMatrix::identity(5, 5)).amax() < 1e-9);
    let few = FastIca::default().n_components(3).whiten(Whitening::ArbitraryVariance).fit(&x).unwrap();
    let z = few.transform(&x).unwrap().to_dmatrix();
    assert!((z.transpose() * &z - DMatrix::identity(3, 3)).amax() < 1e-3);
}

#[test]
fn rows_that_are_white_already_are_only_turned() {
    let (_, x) = mixed(1500, 3);
    let white = FastIca::default().max_iter(1).fit(&x).unwrap().transform(&x).unwrap();
    let model = FastIca::default().whiten(Whitening::None).fit(&white).unwrap();
    let turned = model.components() * model.components().transpose();
    assert!((turned - DMatrix::identity(3, 3)).amax() < 1e-9);
    assert_eq!(model.mean(), [0.0; 3]);
}

/// The sine of the largest angle between two spaces of orthonormal rows.
fn angle(a: &DMatrix<f64>, b: &DMatrix<f64>) -> f64 {
    let cosines = (a * b.transpose()).svd(false, false).singular_values;
    (1.0 - cosines.min().min(1.0).powi(2)).max(0.0).sqrt()
}

#[test]
fn leading_components_by_iterations_span_what_all_of_them_do() {
    // More columns than all eigenvectors are computed for.
    let (n, d) = (600, 300);
    let values = uniforms(n * d, 3);
    let x: Vec<f32> = (0..n * d).map(|at| values[at] * (1.0 + 30.0 / (1.0 + (at % d) as f32))).collect();
    let x = Matrix::from_vec(n, d, x).unwrap();
    let some = Pca::default().n_components(12).fit(&x).unwrap();
    let all = Pca::default().fit(&x).unwrap();
    assert!(angle(&some.components(), &all.components().rows(0, 12).into_owned()) < 1e-6);
}
