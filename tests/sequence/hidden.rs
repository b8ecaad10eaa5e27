use gristmill::prelude::*;
use gristmill::sequence::{CovarianceKind, Emissions, HiddenMarkov, HiddenMarkovModel, Observations};
use nalgebra::DMatrix;

/// Rows of numbers, with a semicolon behind each but the last.
macro_rules! dmatrix {
    ($($($value:expr),+);+) => {{
        let rows = [$(vec![$($value as f64),+]),+];
        DMatrix::from_row_slice(rows.len(), rows[0].len(), &rows.concat())
    }};
}

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-6 * expected.abs().max(1.0), "{found} instead of {expected}");
}

fn weather() -> HiddenMarkovModel {
    let emissions = Emissions::discrete(&[0, 1, 2], dmatrix![0.1, 0.4, 0.5; 0.6, 0.3, 0.1]).unwrap();
    HiddenMarkovModel::new(vec![0.6, 0.4], dmatrix![0.7, 0.3; 0.4, 0.6], emissions).unwrap()
}

fn walks() -> Observations {
    Observations::symbols(&[vec![0, 1, 2, 2, 0, 1, 1, 0, 2, 2, 2, 0], vec![0, 0, 1, 0, 2, 2, 1, 2]])
}

/// Numbers of hmmlearn 0.3.3 for its example of weather and activities.
#[test]
fn symbols_score_decode_and_smooth_as_in_hmmlearn() {
    let (model, seen) = (weather(), walks());
    near(model.log_likelihood(&seen).unwrap(), -22.392528235417064);
    let (log_probability, paths) = model.decode(&seen).unwrap();
    near(log_probability, -27.116534305757334);
    assert_eq!(paths, [vec![1, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 1], vec![1, 1, 1, 1, 0, 0, 0, 0]]);
    let posterior = model.predict_proba(&seen).unwrap();
    for (sequence, step, expected) in
        [(0, 0, 0.2335463165146921), (0, 5, 0.5411042464849561), (1, 0, 0.13454676322373815), (1, 7, 0.890401479074279)]
    {
        near(posterior[sequence][(step, 0)], expected);
        near(posterior[sequence].row(step).sum(), 1.0);
    }
}

#[test]
fn symbols_are_fitted_as_in_hmmlearn() {
    let model = HiddenMarkov::new(2).n_iter(20).fit_from(&weather(), &walks()).unwrap();
    let history = model.history();
    assert_eq!(history.len(), 20);
    let some = [(0, -22.392528235417064), (1, -20.543688041732967), (9, -19.783305041742732), (19, -19.4577984898123)];
    some.iter().for_each(|(at, expected)| near(history[*at], *expected));
    assert!(history.is_sorted());
    near(model.initial()[1], 1.0);
    near(model.transitions()[(0, 0)], 0.9083883712140087);
    near(model.transitions()[(1, 0)], 0.8010881322393946);
    let Emissions::Discrete { probabilities, .. } = model.emissions() else { panic!() };
    near(probabilities[(0, 0)], 0.19865681938448895);
    near(probabilities[(1, 1)], 0.053455317796533494);
    near(model.log_likelihood(&walks()).unwrap(), -19.409727759784428);
}

/// hmmlearn's example of four rooms: its means and transitions, with fixed steps around the means.
fn rooms() -> (DMatrix<f64>, Observations) {
    let means = dmatrix![0.0, 0.0; 0.0, 11.0; 9.0, 10.0; 11.0, -1.0];
    let path = [0, 0, 1, 1, 1, 2, 2, 3, 3, 3, 0, 0, 0, 1, 2, 2, 3, 3, 0, 0, 1, 1, 2, 3];
    let x = DMatrix::from_fn(24, 2, |step, column| {
        let t = step as f64;
        let around = if column == 0 { (3.0 * t).sin() * 0.6 } else { (5.0 * t + 1.0).cos() * 0.7 };
        ((means[(path[step], column)] + around) * 64.0).round_ties_even() / 64.0
    });
    (means, Observations::numbers(x))
}

#[test]
fn numbers_score_and_decode_as_in_hmmlearn() {
    let (means, x) = rooms();
    let covariances = vec![DMatrix::identity(2, 2) * 0.5; 4];
    let emissions = Emissions::Gaussian { means, covariances, kind: CovarianceKind::Full };
    let transitions = dmatrix![0.7, 0.2, 0.0, 0.1; 0.3, 0.5, 0.2, 0.0; 0.0, 0.3, 0.5, 0.2; 0.2, 0.0, 0.2, 0.6];
    let model = HiddenMarkovModel::new(vec![0.6, 0.3, 0.1, 0.0], transitions, emissions).unwrap();
    near(model.log_likelihood(&x).unwrap(), -62.146031455154365);
    let (log_probability, paths) = model.decode(&x).unwrap();
    near(log_probability, -62.146031455154365);
    assert_eq!(paths[0], [0, 0, 1, 1, 1, 2, 2, 3, 3, 3, 0, 0, 0, 1, 2, 2, 3, 3, 0, 0, 1, 1, 2, 3]);
}

#[test]
fn numbers_are_fitted_as_in_hmmlearn() {
    let (means, x) = rooms();
    let shifted = DMatrix::from_fn(4, 2, |row, column| means[(row, column)] + [0.5, -0.4][column]);
    let cases = [
        (CovarianceKind::Diagonal, [-99.01435476384721, -42.90473478257482, -42.904732357920466], 0.0),
        (CovarianceKind::Full, [-99.01435476384721, -41.128623541733745, -41.128619377283414], -0.01055230034722143),
    ];
    for (kind, history, across) in cases {
        let covariances = vec![DMatrix::identity(2, 2) * 2.0; 4];
        let emissions = Emissions::Gaussian { means: shifted.clone(), covariances, kind };
        let start = HiddenMarkovModel::new(vec![0.25; 4], DMatrix::from_element(4, 4, 0.25), emissions).unwrap();
        let params = HiddenMarkov::new(4).covariance_type(kind).n_iter(15).tol(1e-3);
        let model = params.fit_from(&start, &x).unwrap();
        assert!(model.converged() && model.history().len() == 3);
        model.history().iter().zip(history).for_each(|(found, expected)| near(*found, expected));
        let Emissions::Gaussian { means, covariances, .. } = model.emissions() else { panic!() };
        near(means[(2, 0)], 8.978125);
        near(means[(3, 1)], -1.2473958333333333);
        near(covariances[0][(0, 0)], 0.1720280612244898);
        near(covariances[3][(1, 1)], 0.17577284071180566);
        near(covariances[3][(0, 1)], across);
        near(model.transitions()[(3, 0)], 0.4);
    }
}

#[test]
fn the_likelihood_never_falls_and_the_truth_is_found_again() {
    let truth = {
        let emissions = Emissions::discrete(&["a", "b", "c"], dmatrix![0.8, 0.1, 0.1; 0.1, 0.2, 0.7]).unwrap();
        HiddenMarkovModel::new(vec![1.0, 0.0], dmatrix![0.95, 0.05; 0.1, 0.9], emissions).unwrap()
    };
    let (seen, states) = truth.sample(3000, 1).unwrap();
    for seed in 0..3 {
        let fitted = HiddenMarkov::new(2).n_iter(100).tol(1e-4).seed(seed).fit(&seen).unwrap();
        let falls = fitted.history().windows(2).filter(|pair| pair[1] < pair[0] - 1e-9).count();
        assert_eq!(falls, 0, "{:?}", fitted.history());
        assert!(fitted.log_likelihood(&seen).unwrap() > truth.log_likelihood(&seen).unwrap() - 1.0);
        let (_, paths) = fitted.decode(&seen).unwrap();
        let same = paths[0].iter().zip(&states).filter(|(a, b)| a == b).count();
        assert!(same.max(3000 - same) > 2500, "{same}");
        assert_eq!(fitted, HiddenMarkov::new(2).n_iter(100).tol(1e-4).seed(seed).fit(&seen).unwrap());
    }
    // Numbers, without the prior that is no part of the likelihood.
    let (means, x) = rooms();
    let fitted = HiddenMarkov::new(4).covars_prior(0.0).n_iter(30).tol(1e-9).fit(&x).unwrap();
    assert!(fitted.history().windows(2).all(|pair| pair[1] >= pair[0] - 1e-9), "{:?}", fitted.history());
    let Emissions::Gaussian { means: found, .. } = fitted.emissions() else { panic!() };
    for row in means.row_iter() {
        assert!(found.row_iter().any(|other| (row - other).norm() < 0.6), "{found}");
    }
}

#[test]
fn long_and_unlikely_sequences_do_not_underflow() {
    let emissions = Emissions::Gaussian {
        means: dmatrix![0.0; 1e3],
        covariances: vec![dmatrix![1e-4]; 2],
        kind: CovarianceKind::Diagonal,
    };
    let model = HiddenMarkovModel::new(vec![0.5, 0.5], dmatrix![0.5, 0.5; 0.5, 0.5], emissions).unwrap();
    let far = Observations::numbers(DMatrix::from_element(20_000, 1, 400.0));
    let (log_likelihood, posterior) = (model.log_likelihood(&far).unwrap(), model.predict_proba(&far).unwrap());
    // Each step: ½ of a density whose logarithm is −½·(ln 2π10⁻⁴ + 400²·10⁴).
    let step = 0.5_f64.ln() - 0.5 * ((std::f64::consts::TAU * 1e-4).ln() + 16e8);
    near(log_likelihood / 2e4, step);
    assert!(posterior[0].column(0).iter().all(|share| (share - 1.0).abs() < 1e-12));
}

#[test]
fn what_does_not_fit_is_refused() {
    let model = weather();
    let unknown = model.log_likelihood(&Observations::symbols(&[vec![0], vec![1, 9]])).unwrap_err();
    assert_eq!(unknown, Error::Symbol { sequence: 1, position: 1, symbol: "9".into(), known: 3 });
    assert!(model.decode(&Observations::numbers(dmatrix![1.0])).unwrap_err().to_string().contains("symbols"));
    assert!(model.decode(&Observations::symbols::<u8>(&[vec![]])).is_err());
    let infinite = HiddenMarkov::new(1).fit(&Observations::numbers(dmatrix![1.0; f64::NAN])).unwrap_err();
    assert!(infinite.to_string().contains("row 1"), "{infinite}");
    let emissions = model.emissions().clone();
    let row = HiddenMarkovModel::new(vec![0.6, 0.4], dmatrix![0.7, 0.2; 0.4, 0.6], emissions.clone()).unwrap_err();
    assert!(row.to_string().contains("from state 0: the probabilities sum to 0.9"), "{row}");
    assert!(HiddenMarkovModel::new(vec![1.0], dmatrix![1.0], emissions).is_err());
    assert!(HiddenMarkov::new(0).fit(&walks()).is_err());
    assert!(HiddenMarkov::new(3).fit_from(&model, &walks()).is_err());
}
