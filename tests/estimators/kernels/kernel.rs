//! Kernels as values: text, rules, identities.

use gristmill::kernel_methods::{Kernel, mercer_check, tangent_weights};
use gristmill::prelude::*;

use crate::support::matrix;

#[test]
fn a_kernel_comes_back_from_its_text() {
    for text in [
        "linear",
        "rbf",
        "rbf(gamma=auto)",
        "rbf(sigma=2)",
        "0.5*rbf(gamma=0.1)+poly(degree=2)",
        "(linear+1)^3*exp(0.5*cosine)",
        "(rbf(gamma=1)+2)^2",
        "affine(weights=[1,-2.5,3e-2],offset=0.5)",
        "wave_series(terms=7)+waves(theta=-0.5)+sinc",
        "tangent(layers=2)+empirical_tangent(width=10,seed=4)",
        "precomputed",
        " laplacian ( gamma = 1e-3 ) * sigmoid(coef0=-1) ",
    ] {
        let kernel: Kernel = text.parse().unwrap();
        let again: Kernel = kernel.to_string().parse().unwrap();
        assert_eq!(kernel, again, "{text} is {kernel}");
        let json = serde_json::to_string(&kernel).unwrap();
        assert_eq!(serde_json::from_str::<Kernel>(&json).unwrap(), kernel);
    }
    assert_eq!("gaussian(sigma=2)".parse::<Kernel>().unwrap(), Kernel::rbf(0.125));
}

#[test]
fn wrong_texts_say_what_is_wrong() {
    for (text, part) in [
        ("rfb", "did you mean rbf?"),
        ("rbf(gama=1)", "the arguments of rbf, gamma, sigma"),
        ("linear(gamma=1)", "no arguments"),
        ("rbf(gamma=1", "at its end"),
        ("rbf(gamma=-1)", "gamma of 0 or more"),
        ("poly(coef0=-1)", "coef0 of 0 or more"),
        ("poly(degree=2.5)", "a whole number"),
        ("linear^-1", "a whole power"),
        ("rbf rbf", "an operator"),
        ("", "the name of a kernel"),
        ("precomputed+1", "precomputed alone"),
        ("wave_series(terms=0)", "at least one term"),
        (&"(".repeat(1000), "fewer parentheses"),
    ] {
        let error = text.parse::<Kernel>().unwrap_err().to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
}

#[test]
fn the_check_refuses_what_is_no_inner_product() {
    let x = matrix(30, 3, 1);
    for text in ["linear", "rbf(gamma=2)", "poly(degree=3)", "laplacian(gamma=1)", "waves(theta=2)", "sinc", "tangent"]
    {
        assert!(mercer_check(&text.parse().unwrap(), &x).unwrap() > -1e-6, "{text}");
    }
    let distance = Kernel::function("distance", |x, y| x.iter().zip(y).map(|(x, y)| f64::from(x - y).powi(2)).sum());
    let error = mercer_check(&distance, &x).unwrap_err().to_string();
    assert!(error.contains("eigenvalue -"), "{error}");
    // Two points: the eigenvalue is −‖x−y‖².
    let two = Matrix::from_rows(&[[0.0, 0.0], [1.0, 2.0]]).unwrap();
    assert!(mercer_check(&distance, &two).unwrap_err().to_string().contains("-5.000e0"));
    let tanh = "sigmoid(gamma=1,coef0=-1)".parse().unwrap();
    assert!(mercer_check(&tanh, &x).is_err());
    let crooked = Kernel::function("crooked", |x, y| f64::from(x[0] - y[0]));
    assert!(mercer_check(&crooked, &x).unwrap_err().to_string().contains("symmetric"));
}

#[test]
fn the_squared_kernel_is_a_product_of_explicit_features() {
    let map = |row: &[f32]| [row[0] * row[0], 2.0_f32.sqrt() * row[0] * row[1], row[1] * row[1]];
    let x = matrix(20, 2, 5);
    let squared: Kernel = "linear^2".parse().unwrap();
    for i in 0..20 {
        for j in 0..20 {
            let (left, right) = (map(x.row(i)), map(x.row(j)));
            let dot: f64 = left.iter().zip(right).map(|(&a, b)| f64::from(a) * f64::from(b)).sum();
            assert!((squared.value(x.row(i), x.row(j)).unwrap() - dot).abs() < 1e-6);
        }
    }
}

#[test]
fn a_wide_network_comes_near_the_infinite_one() {
    let x = matrix(6, 3, 7);
    let wide: Kernel = "empirical_tangent(width=20000,seed=1)".parse().unwrap();
    let infinite: Kernel = "tangent(layers=1)".parse().unwrap();
    for i in 0..6 {
        for j in 0..6 {
            let (a, b) = (wide.value(x.row(i), x.row(j)).unwrap(), infinite.value(x.row(i), x.row(j)).unwrap());
            assert!((a - b).abs() < 0.1, "{a} and {b}");
        }
    }
    let weights = tangent_weights(&x, 100, 1).unwrap();
    assert_eq!(weights.influence.len(), 400);
    assert!(weights.blind.iter().all(|&at| weights.influence[at] == 0.0));
}
