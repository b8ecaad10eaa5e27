//! Dual coordinate ascent, sums of kernels, text for LIBSVM.

use gristmill::estimator::Model;
use gristmill::kernel_methods::Kernel;
use gristmill::prelude::*;
use gristmill::svm::{KernelNorm, MultiClass, MultipleKernelLearning, OneClassSvm, Svc, SvmSolver};

use super::{assert_near, standardised};
use crate::support::numbers;

/// The bias-free problem by cyclic coordinate descent in f64, far beyond what is asked: its objective.
fn without_bias(kernel: &Kernel, x: &Matrix, signs: &[f64], c: f64) -> f64 {
    let n = x.rows();
    let k = |a: usize, b: usize| kernel.value(x.row(a), x.row(b)).unwrap();
    let matrix: Vec<f64> = (0..n * n).map(|at| k(at / n, at % n)).collect();
    let mut alpha = vec![0.0; n];
    for _ in 0..3000 {
        for at in 0..n {
            let sum: f64 = (0..n).map(|other| alpha[other] * signs[other] * matrix[at * n + other]).sum();
            alpha[at] = f64::clamp(alpha[at] + (1.0 - signs[at] * sum) / matrix[at * n + at], 0.0, c);
        }
    }
    let pairs = (0..n * n).map(|at| alpha[at / n] * signs[at / n] * alpha[at % n] * signs[at % n] * matrix[at]);
    0.5 * pairs.sum::<f64>() - alpha.iter().sum::<f64>()
}

/// The toy of the notes: n = 20 on [0, 1], signs of the quarters −, +, −, +.
fn square_wave() -> (Matrix, Vec<u32>) {
    let x: Vec<f32> = numbers(20, 4).iter().map(|value| (value * 0.5).abs().fract()).collect();
    let classes = x.iter().map(|x| u32::from((0.25..0.5).contains(x) || *x >= 0.75)).collect();
    (Matrix::from_vec(20, 1, x).unwrap(), classes)
}

#[test]
fn coordinate_ascent_finds_the_objective_of_the_bias_free_problem_and_never_falls() {
    let (x, classes) = square_wave();
    let y = Labels::from(&classes[..]);
    let kernel = Kernel::rbf(100.0);
    let model = Svc::default().solver(SvmSolver::Sdca).kernel(kernel.clone()).c(100.0).tol(1e-6).fit(&x, &y).unwrap();
    // The first class has the sign +.
    let signs: Vec<f64> = classes.iter().map(|class| if *class == 0 { 1.0 } else { -1.0 }).collect();
    let expected = without_bias(&kernel, &x, &signs, 100.0);
    assert!((model.objectives()[0] / expected - 1.0).abs() < 1e-4, "{} {expected}", model.objectives()[0]);
    assert!(model.converged() && model.intercept()[0] == 0.0);
    let report = model.report();
    assert!(report.curve("objective").is_sorted_by(|before, after| after <= &(before + 1e-9)));
    assert_eq!(model.score(&x, &y).unwrap(), 1.0);
}

#[test]
fn coordinate_ascent_on_weights_is_that_on_kernel_values() {
    let cancer = datasets::breast_cancer().unwrap();
    let (x, y) = (standardised(&cancer), cancer.labels().unwrap());
    let sdca = Svc::default().solver(SvmSolver::Sdca).c(0.1).tol(1e-4).max_iter(3000);
    let on_weights = sdca.clone().kernel(Kernel::Linear).fit(&x, y).unwrap();
    let on_kernel = sdca.kernel(Kernel::Linear + Kernel::Constant(0.0)).fit(&x, y).unwrap();
    assert!((on_weights.objectives()[0] / on_kernel.objectives()[0] - 1.0).abs() < 1e-3);
    let [first, second] = [&on_weights, &on_kernel].map(|model| model.decision_function(&x).unwrap());
    assert_near(first.as_slice(), second.as_slice(), 1e-2);
    assert_eq!(on_weights.report().number("kernel_evaluations"), Some(0.0));
}

#[test]
fn coordinate_ascent_of_three_classes_tells_them_apart() {
    let iris = datasets::iris().unwrap();
    let y = iris.labels().unwrap();
    let svc = Svc::default().solver(SvmSolver::Sdca).multi_class(MultiClass::OneVersusRest).max_iter(2000);
    assert!(svc.fit(&iris.x, y).unwrap().score(&iris.x, y).unwrap() > 0.95);
}

#[test]
fn the_simplex_keeps_the_informative_kernel_and_the_sphere_several() {
    // Moons in the first two columns, and six of noise.
    let moons = datasets::moons(150, 0.1, 3).unwrap();
    let noise = numbers(150 * 6, 8);
    let rows = (0..150).flat_map(|row| moons.x.row(row).iter().chain(&noise[row * 6..(row + 1) * 6]).copied());
    let x = Matrix::from_vec(150, 8, rows.collect()).unwrap();
    let y = moons.labels().unwrap();
    let on = |columns: std::ops::Range<usize>, gamma: f64| {
        Kernel::function(&format!("columns {columns:?}"), move |a, b| {
            let squares = columns.clone().map(|at| f64::from(a[at] - b[at]).powi(2));
            (-gamma * squares.sum::<f64>()).exp()
        })
    };
    let kernels = vec![on(2..5, 0.3), on(0..2, 2.0), on(5..8, 0.3)];
    let learning = MultipleKernelLearning::default().kernels(kernels).c(1.0);
    let simplex = learning.fit(&x, y).unwrap();
    let weights = simplex.weights();
    assert!(weights[1] > 0.8 && weights[1] > 4.0 * weights[0].max(weights[2]), "{weights:?}");
    assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    assert!(simplex.objectives().is_sorted_by(|before, after| after <= before));
    assert!(simplex.score(&x, y).unwrap() > 0.97);
    let sphere = learning.norm(KernelNorm::L2).fit(&x, y).unwrap();
    let squares: f64 = sphere.weights().iter().map(|weight| weight * weight).sum();
    assert!((squares - 1.0).abs() < 1e-9 && sphere.kept().len() == 3, "{:?}", sphere.weights());
    assert!(sphere.weights()[1] > sphere.weights()[0].max(sphere.weights()[2]));
    assert!(sphere.objectives().is_sorted_by(|before, after| after <= before));
}

#[test]
fn text_for_libsvm_has_its_lines_and_coefficients() {
    let iris = datasets::iris().unwrap();
    let model = Svc::default().kernel(Kernel::rbf(0.5)).fit(&iris.x, iris.labels().unwrap()).unwrap();
    let text = model.to_libsvm_text().unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[..4], ["svm_type c_svc", "kernel_type rbf", "gamma 0.5", "nr_class 3"]);
    assert!(lines[4].starts_with("total_sv ") && lines[5].starts_with("rho "));
    assert_eq!(lines[6], "label 0 1 2");
    assert_eq!((lines[7].split(' ').count(), lines[8]), (4, "SV"));
    // The decision of a row from the text alone.
    let vectors: Vec<(Vec<f64>, Vec<f64>)> = lines[9..].iter().map(|line| parsed(line, 2)).collect();
    let counts: Vec<usize> = lines[7].split(' ').skip(1).map(|count| count.parse().unwrap()).collect();
    let rho: Vec<f64> = lines[5].split(' ').skip(1).map(|rho| rho.parse().unwrap()).collect();
    let query: Vec<f64> = iris.x.row(70).iter().copied().map(f64::from).collect();
    let value = |vector: &[f64]| (-0.5 * vector.iter().zip(&query).map(|(a, b)| (a - b).powi(2)).sum::<f64>()).exp();
    // The pair of the second and third class: coefficient 1 of the second's vectors, 1 of the third's.
    let second = &vectors[counts[0]..counts[0] + counts[1]];
    let third = &vectors[counts[0] + counts[1]..];
    let sum: f64 = second.iter().chain(third).map(|(coef, vector)| coef[1] * value(vector)).sum();
    let expected = model.function_values(&iris.x).unwrap().get(70, 2);
    assert!((sum - rho[2] - f64::from(expected)).abs() < 1e-4);
    let strange = Svc::default().kernel(Kernel::Cosine).fit(&iris.x, iris.labels().unwrap()).unwrap();
    assert!(matches!(strange.to_libsvm_text(), Err(Error::Param { .. })));
    let one = OneClassSvm::default().kernel(Kernel::Linear).fit(&iris.x).unwrap().to_libsvm_text().unwrap();
    assert!(one.starts_with("svm_type one_class\nkernel_type linear\nnr_class 2\n"));
}

/// The coefficients and the four columns of a line.
fn parsed(line: &str, coefs: usize) -> (Vec<f64>, Vec<f64>) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let coef = words[..coefs].iter().map(|word| word.parse().unwrap()).collect();
    let mut vector = vec![0.0; 4];
    for word in &words[coefs..] {
        let (column, value) = word.split_once(':').unwrap();
        vector[column.parse::<usize>().unwrap() - 1] = value.parse().unwrap();
    }
    (coef, vector)
}
