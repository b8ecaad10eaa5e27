//! Features of kernels: the numbers of scikit-learn, the identities of the Gram matrix, and edge cases.

use gristmill::kernel_methods::{Kernel, Landmarks, Nystroem, RandomFourierFeatures};
use gristmill::prelude::*;

use crate::support::{bits, devices, gpu, matrix, numbers};

fn kernel(text: &str) -> Kernel {
    text.parse().unwrap()
}

/// k(x, y) of all pairs in f64.
fn gram(kernel: &Kernel, x: &Matrix, y: &Matrix) -> Vec<f64> {
    let pairs = (0..x.rows()).flat_map(|i| (0..y.rows()).map(move |j| (i, j)));
    pairs.map(|(i, j)| kernel.value(x.row(i), y.row(j)).unwrap()).collect()
}

/// The inner products of all pairs.
fn products(x: &Matrix, y: &Matrix) -> Vec<f64> {
    gram(&Kernel::Linear, x, y)
}

fn largest_difference(left: &[f64], right: &[f64]) -> f64 {
    assert_eq!(left.len(), right.len());
    left.iter().zip(right).map(|(left, right)| (left - right).abs()).fold(0.0, f64::max)
}

fn on(device: &Device, x: &Matrix, map: &Nystroem) -> Matrix {
    let x = x.to(device).unwrap();
    map.fit(&x).unwrap().transform(&x).unwrap().to_matrix(&mut device.stream()).unwrap()
}

#[test]
fn nystroem_has_the_numbers_of_scikit_learn() {
    let x = datasets::iris().unwrap().x;
    let some = x.select(&(0..150).step_by(15).collect::<Vec<_>>()).unwrap();
    let new = x.select(&[5, 57, 110]).unwrap();
    let cases: [(&str, [[f64; 10]; 3]); 2] = [
        (
            "rbf(gamma=2)",
            [
                [0.476172, 0.446452, 0.021457, -0.034369, 1e-06, 0.0, 0.0, 0.0, 0.0, 0.0],
                [-8.7e-05, 5e-06, 0.000462, -9.8e-05, 0.656768, -0.000249, 0.019181, 0.0, 1e-06, 0.0],
                [0.0, 0.0, 0.0, 0.0, 4e-06, 0.164533, 0.001975, 0.002107, 0.298288, -0.023518],
            ],
        ),
        (
            "poly(gamma=0.1,coef0=1,degree=2)",
            [
                [2.085273, 2.890032, 1.779668, 1.705845, 0.960263, 1.839764, 1.295994, 1.567019, 1.694302, 1.697045],
                [1.06327, 1.16818, 1.128455, 1.096538, 1.502401, 1.770208, 1.724832, 2.131558, 2.078309, 2.11833],
                [1.317655, 1.870637, 1.269117, 1.213171, 1.789149, 3.025576, 2.594304, 4.427143, 4.395306, 4.386406],
            ],
        ),
    ];
    for (text, expected) in cases {
        for (name, device) in devices() {
            let model = Nystroem::new(10).kernel(kernel(text)).fit(&some.to(device).unwrap()).unwrap();
            let z = model.transform(&new.to(device).unwrap()).unwrap().to_matrix(&mut device.stream()).unwrap();
            for (at, landmark) in model.component_indices().iter().enumerate() {
                for (row, expected) in expected.iter().enumerate() {
                    let off = (f64::from(z.get(row, at)) - expected[*landmark as usize]).abs();
                    // The smallest eigenvalue of the second is a millionth of the largest: f32 keeps three digits.
                    let bound = if text.starts_with("rbf") { 2e-5 } else { 1e-2 };
                    assert!(off < bound, "{text} on {name}: row {row}, landmark {landmark}: off by {off}");
                }
            }
        }
    }
}

#[test]
fn all_rows_as_landmarks_give_the_gram_matrix_back() {
    let x = matrix(60, 3, 5);
    for text in ["rbf(gamma=1)", "poly(gamma=1,degree=3)+laplacian(gamma=0.5)", "cosine^2", "sinc"] {
        let exact = gram(&kernel(text), &x, &x);
        let size = exact.iter().fold(0.0_f64, |size, value| size.max(value.abs()));
        for (name, device) in devices() {
            for landmarks in [Landmarks::Uniform, Landmarks::All] {
                let z = on(device, &x, &Nystroem::new(60).kernel(kernel(text)).landmarks(landmarks));
                let off = largest_difference(&products(&z, &z), &exact);
                assert!(off < 1e-4 * size, "{text}, {landmarks:?} on {name}: off by {off}");
            }
        }
    }
}

#[test]
fn the_leading_eigenpairs_give_the_nearest_matrix_of_their_rank() {
    let x = matrix(80, 4, 2);
    let squared = kernel("linear^2");
    let exact = nalgebra::DMatrix::from_row_slice(80, 80, &gram(&squared, &x, &x));
    let eigen = gristmill::linalg::Eigen::factor(&exact).unwrap();
    for (name, device) in devices() {
        for rank in [1, 3, 7, 10] {
            let z = on(device, &x, &Nystroem::new(rank).kernel(squared.clone()).landmarks(Landmarks::All));
            assert_eq!((z.rows(), z.columns()), (80, rank));
            let vectors = eigen.vectors().columns(0, rank);
            let values = nalgebra::DMatrix::from_diagonal(&eigen.values().rows(0, rank).into_owned());
            let nearest = vectors * values * vectors.transpose();
            let off = largest_difference(&products(&z, &z), nearest.transpose().as_slice());
            assert!(off < 1e-4, "rank {rank} on {name}: off by {off}");
        }
        // Ten products of four columns: from there on nothing is missing.
        let z = on(device, &x, &Nystroem::new(10).kernel(squared.clone()).landmarks(Landmarks::All));
        assert!(largest_difference(&products(&z, &z), exact.transpose().as_slice()) < 1e-4, "{name}");
    }
}

#[test]
fn the_squared_kernel_in_the_plane_is_three_products() {
    let x = matrix(30, 2, 8);
    let phi = |row: &[f32]| [row[0] * row[0], std::f32::consts::SQRT_2 * row[0] * row[1], row[1] * row[1]];
    let phi = Matrix::from_rows(&(0..30).map(|row| phi(x.row(row))).collect::<Vec<_>>()).unwrap();
    let z = on(&Device::Cpu, &x, &Nystroem::new(3).kernel(kernel("linear^2")).landmarks(Landmarks::All));
    assert!(largest_difference(&products(&z, &z), &products(&phi, &phi)) < 1e-5);
    assert!(largest_difference(&products(&z, &z), &gram(&kernel("linear^2"), &x, &x)) < 1e-5);
}

#[test]
fn lanczos_finds_the_same_features_as_the_whole_spectrum() {
    let x = matrix(1300, 5, 3);
    for (name, device) in [("cpu", &Device::Cpu), ("gpu", gpu())] {
        let z = on(device, &x, &Nystroem::new(12).kernel(Kernel::rbf(0.3)).landmarks(Landmarks::All));
        // Each feature has the norm of its eigenvalue, and is orthogonal to the others.
        let exact = nalgebra::DMatrix::from_row_slice(1300, 1300, &gram(&Kernel::rbf(0.3), &x, &x));
        let values = gristmill::linalg::Eigen::values_of(&exact).unwrap();
        let z = z.to_dmatrix();
        let inner = z.transpose() * &z;
        for at in 0..12 {
            assert!((inner[(at, at)] - values[at]).abs() < 1e-4 * values[0], "{name}: {at}");
            for other in 0..at {
                assert!(inner[(at, other)].abs() < 1e-3 * values[0], "{name}: {at}, {other}");
            }
        }
    }
}

#[test]
fn landmarks_are_distinct_rows_drawn_by_the_seed() {
    let x = matrix(200, 3, 1);
    let model = |seed: u64| Nystroem::new(40).seed(seed).fit(&x).unwrap();
    let first = model(1);
    let mut rows = first.component_indices().to_vec();
    rows.sort_unstable();
    rows.dedup();
    assert_eq!(rows.len(), 40);
    assert_eq!(first.component_indices(), model(1).component_indices());
    assert_ne!(first.component_indices(), model(2).component_indices());
    assert_eq!(first.components().unwrap().row(7), x.row(first.component_indices()[7] as usize));
    assert_eq!(
        bits(first.transform(&x).unwrap().as_slice()),
        bits(model(1).transform(&x).unwrap().as_slice()),
        "the same bits"
    );
}

#[test]
fn a_given_kernel_matrix_is_mapped_like_the_kernel() {
    let x = matrix(50, 3, 4);
    let new = matrix(7, 3, 6);
    let given = |rows: &Matrix| {
        let values: Vec<f32> = gram(&Kernel::rbf(0.7), rows, &x).into_iter().map(|value| value as f32).collect();
        Matrix::from_vec(rows.rows(), 50, values).unwrap()
    };
    for (name, device) in devices() {
        for landmarks in [Landmarks::Uniform, Landmarks::All] {
            let map = |kernel: Kernel| Nystroem::new(12).kernel(kernel).landmarks(landmarks);
            let direct = map(Kernel::rbf(0.7)).fit(&x.to(device).unwrap()).unwrap();
            let direct = direct.transform(&new).unwrap();
            let by_matrix = map(Kernel::Precomputed).fit(&given(&x).to(device).unwrap()).unwrap();
            let by_matrix = by_matrix.transform(&given(&new)).unwrap();
            let off = largest_difference(&products(&direct, &direct), &products(&by_matrix, &by_matrix));
            assert!(off < 1e-3, "{landmarks:?} on {name}: {off}");
        }
    }
}

#[test]
fn identical_rows_one_row_and_a_constant_kernel_have_finite_features() {
    let same = Matrix::from_vec(20, 2, vec![0.5; 40]).unwrap();
    let one = Matrix::from_rows(&[[3.0, 4.0]]).unwrap();
    for (name, device) in devices() {
        for landmarks in [Landmarks::Uniform, Landmarks::All] {
            for (x, text) in [(&same, "rbf(gamma=1)"), (&one, "rbf(gamma=1)"), (&same, "linear"), (&same, "2")] {
                // More components than rows are as many as rows.
                let z = on(device, x, &Nystroem::new(30).kernel(kernel(text)).landmarks(landmarks));
                assert_eq!(z.columns(), x.rows(), "{name}");
                let exact = gram(&kernel(text), x, x);
                let off = largest_difference(&products(&z, &z), &exact);
                assert!(off < 1e-4, "{landmarks:?} of {text} on {name}: off by {off}");
            }
        }
    }
}

#[test]
fn a_zero_kernel_gives_zeros() {
    let x = Matrix::zeros(6, 2).unwrap();
    for (name, device) in devices() {
        let z = on(device, &x, &Nystroem::new(4).kernel(Kernel::Linear));
        assert!(z.as_slice().iter().all(|value| *value == 0.0), "{name}");
    }
}

#[test]
fn wrong_maps_are_typed_errors() {
    let x = matrix(10, 3, 1);
    let words = |error: gristmill::Error| error.to_string();
    assert!(words(Nystroem::new(0).fit(&x).unwrap_err()).contains("n_components"));
    assert!(words(Nystroem::new(3).kernel(Kernel::Precomputed).fit(&x).unwrap_err()).contains("kernel matrix"));
    let model = Nystroem::new(3).fit(&x).unwrap();
    assert!(words(model.transform(&matrix(2, 4, 1)).unwrap_err()).contains("3 columns"));
    let overflow = Nystroem::new(3).kernel(kernel("exp(poly(gamma=100,degree=9))")).fit(&x).unwrap_err();
    assert!(words(overflow).contains("1e37"));
    let steep = RandomFourierFeatures::new(3).gamma(-1.0).fit(&x).unwrap_err();
    assert!(words(steep).contains("gamma of 0 or more"));
    let weights = [1.0; 10];
    let weighted = Nystroem::new(3).fit_with(&x, Fit::default().sample_weight(&weights)).unwrap_err();
    assert!(words(weighted).contains("no sample weights"));
}

#[test]
fn fourier_features_are_the_cosines_of_their_frequencies() {
    let x = matrix(40, 6, 7);
    for (name, device) in devices() {
        let model = RandomFourierFeatures::new(33).gamma(0.8).seed(5).fit(&x.to(device).unwrap()).unwrap();
        let z = model.transform(&x.to(device).unwrap()).unwrap().to_matrix(&mut device.stream()).unwrap();
        for row in 0..40 {
            for at in 0..33 {
                let angle: f64 =
                    (0..6).map(|c| f64::from(x.get(row, c)) * f64::from(model.random_weights().get(c, at))).sum();
                let expected = (2.0_f64 / 33.0).sqrt() * (angle + model.random_offset()[at]).cos();
                assert!((f64::from(z.get(row, at)) - expected).abs() < 1e-6, "{name}");
            }
        }
    }
}

#[test]
fn fourier_features_approach_the_gaussian_as_they_become_more() {
    let x = matrix(60, 4, 2);
    let exact = gram(&Kernel::rbf(0.5), &x, &x);
    let mean_error = |m: usize| {
        let z = RandomFourierFeatures::new(m).gamma(0.5).fit(&x).unwrap().transform(&x).unwrap();
        let off: Vec<f64> = products(&z, &z).iter().zip(&exact).map(|(a, b)| (a - b).powi(2)).collect();
        (off.iter().sum::<f64>() / off.len() as f64).sqrt()
    };
    let (few, many) = (mean_error(100), mean_error(10_000));
    // The error falls as 1/√m, and is at most √(1/m) or so.
    assert!(few < 0.15 && many < 0.015 && many < few / 4.0, "{few} and {many}");
}

#[test]
fn a_named_width_comes_from_the_rows() {
    let x = datasets::iris().unwrap().x;
    let named = RandomFourierFeatures::new(5).gamma(gristmill::kernel_methods::Gamma::Auto).fit(&x).unwrap();
    let number = RandomFourierFeatures::new(5).gamma(0.25).fit(&x).unwrap();
    assert_eq!(named.random_weights(), number.random_weights());
    let entry = gristmill::registry::find("random-fourier-features").unwrap().estimator();
    assert!(entry.set("gamma", "scale".into()).is_ok());
    let error = entry.set("gamma", "wide".into()).unwrap_err().to_string();
    assert!(error.contains("scale or auto"), "{error}");
}

/// The program of the notes (000 §3.3.15): rows of unit length, the squared kernel, 64 of 100 eigenpairs of the full matrix, then
/// 2500 subgradient steps of a one-vs-all hinge with .1·‖W‖² and a fixed step of .1, from normal numbers that nobody knows any more.
/// It prints 0.95 on the fitted and 0.63 on the other rows. The step is too long to converge, so that where it stands depends on the
/// start: from thirty starts NumPy in f64 is at 0.94 to 1.00 and 0.55 to 0.66. Here it is run from six, and all are within that.
///
/// MNIST is not part of the repository: the folder of its four files is named by `GRISTMILL_MNIST`.
#[test]
fn the_notes_nystroem_on_a_hundred_digits_is_in_its_band() {
    let Some(folder) = std::env::var_os("GRISTMILL_MNIST").map(std::path::PathBuf::from) else { return };
    let read = |name: &str, skip: usize, size: usize, rows: std::ops::Range<usize>| -> Vec<u8> {
        let mut bytes = vec![];
        let file = std::fs::File::open(folder.join(name)).unwrap();
        std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(file), &mut bytes).unwrap();
        bytes[skip + rows.start * size..skip + rows.end * size].to_vec()
    };
    let part = |rows: std::ops::Range<usize>| {
        let pixels = read("train-images-idx3-ubyte.gz", 16, 784, rows.clone());
        let x = Matrix::from_vec(100, 784, pixels.iter().map(|&pixel| f32::from(pixel) / 256.0).collect()).unwrap();
        let labels = read("train-labels-idx1-ubyte.gz", 8, 1, rows);
        (Normalizer::default().fit(&x).unwrap().transform(&x).unwrap(), labels)
    };
    let ((x, y), (other, other_y)) = (part(0..100), part(50_000..50_100));
    let map = Nystroem::new(64).kernel(kernel("linear^2")).landmarks(Landmarks::All).fit(&x).unwrap();
    let (z, other_z) = (map.transform(&x).unwrap().to_dmatrix(), map.transform(&other).unwrap().to_dmatrix());
    let sign = nalgebra::DMatrix::from_fn(100, 10, |row, class| if usize::from(y[row]) == class { 1.0 } else { -1.0 });
    let scores = |z: &nalgebra::DMatrix<f64>, w: &nalgebra::DMatrix<f64>, b: &nalgebra::RowDVector<f64>| {
        let mut f = z * w;
        f.row_iter_mut().for_each(|mut row| row += b);
        f
    };
    let accuracy = |f: nalgebra::DMatrix<f64>, y: &[u8]| {
        (0..100).filter(|&row| f.row(row).transpose().argmax().0 == usize::from(y[row])).count()
    };
    let run = |start: u64| {
        let mut uniforms = numbers(2 * 650, start).into_iter().map(|value| (f64::from(value) + 1.0) / 2.0);
        let mut normal = || {
            let (radius, angle) = (uniforms.next().unwrap() + 1e-9, uniforms.next().unwrap());
            (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
        };
        let mut w = nalgebra::DMatrix::from_fn(64, 10, |_, _| normal());
        let mut b = nalgebra::RowDVector::from_fn(10, |_, _| normal());
        for _ in 0..2500 {
            let f = scores(&z, &w, &b);
            let slope = f.zip_map(&sign, |f, sign| if sign * f < 1.0 { -sign / 1000.0 } else { 0.0 });
            w = &w * 0.98 - z.tr_mul(&slope) * 0.1;
            b -= slope.row_sum() * 0.1;
        }
        (accuracy(scores(&z, &w, &b), &y), accuracy(scores(&other_z, &w, &b), &other_y))
    };
    for (fitted, new) in (1..=6).map(run) {
        assert!((93..=100).contains(&fitted) && (54..=67).contains(&new), "{fitted} and {new} of 100");
    }
}
