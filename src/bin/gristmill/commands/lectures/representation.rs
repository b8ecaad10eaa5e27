//! Density and representation: 000 §2.6 and §6.1, 001 §8, 002.

use gristmill::decomposition::{AtomSamples, DictionarySolver};
use gristmill::linalg::Svd;
use gristmill::linear::LeastSquaresClassifier;
use gristmill::mixture::CovarianceType;
use gristmill::prelude::*;

use super::book::Experiment;

pub fn experiments() -> Result<Vec<Experiment>> {
    Ok(vec![program()?, singular_vectors()?, one_sparse()?, samples()?, mixture()?, regression_on_codes()?])
}

/// Every fourteenth image of the digits.
fn images() -> Result<Dataset> {
    let digits = datasets::digits()?;
    let some: Vec<usize> = (0..digits.rows()).step_by(14).collect();
    digits.select(&some)
}

fn mean_square(a: &Matrix, b: &Matrix) -> f64 {
    let squares = a.as_slice().iter().zip(b.as_slice()).map(|(a, b)| f64::from(a - b).powi(2));
    squares.sum::<f64>() / a.rows() as f64
}

/// The lecture's program with all codes, or with some.
fn least_squares(atoms: usize, codes: usize) -> DictionaryLearning {
    let program = DictionaryLearning::new(atoms).fit_algorithm(DictionarySolver::LeastSquares);
    program.transform_n_nonzero_coefs(codes).max_iter(50).tol(0.0)
}

fn program() -> Result<Experiment> {
    let model = least_squares(32, 16).fit(&images()?.x)?;
    let objective = model.objective();
    let (first, last) = (objective[0], objective[objective.len() - 1]);
    let ours =
        format!("32 atoms, 16 codes a row: {first:.1} after the first round, {last:.1} after {}", objective.len());
    Ok(Experiment::new("000 §2.6", "A dictionary by least squares and a soft threshold", "pictures of atoms", ours)
        .why("the notes print D = XAᵀAAᵀ; the inverse of AAᵀ is meant, as in their program"))
}

fn singular_vectors() -> Result<Experiment> {
    let x = images()?.x;
    let model = least_squares(8, 8).max_iter(200).fit(&x)?;
    let found = model.objective()[model.objective().len() - 1];
    let values = Svd::factor(&x.to_dmatrix())?.values().clone();
    let rest: f64 = values.iter().skip(8).map(|value| value * value).sum();
    let ours =
        format!("mean square {found:.3} by eight atoms, {:.3} by eight singular vectors", rest / x.rows() as f64);
    Ok(Experiment::new("000 §2.6.1", "Fewer atoms than columns", "the leading singular vectors", ours))
}

fn one_sparse() -> Result<Experiment> {
    let x = images()?.x;
    let atoms = KSvd::new(10).unit_codes(true).max_iter(100).tol(0.0).fit(&x)?;
    let nearest = atoms.inverse_transform(&atoms.transform(&x)?)?;
    let start = Init::Centers(atoms.dictionary().clone());
    let means = KMeans::new(10).init(start).fit(&x)?;
    let ours = format!(
        "mean square {:.3}; {:.3} after more of k-means from there",
        mean_square(&nearest, &x),
        means.inertia() / x.rows() as f64
    );
    Ok(Experiment::new("000 §2.6.4", "One code of 1 for each row", "k-means", ours))
}

fn samples() -> Result<Experiment> {
    let x = images()?.x;
    let last = |samples: AtomSamples| -> Result<f64> {
        let model = KSvd::new(32).n_nonzero_coefs(4).max_iter(15).samples(samples).fit(&x)?;
        Ok(model.objective()[model.objective().len() - 1])
    };
    let (users, largest) = (last(AtomSamples::Users)?, last(AtomSamples::Largest)?);
    let ours = format!("objective {users:.2} by the rows that use an atom, {largest:.2} by the largest coefficients");
    Ok(Experiment::new("000 §2.6.2", "Which rows K-SVD fits an atom to", "the largest |v₁|", ours)
        .why("the usual choice is the rows that use the atom; the notes do not say how many are largest"))
}

fn mixture() -> Result<Experiment> {
    let moons = datasets::notes::two_moons(4)?;
    let model = GaussianMixture::new(5).covariance_type(CovarianceType::Diag).tol(0.0).max_iter(50).fit(&moons.x)?;
    let mean = model.score_samples(&moons.x)?.iter().sum::<f64>() / moons.rows() as f64;
    let predicted = model.predict(&moons.x)?;
    let together = metrics::adjusted_rand_score(moons.labels()?.codes(), &predicted)?;
    let ours = format!("mean log-density {mean:.3}; components against moons, adjusted Rand index {together:.2}");
    Ok(Experiment::new("000 §6.1.3", "Two moons by five diagonal Gaussians", "filled contours", ours)
        .why("the notes' program has neither ½ nor a normaliser, and adds 1e-4 to the sums"))
}

fn regression_on_codes() -> Result<Experiment> {
    let (train, test) = datasets::digits()?.split(0.5, 1)?;
    let model = DictionaryLearning::new(32).alpha(5.0).max_iter(10).fit(&train.x)?;
    let score = |own: &Matrix, other: &Matrix| -> Result<f64> {
        let classifier = LeastSquaresClassifier::default().fit(own, train.labels()?)?;
        classifier.score(other, test.labels()?)
    };
    let pixels = score(&train.x, &test.x)?;
    let codes = score(&model.transform(&train.x)?, &model.transform(&test.x)?)?;
    let ours = format!("{:.1} % of digits right by 64 pixels, {:.1} % by 32 codes", 100.0 * pixels, 100.0 * codes);
    Ok(Experiment::new("000 §2.6.3", "Regression on codes instead of rows", "an exercise", ours))
}
