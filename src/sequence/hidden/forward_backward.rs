//! The probabilities of hidden states, given what was seen before and after.

use nalgebra::DMatrix;

/// A pass over one sequence, forward and back.
pub(super) struct Smoothed {
    pub log_likelihood: f64,
    /// The probability of each state at each step, T×S.
    pub posterior: DMatrix<f64>,
    /// The expected number of steps from each state to each, S×S.
    pub transitions: DMatrix<f64>,
    /// The first step that the model holds for impossible, if there is one.
    pub impossible: Option<usize>,
}

/// Distributions are kept with a sum of 1 and their sizes as logarithms; densities stay logarithms until the largest of a
/// step is taken off. So nothing underflows, at S exponentials a step.
pub(super) fn forward_backward(initial: &[f64], transitions: &DMatrix<f64>, densities: &DMatrix<f64>) -> Smoothed {
    let (steps, states) = densities.shape();
    let mut forward = DMatrix::zeros(steps, states);
    let mut predicted = initial.to_vec();
    let mut log_likelihood = 0.0;
    let none = |impossible: usize| Smoothed {
        log_likelihood: f64::NEG_INFINITY,
        posterior: DMatrix::zeros(steps, states),
        transitions: DMatrix::zeros(states, states),
        impossible: Some(impossible),
    };
    for step in 0..steps {
        let logs: Vec<f64> = (0..states).map(|state| predicted[state].ln() + densities[(step, state)]).collect();
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if most == f64::NEG_INFINITY {
            return none(step);
        }
        let weights: Vec<f64> = logs.iter().map(|log| (log - most).exp()).collect();
        let sum: f64 = weights.iter().sum();
        log_likelihood += most + sum.ln();
        weights.iter().enumerate().for_each(|(state, weight)| forward[(step, state)] = weight / sum);
        if step + 1 < steps {
            for (to, value) in predicted.iter_mut().enumerate() {
                *value = (0..states).map(|from| forward[(step, from)] * transitions[(from, to)]).sum();
            }
        }
    }
    let mut posterior = DMatrix::zeros(steps, states);
    posterior.set_row(steps - 1, &forward.row(steps - 1));
    let mut counted = DMatrix::zeros(states, states);
    // The logarithm of what each state makes of the steps behind it.
    let mut backward = vec![0.0_f64; states];
    for step in (0..steps - 1).rev() {
        let logs: Vec<f64> = (0..states).map(|state| backward[state] + densities[(step + 1, state)]).collect();
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = logs.iter().map(|log| (log - most).exp()).collect();
        let mut joint = DMatrix::zeros(states, states);
        let mut sum = 0.0;
        for (from, behind) in backward.iter_mut().enumerate() {
            let mut ahead = 0.0;
            for (to, weight) in weights.iter().enumerate() {
                let share = transitions[(from, to)] * weight;
                ahead += share;
                joint[(from, to)] = forward[(step, from)] * share;
            }
            *behind = ahead.ln() + most;
            sum += forward[(step, from)] * ahead;
        }
        // A loss of size that no state of the forward pass shares.
        if sum == 0.0 {
            return none(step + 1);
        }
        counted += &joint / sum;
        for from in 0..states {
            posterior[(step, from)] = joint.row(from).sum() / sum;
        }
    }
    Smoothed { log_likelihood, posterior, transitions: counted, impossible: None }
}
