//! A hidden Markov model with its probabilities.

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::emissions::Emissions;
use super::forward_backward::forward_backward;
use super::observations::Observations;
use super::viterbi::viterbi;
use crate::cpu::random::HostRng;
use crate::error::{Error, Result};
use crate::linalg::Cholesky;
use crate::sequence::distribution::{check_distribution, drawn};

/// The stream of random numbers that samples are drawn by.
const SAMPLES: u32 = 0x484d_4d58;

/// A hidden Markov model with S states: fitted by [`HiddenMarkov`](super::HiddenMarkov), or made of given probabilities.
#[derive(Debug, Clone, PartialEq)]
pub struct HiddenMarkovModel {
    pub(super) initial: Vec<f64>,
    pub(super) transitions: DMatrix<f64>,
    pub(super) emissions: Emissions,
    pub(super) history: Vec<f64>,
    pub(super) converged: bool,
}

impl HiddenMarkovModel {
    /// A model of given probabilities: of the first state (S), of the next state after each (S×S), and what states emit. A
    /// row that is no distribution is an [`Error::Process`] that names it.
    ///
    /// ```
    /// use gristmill::nalgebra::DMatrix;
    /// use gristmill::sequence::{Emissions, HiddenMarkovModel, Observations};
    /// let probabilities = DMatrix::from_row_slice(2, 3, &[0.1, 0.4, 0.5, 0.6, 0.3, 0.1]);
    /// let emissions = Emissions::discrete(&["walk", "shop", "clean"], probabilities)?;
    /// let transitions = DMatrix::from_row_slice(2, 2, &[0.7, 0.3, 0.4, 0.6]);
    /// let weather = HiddenMarkovModel::new(vec![0.6, 0.4], transitions, emissions)?;
    /// let (log_probability, states) = weather.decode(&Observations::symbols(&[["walk", "shop", "clean"]]))?;
    /// assert_eq!(states[0], [1, 0, 0]); // sunny, rainy, rainy
    /// assert!((log_probability.exp() - 0.01344).abs() < 1e-12);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn new(initial: Vec<f64>, transitions: DMatrix<f64>, emissions: Emissions) -> Result<HiddenMarkovModel> {
        let states = initial.len();
        if transitions.shape() != (states, states) || emissions.states() != states || states == 0 {
            let expected = format!("{states}×{states} transitions and emissions of {states} states, at least one");
            let got = format!("{:?} and {}", transitions.shape(), emissions.states());
            return Err(Error::shape("HiddenMarkovModel", expected, got));
        }
        check_distribution("the initial probabilities", states, initial.iter())?;
        for state in 0..states {
            check_distribution(&format!("the transitions from state {state}"), states, transitions.row(state).iter())?;
        }
        emissions.check()?;
        Ok(HiddenMarkovModel { initial, transitions, emissions, history: vec![], converged: false })
    }

    /// The probabilities of the first state, S.
    pub fn initial(&self) -> &[f64] {
        &self.initial
    }

    /// The probability of the next state (column) after each (row), S×S.
    pub fn transitions(&self) -> &DMatrix<f64> {
        &self.transitions
    }

    /// What states emit.
    pub fn emissions(&self) -> &Emissions {
        &self.emissions
    }

    /// The log-likelihood before each iteration of the fit; empty for given probabilities.
    pub fn history(&self) -> &[f64] {
        &self.history
    }

    /// Whether the fit converged.
    pub fn converged(&self) -> bool {
        self.converged
    }

    /// The log-likelihood of sequences, in nats; −∞ if one is impossible. O(T·S²).
    pub fn log_likelihood(&self, observations: &Observations) -> Result<f64> {
        let each = self.each(observations, |densities| {
            forward_backward(&self.initial, &self.transitions, densities).log_likelihood
        })?;
        Ok(each.iter().sum())
    }

    /// The probability of each state at each step, T×S for each sequence, given the whole of it.
    pub fn predict_proba(&self, observations: &Observations) -> Result<Vec<DMatrix<f64>>> {
        self.each(observations, |densities| forward_backward(&self.initial, &self.transitions, densities).posterior)
    }

    /// The most likely path of states for each sequence (Viterbi), and the sum of the logarithms of their probabilities.
    pub fn decode(&self, observations: &Observations) -> Result<(f64, Vec<Vec<usize>>)> {
        let each = self.each(observations, |densities| viterbi(&self.initial, &self.transitions, densities))?;
        let sum = each.iter().map(|(log_probability, _)| log_probability).sum();
        Ok((sum, each.into_iter().map(|(_, path)| path).collect()))
    }

    /// A random sequence of `length` steps and its states; the same seed gives the same one.
    pub fn sample(&self, length: usize, seed: u64) -> Result<(Observations, Vec<usize>)> {
        let mut random = HostRng::new(seed, SAMPLES);
        let mut states: Vec<usize> = vec![];
        for _ in 0..length {
            let uniform = random.uniform();
            let state = match states.last() {
                None => drawn(self.initial.iter(), uniform),
                Some(last) => drawn(self.transitions.row(*last).iter(), uniform),
            };
            states.push(state.unwrap_or(0));
        }
        let observations = match &self.emissions {
            Emissions::Discrete { symbols, probabilities } => {
                let emit = |state: &usize| {
                    let code = drawn(probabilities.row(*state).iter(), random.uniform());
                    symbols.names()[code.unwrap_or(0)].clone()
                };
                Observations::Symbols(vec![states.iter().map(emit).collect()])
            }
            Emissions::Gaussian { means, covariances, .. } => {
                let columns = means.ncols();
                let lower = covariances.iter().map(|covariance| Ok(Cholesky::factor(covariance)?.lower()));
                let lower = lower.collect::<Result<Vec<DMatrix<f64>>>>()?;
                let mut x = DMatrix::zeros(length, columns);
                for (step, state) in states.iter().enumerate() {
                    let normals = nalgebra::DVector::from_fn(columns, |_, _| {
                        // Box and Muller's formula, in f64.
                        let (radius, angle) = (1.0 - random.uniform(), std::f64::consts::TAU * random.uniform());
                        (-2.0 * radius.ln()).sqrt() * angle.cos()
                    });
                    let drawn = &lower[*state] * normals;
                    (0..columns).for_each(|column| x[(step, column)] = means[(*state, column)] + drawn[column]);
                }
                Observations::Numbers(vec![x])
            }
        };
        Ok((observations, states))
    }

    fn each<T: Send>(&self, observations: &Observations, make: impl Fn(&DMatrix<f64>) -> T + Sync) -> Result<Vec<T>> {
        observations.check()?;
        let one = |sequence: usize| Ok(make(&self.emissions.log_densities(observations, sequence)?));
        (0..observations.len()).into_par_iter().map(one).collect()
    }
}
