//! Kernel ridge regression against scikit-learn's numbers, the linear model, and leaving rows out one by one.

use gristmill::estimator::Model;
use gristmill::linalg::Svd;
use gristmill::prelude::*;
use nalgebra::DMatrix;

use super::smooth;
use crate::support::devices;

/// scikit-learn 1.9: the first three predictions on the rows of `waves`, alpha = 0.1; without weights, and with weights
/// 0.5, 1.5, 2.5, …
const REFERENCE: [(&str, [f32; 3], [f32; 3]); 5] = [
    ("rbf(gamma=5)", [36.30734, 38.44324, 54.82064], [43.98651, 31.16105, 56.29137]),
    ("poly(degree=2,gamma=1)", [33.70097, 42.96092, 59.71998], [41.2693, 34.14866, 64.63686]),
    ("laplacian(gamma=2)", [23.39323, 34.92742, 51.26164], [29.91425, 31.84734, 50.02458]),
    ("linear", [12.92871, 22.36859, 28.7713], [13.48639, 22.61551, 29.77287]),
    ("cosine", [15.11102, 24.89038, 27.19017], [13.82622, 24.00369, 28.78964]),
];

fn waves() -> (Matrix, Vec<f32>) {
    let value = |at: usize| (0.37 * ((at / 4 + 1) * (at % 4 + 1)) as f64).sin() as f32;
    let x = Matrix::from_vec(60, 4, (0..240).map(value).collect()).unwrap();
    let y = (0..60).map(|row| (row % 7) as f32 * 10.0 + 30.0 * x.get(row, 0)).collect();
    (x, y)
}

#[test]
fn predictions_are_those_of_scikit_learn() {
    let (x, y) = waves();
    let weights: Vec<f32> = (0..60).map(|row| (row % 3) as f32 + 0.5).collect();
    for (text, plain, weighted) in REFERENCE {
        let ridge = KernelRidge::default().alpha(0.1).kernel(text.parse().unwrap());
        for (name, device) in devices() {
            let x = x.to(device).unwrap();
            let found = ridge.fit(&x, &y).unwrap().predict(&x).unwrap();
            let heavy = ridge.fit_with(&x, &y, Fit::default().sample_weight(&weights)).unwrap().predict(&x).unwrap();
            for row in 0..3 {
                assert!((found.get(row, 0) - plain[row]).abs() < 0.005, "{name} {text}: {}", found.get(row, 0));
                assert!((heavy.get(row, 0) - weighted[row]).abs() < 0.005, "{name} {text}: {}", heavy.get(row, 0));
            }
        }
    }
}

#[test]
fn the_linear_kernel_is_ridge_without_an_intercept() {
    let (x, y) = smooth(80, 4, 3);
    let dual = KernelRidge::default().alpha(0.7).fit(&x, &y).unwrap().predict(&x).unwrap();
    let primal = Ridge::new(0.7).fit_intercept(false).fit(&x, &y).unwrap().predict(&x).unwrap();
    for row in 0..80 {
        assert!((dual.get(row, 0) - primal.get(row, 0)).abs() < 1e-5);
    }
}

#[test]
fn a_penalty_too_small_for_f32_is_solved_in_f64() {
    let (x, y) = smooth(120, 2, 5);
    let model = KernelRidge::default().alpha(1e-7).kernel(Kernel::rbf(0.5)).fit(&x, &y).unwrap();
    assert!(model.residual() < 1e-6, "{}", model.residual());
    // The oracle: the f64 matrix by its singular values.
    let kernel = Kernel::rbf(0.5);
    let mut matrix = DMatrix::from_fn(120, 120, |i, j| kernel.value(x.row(i), x.row(j)).unwrap());
    (0..120).for_each(|at| matrix[(at, at)] += 1e-7);
    let target = DMatrix::from_fn(120, 1, |row, _| f64::from(y[row]));
    let coef = Svd::factor(&matrix).unwrap().least_squares(&target, 0.0).unwrap();
    let found = model.dual_coef();
    for row in 0..120 {
        let error = (f64::from(found.get(row, 0)) - coef[row]).abs();
        assert!(error < 1e-5 * coef.amax(), "{error} of {}", coef.amax());
    }
}

#[test]
fn leaving_rows_out_by_the_formula_is_leaving_them_out() {
    let (x, y) = smooth(40, 3, 7);
    let alphas = vec![0.01, 0.1, 1.0, 10.0];
    let model = KernelRidgeCv::default().alphas(alphas.clone()).kernel(Kernel::rbf(0.7)).fit(&x, &y).unwrap();
    for (at, &alpha) in alphas.iter().enumerate() {
        let ridge = KernelRidge::default().alpha(alpha).kernel(Kernel::rbf(0.7));
        let mut total = 0.0;
        for out in 0..40 {
            let kept: Vec<Vec<f32>> = (0..40).filter(|&row| row != out).map(|row| x.row(row).to_vec()).collect();
            let targets: Vec<f32> = (0..40).filter(|&row| row != out).map(|row| y[row]).collect();
            let rest = ridge.fit(&Matrix::from_rows(&kept).unwrap(), &targets).unwrap();
            let left = Matrix::from_rows(&[x.row(out)]).unwrap();
            total += f64::from(rest.predict(&left).unwrap().get(0, 0) - y[out]).powi(2);
        }
        let found = model.leave_one_out_errors()[at];
        assert!((found - total / 40.0).abs() < 1e-5, "alpha {alpha}: {found} and {}", total / 40.0);
    }
    let least = model.leave_one_out_errors().iter().copied().fold(f64::INFINITY, f64::min);
    assert_eq!(model.leave_one_out_errors()[alphas.iter().position(|&a| a == model.alpha()).unwrap()], least);
    let same = KernelRidge::default().alpha(model.alpha()).kernel(Kernel::rbf(0.7)).fit(&x, &y).unwrap();
    let (a, b) = (same.predict(&x).unwrap(), model.predict(&x).unwrap());
    assert!(a.as_slice().iter().zip(b.as_slice()).all(|(a, b)| (a - b).abs() < 1e-5));
}

/// The oracle of the leave-one-out errors: G from the f64 inverse, and for some rows a fit without them.
#[test]
fn leaving_rows_out_of_many_is_exact_too() {
    let n = 400;
    let (x, y) = smooth(n, 4, 27);
    let kernel = Kernel::rbf(0.5);
    let weights: Vec<f32> = (0..n).map(|row| (row % 4) as f32).collect();
    // The first penalties ask for f64, the second go through f32 as they are.
    let path = |first: f64| -> Vec<f64> { (0..5).map(|at| first * 4.0_f64.powi(at)).collect() };
    for (weighted, alphas) in [(false, path(1e-3)), (false, path(0.3)), (true, path(1e-3)), (true, path(0.5))] {
        let cv = KernelRidgeCv::default().alphas(alphas.clone()).kernel(kernel.clone());
        let fit = || if weighted { Fit::default().sample_weight(&weights) } else { Fit::default() };
        let model = cv.fit_with(&x, &y, fit()).unwrap();
        let root = |row: usize| if weighted { f64::from(weights[row]).sqrt() } else { 1.0 };
        for (at, &alpha) in alphas.iter().enumerate() {
            let entry = |i: usize, j: usize| kernel.value(x.row(i), x.row(j)).unwrap() * root(i) * root(j);
            let system = DMatrix::from_fn(n, n, |i, j| entry(i, j) + if i == j { alpha } else { 0.0 });
            let inverse = system.cholesky().unwrap().inverse();
            let target = DMatrix::from_fn(n, 1, |row, _| f64::from(y[row]) * root(row));
            let coef = &inverse * target;
            let rows = (0..n).filter(|&row| root(row) > 0.0);
            let total: f64 = rows.map(|row| (coef[row] / inverse[(row, row)]).powi(2)).sum();
            let error = total / (0..n).map(|row| root(row).powi(2)).sum::<f64>();
            let found = model.leave_one_out_errors()[at];
            assert!((found / error - 1.0).abs() < 1e-5, "{weighted} {alpha}: {found} and {error}");
        }
    }
}

#[test]
fn a_given_matrix_is_taken_as_it_is() {
    let (x, y) = smooth(50, 3, 9);
    let mut stream = Device::Cpu.stream();
    let device_x = x.to(&Device::Cpu).unwrap();
    let gram = Kernel::rbf(0.4).symmetric_matrix(&mut stream, &device_x).unwrap().to_matrix(&mut stream).unwrap();
    let computed = KernelRidge::default().kernel(Kernel::rbf(0.4)).fit(&x, &y).unwrap();
    let given = KernelRidge::default().kernel(Kernel::Precomputed).fit(&gram, &y).unwrap();
    let (a, b) = (computed.predict(&x).unwrap(), given.predict(&gram).unwrap());
    assert!(a.as_slice().iter().zip(b.as_slice()).all(|(a, b)| (a - b).abs() < 1e-5));
    let again = KernelRidgeModel::from_bytes(&given.to_bytes().unwrap()).unwrap();
    assert_eq!(again.predict(&gram).unwrap(), b);
    let function = Kernel::function("mine", |x, y| x.iter().zip(y).map(|(a, b)| f64::from(a * b)).sum());
    let mine = KernelRidge::default().kernel(function).fit(&x, &y).unwrap();
    let linear = KernelRidge::default().fit(&x, &y).unwrap();
    assert!((mine.predict(&x).unwrap().get(3, 0) - linear.predict(&x).unwrap().get(3, 0)).abs() < 1e-4);
    assert!(mine.to_bytes().is_err());
}

#[test]
fn odd_rows_are_answered_or_refused() {
    let ridge = |kernel: &str| KernelRidge::default().kernel(kernel.parse().unwrap());
    let same = Matrix::from_vec(20, 2, vec![1.5; 40]).unwrap();
    let y: Vec<f32> = (0..20).map(|row| row as f32).collect();
    for (name, device) in devices() {
        let same = same.to(device).unwrap();
        // Identical rows: the shrunk mean, 190/21.
        let found = ridge("rbf(gamma=1)").fit(&same, &y).unwrap().predict(&same).unwrap();
        assert!(found.as_slice().iter().all(|value| (value - 190.0 / 21.0).abs() < 1e-3), "{name}");
        let constant = ridge("rbf(gamma=0)").fit(&same, &y).unwrap().predict(&same).unwrap();
        assert!((constant.get(0, 0) - 190.0 / 21.0).abs() < 1e-3, "{name}");
        let one = Matrix::from_rows(&[[2.0, 1.0]]).unwrap().to(device).unwrap();
        let alone = ridge("rbf(gamma=1)").fit(&one, &[4.0]).unwrap().predict(&one).unwrap();
        assert!((alone.get(0, 0) - 2.0).abs() < 1e-6, "{name}");
        assert!(ridge("linear").fit(&one, &[1.0, 2.0]).is_err());
        assert!(ridge("precomputed").fit(&one, &[1.0]).is_err());
        // Negative definite plus alpha: no solution.
        let singular = ridge("sigmoid(gamma=1,coef0=-5)").alpha(0.0).fit(&same, &y);
        assert!(singular.is_err(), "{name}");
    }
    assert!(KernelRidgeCv::default().alphas(vec![]).fit(&same, &y).is_err());
    assert!(KernelRidgeCv::default().alphas(vec![-1.0]).fit(&same, &y).is_err());
}

#[test]
fn models_come_back_from_their_files() {
    let (x, y) = smooth(40, 3, 11);
    let two: Vec<f32> = y.iter().flat_map(|&y| [y, -2.0 * y]).collect();
    let two = Matrix::from_vec(40, 2, two).unwrap();
    let model = KernelRidge::default().kernel("rbf+0.1*poly(degree=2)".parse().unwrap()).fit(&x, &two).unwrap();
    let again = KernelRidgeModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
    let predicted = model.predict(&x).unwrap();
    assert_eq!(again.predict(&x).unwrap(), predicted);
    assert_eq!(again.to_bytes().unwrap(), model.to_bytes().unwrap());
    assert!((predicted.get(5, 1) + 2.0 * predicted.get(5, 0)).abs() < 1e-4);
}

#[test]
fn a_path_on_a_kernel_of_low_rank_is_exact_for_tiny_penalties() {
    let n = 400;
    let (x, y) = smooth(n, 4, 37);
    let kernel: Kernel = "poly(degree=2,gamma=0.5,coef0=1)".parse().unwrap();
    let alphas = vec![1e-4, 1e-2, 10.0];
    let model = KernelRidgeCv::default().alphas(alphas.clone()).kernel(kernel.clone()).fit(&x, &y).unwrap();
    // 1, x and all products of two of four columns.
    assert_eq!(model.report().number("rank"), Some(15.0));
    for (at, &alpha) in alphas.iter().enumerate() {
        let entry = |i: usize, j: usize| kernel.value(x.row(i), x.row(j)).unwrap();
        let system = DMatrix::from_fn(n, n, |i, j| entry(i, j) + if i == j { alpha } else { 0.0 });
        let inverse = system.cholesky().unwrap().inverse();
        let coef = &inverse * DMatrix::from_fn(n, 1, |row, _| f64::from(y[row]));
        let error = (0..n).map(|row| (coef[row] / inverse[(row, row)]).powi(2)).sum::<f64>() / n as f64;
        let found = model.leave_one_out_errors()[at];
        assert!((found / error - 1.0).abs() < 1e-6, "{alpha}: {found} and {error}");
    }
}
