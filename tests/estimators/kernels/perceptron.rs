//! The perceptron in the space of a kernel.

use gristmill::cpu::random::permutation::permutation;
use gristmill::kernel_methods::{Kernel, KernelPerceptron, KernelPerceptronModel};
use gristmill::prelude::*;

use crate::estimators::blobs::blobs;
use crate::support::{bits, devices, matrix};

/// The perceptron as it is written: decision functions of each row for two classes after `epochs`, last and averaged; and the
/// mistakes of each epoch.
fn by_the_book(kernel: &Kernel, x: &Matrix, y: &[u32], epochs: usize) -> (Vec<f64>, Vec<f64>, Vec<usize>) {
    let n = x.rows();
    let gram: Vec<f64> = (0..n * n).map(|at| kernel.value(x.row(at / n), x.row(at % n)).unwrap()).collect();
    let decide = |alpha: &[f64], intercept: f64, row: usize| {
        (0..n).map(|other| alpha[other] * gram[row * n + other]).sum::<f64>() + intercept
    };
    let (mut alpha, mut intercept) = (vec![0.0; n], 0.0);
    let (mut alpha_sum, mut intercept_sum) = (vec![0.0; n], 0.0);
    let mut mistakes = vec![];
    for epoch in 0..epochs {
        let mut wrong = 0;
        for row in permutation(0, 0x6b63_0000 + epoch as u32, n as u32) {
            let row = row as usize;
            let sign = if y[row] == 1 { 1.0 } else { -1.0 };
            if sign * decide(&alpha, intercept, row) <= 0.0 {
                alpha[row] += sign;
                intercept += sign;
                wrong += 1;
            }
            alpha_sum.iter_mut().zip(&alpha).for_each(|(sum, alpha)| *sum += alpha);
            intercept_sum += intercept;
        }
        mistakes.push(wrong);
        if wrong == 0 {
            break;
        }
    }
    let visits = (mistakes.len() * n) as f64;
    let averaged: Vec<f64> = alpha_sum.iter().map(|sum| sum / visits).collect();
    let last = (0..n).map(|row| decide(&alpha, intercept, row)).collect();
    (last, (0..n).map(|row| decide(&averaged, intercept_sum / visits, row)).collect(), mistakes)
}

#[test]
fn it_makes_the_mistakes_of_the_book() {
    let moons = datasets::moons(150, 0.2, 1).unwrap();
    let kernel = Kernel::rbf(2.0);
    let y = moons.labels().unwrap();
    for epochs in [1, 4] {
        let (last, averaged, mistakes) = by_the_book(&kernel, &moons.x, y.codes(), epochs);
        for (name, device) in devices() {
            for (average, expected) in [(false, &last), (true, &averaged)] {
                let params = KernelPerceptron::default().kernel(kernel.clone()).max_iter(epochs).average(average);
                let x = moons.x.to(device).unwrap();
                let model = params.fit(&x, y).unwrap();
                assert_eq!(model.mistakes(), mistakes, "{name}");
                let found = model.decision_function(&x).unwrap();
                for (found, expected) in found.as_slice().iter().zip(expected) {
                    assert!((f64::from(*found) - expected).abs() < 1e-4, "{name}: {found} and {expected}");
                }
            }
        }
    }
}

#[test]
fn separable_classes_end_without_mistakes() {
    let rings = datasets::circles(200, 0.02, 0.3, 3).unwrap();
    let y = rings.labels().unwrap();
    for (name, device) in devices() {
        let x = rings.x.to(device).unwrap();
        let model = KernelPerceptron::default().kernel(Kernel::rbf(2.0)).fit(&x, y).unwrap();
        assert!(model.converged(), "{name}");
        assert_eq!(model.mistakes().last(), Some(&0));
        assert_eq!(model.score(&x, y).unwrap(), 1.0, "{name}");
        assert!(model.support().len() < 60, "{name}: {}", model.support().len());
    }
}

#[test]
fn several_classes_are_one_against_the_rest() {
    let (train, test) = datasets::digits().unwrap().split(0.6, 1).unwrap();
    let y = train.labels().unwrap();
    for (name, device) in devices() {
        let model = KernelPerceptron::default().kernel(Kernel::rbf(0.001)).average(true).max_iter(10);
        let model = model.fit(&train.x.to(device).unwrap(), y).unwrap();
        let x = test.x.to(device).unwrap();
        let accuracy = model.score(&x, test.labels().unwrap()).unwrap();
        assert!(accuracy > 0.97, "{name}: {accuracy}");
        assert_eq!(model.decision_function(&x).unwrap().columns(), 10);
    }
}

#[test]
fn the_file_the_seed_and_the_settings_are_kept() {
    let iris = datasets::iris().unwrap();
    let y = iris.labels().unwrap();
    let fit = |seed: u64| KernelPerceptron::default().seed(seed).max_iter(5).fit(&iris.x, y).unwrap();
    let model = fit(1);
    let decisions = |model: &KernelPerceptronModel| bits(model.decision_function(&iris.x).unwrap().as_slice());
    assert_eq!(decisions(&fit(1)), decisions(&model));
    assert_ne!(decisions(&fit(2)), decisions(&model));
    let again = KernelPerceptronModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(decisions(&again), decisions(&model));
    assert_eq!((again.mistakes(), again.support()), (model.mistakes(), model.support()));
    let easy = KernelPerceptron::default().tol(0.5).fit(&iris.x, y).unwrap();
    assert!(easy.converged() && easy.mistakes().len() == 1);
}

#[test]
fn a_given_matrix_is_learnt_from_like_its_kernel() {
    let moons = datasets::moons(80, 0.1, 1).unwrap();
    let kernel = Kernel::rbf(2.0);
    let mut stream = Device::Cpu.stream();
    let x = moons.x.to(&Device::Cpu).unwrap();
    let given = kernel.symmetric_matrix(&mut stream, &x).unwrap().to_matrix(&mut stream).unwrap();
    let y = moons.labels().unwrap();
    let direct = KernelPerceptron::default().kernel(kernel).fit(&moons.x, y).unwrap();
    for (name, device) in devices() {
        let params = KernelPerceptron::default().kernel(Kernel::Precomputed);
        let by_matrix = params.fit(&given.to(device).unwrap(), y).unwrap();
        assert_eq!(by_matrix.support(), direct.support(), "{name}");
        assert_eq!(by_matrix.predict(&given).unwrap(), direct.predict(&moons.x).unwrap(), "{name}");
    }
}

/// Above 8192 rows in blocks: the same sequence of mistakes, up to rounding.
#[test]
fn rows_whose_matrix_does_not_fit_are_visited_in_blocks() {
    let (x, clusters) = blobs(8400, 2, 2, 1.0, 8);
    let y = Labels::from(&clusters[..]);
    let model = KernelPerceptron::default().kernel(Kernel::rbf(0.1)).max_iter(2).fit(&x, &y).unwrap();
    assert!(model.score(&x, &y).unwrap() > 0.95);
    // What the blocks added up is what the rows of the model give.
    let few = x.select(&[0, 4000, 8399]).unwrap();
    assert_eq!(model.decision_function(&few).unwrap().rows(), 3);
    assert!(model.mistakes()[0] >= 1 && model.support().len() <= model.mistakes().iter().sum());
}

#[test]
fn one_class_equal_rows_and_wrong_input_have_their_results() {
    let x = matrix(6, 2, 1);
    let same = Matrix::from_vec(6, 2, vec![1.0; 12]).unwrap();
    let alone = Labels::from_names(&["a"; 6]);
    let both = Labels::from_names(&["a", "b", "a", "b", "a", "b"]);
    for (name, device) in devices() {
        let model = KernelPerceptron::default().fit(&x.to(device).unwrap(), &alone).unwrap();
        assert_eq!(model.predict(&x).unwrap(), alone, "{name}");
        let model = KernelPerceptron::default().max_iter(7).fit(&same.to(device).unwrap(), &both).unwrap();
        assert!(!model.converged() && model.mistakes().len() == 7, "{name}");
        let one = x.select(&[0]).unwrap().to(device).unwrap();
        let model = KernelPerceptron::default().fit(&one, &alone.select(&[0]).unwrap()).unwrap();
        assert_eq!(model.predict(&one).unwrap().names(), ["a"], "{name}");
    }
    let error = KernelPerceptron::default().fit(&x, &alone.select(&[0, 1]).unwrap()).unwrap_err().to_string();
    assert!(error.contains("a target for each of the 6 rows"), "{error}");
    let weights = [1.0; 6];
    let error = KernelPerceptron::default().fit_with(&x, &both, Fit::default().sample_weight(&weights)).unwrap_err();
    assert!(error.to_string().contains("no sample weights"), "{error}");
    let error = model_error(&x, &both);
    assert!(error.contains("columns"), "{error}");
}

fn model_error(x: &Matrix, y: &Labels) -> String {
    KernelPerceptron::default().fit(x, y).unwrap().predict(&matrix(2, 5, 1)).unwrap_err().to_string()
}
