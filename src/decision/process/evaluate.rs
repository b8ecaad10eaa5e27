//! The value of a policy.

use faer::linalg::solvers::Solve as _;

use super::{MarkovDecisionProcess, Policy};
use crate::error::{Error, Result};

/// States up to which the equations are factored; more are solved by sweeps.
const MOST_FACTORED: usize = 1500;
/// Sweeps at most.
const MOST_SWEEPS: usize = 200_000;

impl MarkovDecisionProcess {
    /// The value of each state under a policy: Bellman's equations V = r + γ·P·V, which are linear. Up to 1500 states they are
    /// factored, O(S³); more are solved by sweeps in place until no value changes by more than 10⁻¹² of the largest.
    pub fn evaluate(&self, policy: &Policy) -> Result<Vec<f64>> {
        self.evaluated(policy, 0.0)
    }

    pub(super) fn evaluated(&self, policy: &Policy, tol: f64) -> Result<Vec<f64>> {
        self.check_policy(policy)?;
        if self.states <= MOST_FACTORED { self.factored(policy) } else { self.relaxed(policy, tol) }
    }

    /// The actions that a policy takes in a state, with their probabilities.
    fn taken<'a>(&'a self, policy: &'a Policy, state: usize) -> impl Iterator<Item = (usize, f64)> + 'a {
        let row = policy.row(state).iter().copied().enumerate();
        row.filter(move |(_, probability)| *probability > 0.0 && !self.terminal[state])
    }

    fn factored(&self, policy: &Policy) -> Result<Vec<f64>> {
        let mut equations = faer::Mat::<f64>::identity(self.states, self.states);
        let mut rewards = faer::Mat::<f64>::zeros(self.states, 1);
        for state in 0..self.states {
            for (action, weight) in self.taken(policy, state) {
                rewards[(state, 0)] += weight * self.rewards[state * self.actions + action];
                for at in self.outcomes(state, action) {
                    equations[(state, self.targets[at] as usize)] -= self.discount * weight * self.probabilities[at];
                }
            }
        }
        let factors = equations.partial_piv_lu();
        let mut values = factors.solve(&rewards);
        // One step of refinement takes out what the factors lost.
        let left = &rewards - &equations * &values;
        values += factors.solve(&left);
        let values: Vec<f64> = (0..self.states).map(|state| values[(state, 0)]).collect();
        match values.iter().position(|value| !value.is_finite()) {
            None => Ok(values),
            Some(state) => Err(self.endless(state)),
        }
    }

    /// Sweeps in place, which take half as many as those that keep the old values (Gauss and Seidel).
    fn relaxed(&self, policy: &Policy, tol: f64) -> Result<Vec<f64>> {
        let mut values = vec![0.0_f64; self.states];
        let mut changed = (f64::INFINITY, 0);
        for _ in 0..MOST_SWEEPS {
            let mut largest = 0.0_f64;
            changed = (0.0, 0);
            for state in 0..self.states {
                let mut value = 0.0;
                for (action, weight) in self.taken(policy, state) {
                    let ahead = self.outcomes(state, action);
                    let ahead: f64 = ahead.map(|at| self.probabilities[at] * values[self.targets[at] as usize]).sum();
                    value += weight * (self.rewards[state * self.actions + action] + self.discount * ahead);
                }
                let change = (value - values[state]).abs();
                if change > changed.0 {
                    changed = (change, state);
                }
                values[state] = value;
                largest = largest.max(value.abs());
            }
            let near = (tol * (1.0 - self.discount) / 4.0).max(1e-12 * largest);
            if changed.0 <= near {
                return Ok(values);
            }
        }
        Err(self.endless(changed.1))
    }

    fn endless(&self, state: usize) -> Error {
        let why = "the equations of the policy have no one solution: its path is endless; set a discount below 1";
        Error::Process { place: format!("state {:?}", self.state_name(state)), why: why.to_string() }
    }
}
