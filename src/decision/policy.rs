//! What is done in each state.

use crate::error::{Error, Result};

/// What is done in each of S states, by probabilities of A actions.
#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    pub(super) actions: usize,
    /// S×A.
    pub(super) probabilities: Vec<f64>,
}

impl Policy {
    /// One action in each state.
    pub fn of_actions(actions: usize, chosen: &[usize]) -> Result<Policy> {
        let mut probabilities = vec![0.0; chosen.len() * actions];
        for (state, action) in chosen.iter().enumerate() {
            if *action >= actions {
                return Err(Error::param("action", format!("below {actions}"), format!("{action} in state {state}")));
            }
            probabilities[state * actions + action] = 1.0;
        }
        Ok(Policy { actions, probabilities })
    }

    /// Probabilities of the actions, S×A: each row sums to 1.
    pub fn of_probabilities(actions: usize, probabilities: Vec<f64>) -> Result<Policy> {
        if actions == 0 || !probabilities.len().is_multiple_of(actions) {
            return Err(Error::shape("Policy", format!("rows of {actions} probabilities"), probabilities.len()));
        }
        for (state, row) in probabilities.chunks(actions).enumerate() {
            let sum: f64 = row.iter().sum();
            if row.iter().any(|value| !(0.0..=1.0).contains(value)) || (sum - 1.0).abs() > 1e-6 {
                let why = format!("the probabilities of the actions sum to {sum:.9}, not to 1");
                return Err(Error::Process { place: format!("state {state}"), why });
            }
        }
        Ok(Policy { actions, probabilities })
    }

    /// Number of states.
    pub fn states(&self) -> usize {
        self.probabilities.len() / self.actions.max(1)
    }

    /// The likeliest action in a state; the lowest of equals. Panics when the state is out of range, as indexing does.
    pub fn action(&self, state: usize) -> usize {
        let row = self.row(state);
        (0..row.len()).fold(0, |best, action| if row[action] > row[best] { action } else { best })
    }

    /// The probabilities of the actions in a state, A. Panics when the state is out of range.
    pub fn row(&self, state: usize) -> &[f64] {
        &self.probabilities[state * self.actions..(state + 1) * self.actions]
    }
}
