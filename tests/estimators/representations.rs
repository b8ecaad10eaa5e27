//! Decompositions on every device: the same as on the CPU within what f32 leaves, and how often a GPU is waited for.

use gristmill::decomposition::*;
use gristmill::estimator::{Model, Rows};
use gristmill::prelude::*;
use nalgebra::DMatrix;

use crate::support::{devices, gpu_with};

fn digits() -> Matrix {
    datasets::digits().unwrap().x.select(&(0..200).collect::<Vec<_>>()).unwrap()
}

fn apart(a: &Matrix, b: &Matrix) -> f32 {
    a.as_slice().iter().zip(b.as_slice()).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

/// What a model makes of rows of a device, on the host.
fn made<M: Model + Transform>(model: &M, x: &DeviceMatrix) -> Matrix {
    model.transform_rows(Rows::Device(x)).unwrap().into_host().unwrap()
}

#[test]
fn independent_components_are_those_of_the_cpu() {
    // A saw-tooth, a square wave and their product with another.
    let rows: Vec<[f32; 3]> = (0..900)
        .map(|t| {
            let (a, b, c) = ((t % 7) as f32 - 3.0, if t % 20 < 10 { 1.0 } else { -1.0 }, ((t * t) % 11) as f32 - 5.0);
            [a + b, a - 2.0 * b + c, 0.5 * c + b]
        })
        .collect();
    let x = Matrix::from_rows(&rows).unwrap();
    for fun in [IcaContrast::Logcosh, IcaContrast::Exp, IcaContrast::Cube] {
        let ica = FastIca::default().fun(fun).tol(1e-7);
        let known = ica.fit(&x).unwrap();
        for (name, device) in devices() {
            let on_device = x.to(device).unwrap();
            let model = ica.fit(&on_device).unwrap();
            let likeness: DMatrix<f64> = model.components() * known.mixing();
            let off = (likeness.abs() - DMatrix::identity(3, 3)).amax();
            assert!(off < 1e-2, "{name} {fun:?}: {off}");
            assert!(apart(&made(&model, &on_device), &model.transform(&x).unwrap()) < 1e-4, "{name}");
        }
    }
}

#[test]
fn codes_and_dictionaries_are_as_good_on_every_device() {
    let x = digits();
    let error = |model: &KSvdModel, x: &DeviceMatrix| {
        let back = model.inverse_transform(&made(model, x)).unwrap();
        let host = digits();
        let square = |(a, b): (&f32, &f32)| f64::from(a - b).powi(2);
        host.as_slice().iter().zip(back.as_slice()).map(square).sum::<f64>() / host.as_slice().len() as f64
    };
    let ksvd = KSvd::new(20).n_nonzero_coefs(4).max_iter(4).tol(0.0);
    let learning = DictionaryLearning::new(12).alpha(5.0).max_iter(4).transform_algorithm(CodingAlgorithm::LassoCd);
    let (known, objective) = (error(&ksvd.fit(&x).unwrap(), &x.to(&Device::Cpu).unwrap()), learning.fit(&x).unwrap());
    for (name, device) in devices() {
        let on_device = x.to(device).unwrap();
        let found = error(&ksvd.fit(&on_device).unwrap(), &on_device);
        assert!((found / known - 1.0).abs() < 0.05, "{name}: {found} for {known}");
        let model = learning.fit(&on_device).unwrap();
        let (got, want) = (model.objective()[3], objective.objective()[3]);
        assert!((got / want - 1.0).abs() < 0.01, "{name}: {got} for {want}");
        let (codes, known) = (made(&model, &on_device), model.transform(&x).unwrap());
        let largest = known.as_slice().iter().fold(0.0_f32, |largest, code| largest.max(code.abs()));
        let off = apart(&codes, &known);
        assert!(off < 0.01 * largest, "{name}: {off} of {largest}");
    }
}

#[test]
fn parts_are_those_of_the_cpu() {
    let x = digits();
    let cases = [
        (NmfSolver::Cd, BetaLoss::Frobenius),
        (NmfSolver::Mu, BetaLoss::Frobenius),
        (NmfSolver::Mu, BetaLoss::KullbackLeibler),
    ];
    for (solver, beta_loss) in cases {
        let nmf = Nmf::new(6).solver(solver).beta_loss(beta_loss).max_iter(10);
        let known = nmf.fit(&x).unwrap();
        for (name, device) in devices() {
            let model = nmf.fit(&x.to(device).unwrap()).unwrap();
            let share = model.reconstruction_err() / known.reconstruction_err();
            assert!((share - 1.0).abs() < 1e-3, "{name} {solver:?}: {share}");
            assert!(apart(model.components(), known.components()) < 0.05, "{name} {solver:?}");
        }
    }
}

#[test]
fn maps_are_those_of_the_cpu_and_epochs_are_not_waited_for() {
    let iris = datasets::iris().unwrap();
    let map = SelfOrganizingMap::new(4, 3);
    // Rows between two units may go to either; what follows from that is as good.
    let (first, last) = (map.clone().max_iter(1), map.clone().max_iter(8));
    let (known, error) = (first.fit(&iris.x).unwrap(), last.fit(&iris.x).unwrap().quantization_error(&iris.x).unwrap());
    for (name, device) in devices() {
        let on_device = iris.x.to(device).unwrap();
        let model = first.fit(&on_device).unwrap();
        let off = apart(model.units(), known.units());
        assert!(off < 0.02, "{name}: {off}");
        assert_eq!(made(&model, &on_device), model.transform(&iris.x).unwrap(), "{name}");
        let found = last.fit(&on_device).unwrap().quantization_error(&on_device).unwrap();
        assert!((found / error - 1.0).abs() < 0.02, "{name}: {found} for {error}");
    }
    // More epochs bring no read-back more.
    let device = gpu_with(DeviceOptions::default());
    let x = iris.x.to(&device).unwrap();
    let readbacks = |epochs: usize| {
        device.profile(true);
        map.clone().max_iter(epochs).fit(&x).unwrap();
        device.profile_report().readbacks
    };
    assert_eq!(readbacks(4), readbacks(12));
}
