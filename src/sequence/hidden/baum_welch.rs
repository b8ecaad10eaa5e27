//! Fitting by expectation maximisation (Baum and Welch).

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

use super::emissions::{CovarianceKind, Emissions};
use super::forward_backward::{Smoothed, forward_backward};
use super::model::HiddenMarkovModel;
use super::{HiddenMarkov, Observations};
use crate::array::Matrix;
use crate::cluster::KMeans;
use crate::cpu::random::HostRng;
use crate::error::{Error, Result};
use crate::sequence::symbols::Symbols;

/// The stream of random numbers of first parameters.
const START: u32 = 0x484d_4d53;
/// The least variance that a first covariance has.
const LEAST_VARIANCE: f64 = 1e-3;

/// First parameters: any state follows any other.
pub(super) fn start(params: &HiddenMarkov, observations: &Observations) -> Result<HiddenMarkovModel> {
    observations.check()?;
    let states = params.n_components;
    let even = 1.0 / states as f64;
    let emissions = match observations {
        Observations::Symbols(sequences) => {
            let mut symbols = Symbols::default();
            sequences.iter().flatten().for_each(|symbol| {
                symbols.add(symbol);
            });
            let mut random = HostRng::new(params.seed, START);
            let mut probabilities = DMatrix::from_fn(states, symbols.len(), |_, _| 0.1 + random.uniform());
            probabilities.row_iter_mut().for_each(|mut row| row /= row.sum());
            Emissions::Discrete { symbols, probabilities }
        }
        Observations::Numbers(sequences) => gaussian_start(params, sequences)?,
    };
    HiddenMarkovModel::new(vec![even; states], DMatrix::from_element(states, states, even), emissions)
}

/// Means by k-means, covariances of all observations.
fn gaussian_start(params: &HiddenMarkov, sequences: &[DMatrix<f64>]) -> Result<Emissions> {
    let (states, columns) = (params.n_components, sequences[0].ncols());
    let rows: usize = sequences.iter().map(DMatrix::nrows).sum();
    if rows < states {
        return Err(Error::shape("HiddenMarkov", format!("at least {states} steps, one a state"), rows));
    }
    let all = || sequences.iter().flat_map(|sequence| sequence.row_iter());
    let mean: DVector<f64> = all().fold(DVector::zeros(columns), |sum, row| sum + row.transpose()) / rows as f64;
    let mut covariance = DMatrix::zeros(columns, columns);
    for row in all() {
        let shifted = row.transpose() - &mean;
        covariance += &shifted * shifted.transpose() / rows as f64;
    }
    if params.covariance_type == CovarianceKind::Diagonal {
        covariance = DMatrix::from_diagonal(&covariance.diagonal());
    }
    (0..columns).for_each(|at| covariance[(at, at)] += LEAST_VARIANCE);
    // Around their mean f32 keeps what tells the rows apart.
    let values =
        all().flat_map(|row| row.iter().zip(mean.iter()).map(|(x, mean)| (x - mean) as f32).collect::<Vec<_>>());
    let x = Matrix::from_vec(rows, columns, values.collect())?;
    let clusters = KMeans::new(states).n_init(4).seed(params.seed).fit(&x)?;
    let centers = clusters.cluster_centers();
    let means = DMatrix::from_fn(states, columns, |row, column| f64::from(centers.get(row, column)) + mean[column]);
    Ok(Emissions::Gaussian { means, covariances: vec![covariance; states], kind: params.covariance_type })
}

/// Raises the likelihood until it rises no more.
pub(super) fn fit(
    params: &HiddenMarkov,
    start: &HiddenMarkovModel,
    observations: &Observations,
) -> Result<HiddenMarkovModel> {
    observations.check()?;
    let mut model = start.clone();
    model.history.clear();
    model.converged = false;
    for _ in 0..params.n_iter {
        let passes = passes(&model, observations)?;
        let log_likelihood: f64 = passes.iter().map(|pass| pass.log_likelihood).sum();
        model = maximised(params, model, observations, &passes)?;
        let before = model.history.last().copied();
        model.history.push(log_likelihood);
        if before.is_some_and(|before| log_likelihood - before < params.tol) {
            model.converged = true;
            break;
        }
    }
    if !model.converged {
        log::warn!("HiddenMarkov: not converged after {} iterations; raise n_iter", params.n_iter);
    }
    Ok(model)
}

/// A pass over each sequence; one that is impossible has nothing to learn from.
fn passes(model: &HiddenMarkovModel, observations: &Observations) -> Result<Vec<Smoothed>> {
    let pass = |sequence: usize| {
        let densities = model.emissions.log_densities(observations, sequence)?;
        let pass = forward_backward(&model.initial, &model.transitions, &densities);
        match pass.impossible {
            Some(step) => {
                let why = "no state of the start can emit this here; give each a probability above 0";
                Err(Error::Process { place: format!("sequence {sequence}, position {step}"), why: why.to_string() })
            }
            None => Ok(pass),
        }
    };
    (0..observations.len()).into_par_iter().map(pass).collect()
}

/// The parameters that the expected counts make likeliest.
fn maximised(
    params: &HiddenMarkov,
    model: HiddenMarkovModel,
    observations: &Observations,
    passes: &[Smoothed],
) -> Result<HiddenMarkovModel> {
    let states = model.initial.len();
    let mut initial = vec![0.0; states];
    let mut transitions = DMatrix::zeros(states, states);
    for pass in passes {
        initial.iter_mut().zip(pass.posterior.row(0).iter()).for_each(|(sum, share)| *sum += share);
        transitions += &pass.transitions;
    }
    let total: f64 = initial.iter().sum();
    initial.iter_mut().for_each(|share| *share /= total);
    for state in 0..states {
        let total = transitions.row(state).sum();
        // A state that was never left keeps what it had.
        match total > 0.0 {
            true => transitions.row_mut(state).iter_mut().for_each(|share| *share /= total),
            false => transitions.set_row(state, &model.transitions.row(state)),
        }
    }
    let emissions = match (model.emissions, observations) {
        (Emissions::Discrete { symbols, probabilities }, Observations::Symbols(sequences)) => {
            let mut counts = DMatrix::zeros(states, symbols.len());
            for (pass, sequence) in passes.iter().zip(sequences) {
                for (step, symbol) in sequence.iter().enumerate() {
                    let Some(code) = symbols.code(symbol) else { continue };
                    (0..states).for_each(|state| counts[(state, code as usize)] += pass.posterior[(step, state)]);
                }
            }
            for state in 0..states {
                let total = counts.row(state).sum();
                match total > 0.0 {
                    true => counts.row_mut(state).iter_mut().for_each(|share| *share /= total),
                    false => counts.set_row(state, &probabilities.row(state)),
                }
            }
            Emissions::Discrete { symbols, probabilities: counts }
        }
        (Emissions::Gaussian { means, covariances, kind }, Observations::Numbers(sequences)) => {
            gaussian(params, (means, covariances, kind), sequences, passes)
        }
        (other, _) => other,
    };
    Ok(HiddenMarkovModel { initial, transitions, emissions, history: model.history, converged: model.converged })
}

/// Weighted means and covariances, in two passes.
fn gaussian(
    params: &HiddenMarkov,
    (mut means, mut covariances, kind): (DMatrix<f64>, Vec<DMatrix<f64>>, CovarianceKind),
    sequences: &[DMatrix<f64>],
    passes: &[Smoothed],
) -> Emissions {
    let columns = means.ncols();
    for (state, own) in covariances.iter_mut().enumerate() {
        let weighted = || {
            let pairs = passes.iter().zip(sequences);
            pairs.flat_map(|(pass, x)| (0..x.nrows()).map(move |step| (pass.posterior[(step, state)], x.row(step))))
        };
        let total: f64 = weighted().map(|(weight, _)| weight).sum();
        if total <= 0.0 {
            continue;
        }
        let mut mean = DVector::<f64>::zeros(columns);
        weighted().for_each(|(weight, row)| mean.iter_mut().zip(row.iter()).for_each(|(sum, x)| *sum += weight * x));
        mean /= total;
        let mut covariance = DMatrix::<f64>::zeros(columns, columns);
        for (weight, row) in weighted() {
            for a in 0..columns {
                let first = weight * (row[a] - mean[a]);
                let others = if kind == CovarianceKind::Diagonal { a..a + 1 } else { 0..columns };
                others.for_each(|b| covariance[(a, b)] += first * (row[b] - mean[b]));
            }
        }
        (0..columns).for_each(|at| covariance[(at, at)] += params.covars_prior);
        *own = covariance / total.max(1e-5);
        means.set_row(state, &mean.transpose());
    }
    Emissions::Gaussian { means, covariances, kind }
}
