use gristmill::decomposition::Pca;
use gristmill::decomposition::*;
use gristmill::estimator::Estimator;
use gristmill::linalg::Svd;
use gristmill::ops::{self, random::philox::Draw};
use gristmill::prelude::*;
use nalgebra::DMatrix;

fn uniforms(count: usize, seed: u64) -> Vec<f32> {
    let mut stream = Device::Cpu.stream();
    ops::random_uniforms(&mut stream, Draw::new(seed, 0), count).unwrap().to_vec(&mut stream).unwrap()
}

/// The sine of the largest angle between what the rows of two matrices span.
fn angle(a: &DMatrix<f64>, b: &DMatrix<f64>) -> f64 {
    let basis = |matrix: &DMatrix<f64>| matrix.transpose().qr().q();
    let cosines = (basis(a).transpose() * basis(b)).svd(false, false).singular_values;
    (1.0 - cosines.min().min(1.0).powi(2)).max(0.0).sqrt()
}

fn mean_square(x: &Matrix, back: &Matrix) -> f64 {
    let squares = x.as_slice().iter().zip(back.as_slice()).map(|(a, b)| f64::from(a - b).powi(2));
    squares.sum::<f64>() / x.as_slice().len() as f64
}

#[test]
fn a_dictionary_smaller_than_the_columns_spans_the_leading_singular_vectors() {
    let wine = gristmill::preprocessing::StandardScaler::default();
    let data = datasets::wine().unwrap();
    let x = wine.fit(&data.x).unwrap().transform(&data.x).unwrap();
    let least = DictionaryLearning::new(3).fit_algorithm(DictionarySolver::LeastSquares).transform_n_nonzero_coefs(3);
    let model = least.max_iter(300).tol(0.0).fit(&x).unwrap();
    let svd = Svd::factor(&x.to_dmatrix()).unwrap();
    let leading = svd.v().columns(0, 3).transpose();
    assert!(angle(&model.dictionary().to_dmatrix(), &leading) < 1e-3);
    // The columns have mean 0, so that components are singular vectors: PCA is the leading dictionary.
    let pca = Pca::default().n_components(3).fit(&x).unwrap();
    assert!(angle(&model.dictionary().to_dmatrix(), &pca.components()) < 1e-3);
    let best = data.x.rows() as f64 * model.objective().last().unwrap();
    let rest: f64 = svd.values().iter().skip(3).map(|value| value * value).sum();
    assert!((best - rest).abs() < 1e-3 * rest, "{best} for {rest}");
}

#[test]
fn one_atom_with_the_code_1_is_k_means() {
    let iris = datasets::iris().unwrap();
    let model = KSvd::new(3).unit_codes(true).max_iter(300).seed(4).fit(&iris.x).unwrap();
    let start = model.dictionary().clone();
    let init = gristmill::cluster::Init::Centers(start);
    let means = KMeans::new(3).init(init).tol(0.0).fit(&iris.x).unwrap();
    // Lloyd's iterations from there do not move: it is a fixed point of k-means.
    assert_eq!(means.iterations(), 1);
    let codes = model.transform(&iris.x).unwrap();
    for row in 0..150 {
        assert_eq!(codes.row(row).iter().sum::<f32>(), 1.0);
        assert_eq!(codes.get(row, means.labels()[row] as usize), 1.0);
    }
    let expected = means.inertia() / (150.0 * 4.0);
    assert!((model.objective().last().unwrap() - expected).abs() < 1e-6);
}

/// Rows that are sums of two of k atoms.
fn sparse_rows(n: usize, k: usize, d: usize) -> (Matrix, DMatrix<f64>) {
    let values = uniforms(k * d, 1);
    let mut atoms = DMatrix::from_fn(k, d, |row, column| f64::from(values[row * d + column]) - 0.5);
    atoms.row_iter_mut().for_each(|mut row| {
        let norm = row.norm();
        row /= norm;
    });
    let draws = uniforms(4 * n, 2);
    let rows = DMatrix::from_fn(n, d, |row, column| {
        let of = |at: usize| f64::from(draws[4 * row + at]);
        let (first, second) = ((of(0) * k as f64) as usize % k, (of(1) * k as f64) as usize % k);
        // Signs of both kinds: atoms with one sign each could all be moved together.
        let size = |value: f64| if value < 0.5 { -0.5 - value } else { value };
        size(of(2)) * atoms[(first, column)] + size(of(3)) * atoms[(second, column)]
    });
    (Matrix::from_dmatrix_f64(&rows).unwrap(), atoms)
}

#[test]
fn k_svd_finds_the_atoms_that_rows_are_made_of() {
    let (x, atoms) = sparse_rows(1500, 20, 12);
    let model = KSvd::new(20).n_nonzero_coefs(2).max_iter(60).tol(1e-7).seed(1).fit(&x).unwrap();
    let likeness = (&atoms * model.dictionary().to_dmatrix().transpose()).abs();
    let found = likeness.row_iter().filter(|row| row.max() > 0.99).count();
    assert!(found >= 17, "{found} of 20 atoms");
    let falls = model.objective().windows(2).filter(|pair| pair[1] > 1.02 * pair[0]).count();
    assert!(falls <= 1, "{:?}", model.objective());
    let lengths = model.dictionary().to_dmatrix();
    assert!(lengths.row_iter().all(|row| (row.norm() - 1.0).abs() < 1e-5));
}

#[test]
fn the_choice_of_samples_by_the_largest_coefficients_describes_rows_too() {
    let digits = datasets::digits().unwrap();
    let x = digits.x.select(&(0..300).collect::<Vec<_>>()).unwrap();
    let variance: f64 = mean_square(&x, &Matrix::zeros(300, 64).unwrap());
    for samples in [AtomSamples::Users, AtomSamples::Largest] {
        let model = KSvd::new(24).n_nonzero_coefs(4).samples(samples).max_iter(8).tol(0.0).fit(&x).unwrap();
        let back = model.inverse_transform(&model.transform(&x).unwrap()).unwrap();
        let share = mean_square(&x, &back) / variance;
        assert!(share < 0.15, "{samples:?}: {share}");
    }
}

#[test]
fn the_objective_of_dictionary_learning_falls_and_batches_reach_it() {
    let digits = datasets::digits().unwrap();
    let x = digits.x.select(&(0..500).collect::<Vec<_>>()).unwrap();
    let learning = DictionaryLearning::new(20).alpha(4.0).max_iter(30);
    let model = learning.clone().fit(&x).unwrap();
    assert!(model.objective().windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-4)), "{:?}", model.objective());
    let dictionary = model.dictionary().to_dmatrix();
    assert!(dictionary.row_iter().all(|row| row.norm() < 1.0 + 1e-5));
    let online = learning.clone().batch_size(100).max_iter(15).fit(&x).unwrap();
    let (whole, parts) = (model.objective().last().unwrap(), online.objective().last().unwrap());
    assert!(*parts < 1.1 * whole, "{parts} for {whole}");
    let mut chunked: Option<DictionaryLearningModel> = None;
    for _ in 0..5 {
        for first in (0..500).step_by(100) {
            let chunk = x.select(&(first..first + 100).collect::<Vec<_>>()).unwrap();
            let rows = gristmill::estimator::Rows::from(&chunk);
            chunked = Some(learning.partial_fit_rows(chunked, rows, (), Fit::default()).unwrap());
        }
    }
    let objectives = chunked.unwrap().objective().to_vec();
    let mean = |range: std::ops::Range<usize>| objectives[range].iter().sum::<f64>() / 5.0;
    assert!(mean(20..25) < 0.92 * mean(0..5), "{objectives:?}");
}

#[test]
fn the_lectures_program_keeps_the_codes_it_says() {
    let digits = datasets::digits().unwrap();
    let x = digits.x.select(&(0..100).collect::<Vec<_>>()).unwrap();
    let settings =
        DictionaryLearning::new(64).fit_algorithm(DictionarySolver::LeastSquares).transform_n_nonzero_coefs(32);
    let model = settings.max_iter(50).fit(&x).unwrap();
    assert!(model.objective().last().unwrap() <= &model.objective()[1]);
    let codes = model.transform(&x).unwrap();
    assert!((0..100).all(|row| codes.row(row).iter().filter(|code| **code != 0.0).count() <= 32));
}

#[test]
fn codes_by_a_penalty_meet_its_conditions_and_a_threshold_is_soft() {
    let (x, atoms) = sparse_rows(60, 15, 10);
    let dictionary = Matrix::from_dmatrix_f64(&atoms).unwrap();
    let lasso = SparseCoder::default().transform_algorithm(CodingAlgorithm::LassoCd).transform_alpha(0.3);
    let codes = lasso.fit(&dictionary).unwrap().transform(&x).unwrap().to_dmatrix();
    let slopes = (x.to_dmatrix() - &codes * &atoms) * atoms.transpose();
    for (code, slope) in codes.iter().zip(slopes.iter()) {
        let off = if *code == 0.0 { (slope.abs() - 0.3).max(0.0) } else { (slope - 0.3 * code.signum()).abs() };
        assert!(off < 1e-3, "{code}: {slope}");
    }
    let threshold = SparseCoder::default().transform_algorithm(CodingAlgorithm::Threshold).transform_alpha(0.3);
    let codes = threshold.fit(&dictionary).unwrap().transform(&x).unwrap();
    let products = x.to_dmatrix() * atoms.transpose();
    for (row, column) in (0..60).flat_map(|row| (0..15).map(move |column| (row, column))) {
        let product = products[(row, column)];
        let soft = product.signum() * (product.abs() - 0.3).max(0.0);
        assert!((f64::from(codes.get(row, column)) - soft).abs() < 1e-5);
    }
}
