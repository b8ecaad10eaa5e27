//! Values of actions, and the greedy policy.

use rayon::prelude::*;

use super::{MarkovDecisionProcess, Policy};
use crate::cpu::decision::bellman::Sweep;

impl MarkovDecisionProcess {
    /// The sweep of value iteration over this process, in f64.
    pub(super) fn sweep(&self) -> Sweep<'_, f64, (&[u32], &[f64])> {
        Sweep {
            actions: self.actions,
            offsets: &self.offsets,
            outcomes: (&self.targets, &self.probabilities),
            rewards: &self.rewards,
            discount: self.discount,
        }
    }

    /// The value of each action in each state when states have these values, S×A; NaN where it cannot be taken.
    pub fn action_values(&self, values: &[f64]) -> Vec<f64> {
        let sweep = self.sweep();
        let mut found = vec![f64::NAN; self.states * self.actions];
        found.par_chunks_mut(self.actions * 4096).enumerate().for_each(|(block, found)| {
            for (at, found) in found.iter_mut().enumerate() {
                let row = block * self.actions * 4096 + at;
                let value = sweep.action_value(row / self.actions, row % self.actions, values);
                *found = value.unwrap_or(f64::NAN);
            }
        });
        found
    }

    /// The best action in each state by the values of actions, the lowest of equals; the first in a terminal state.
    pub(super) fn greedy(&self, action_values: &[f64]) -> Policy {
        let mut probabilities = vec![0.0; action_values.len()];
        for (values, row) in action_values.chunks(self.actions).zip(probabilities.chunks_mut(self.actions)) {
            let better = |best: Option<usize>, action: usize| match best {
                Some(best) if values[best] >= values[action] => Some(best),
                _ if values[action].is_nan() => best,
                _ => Some(action),
            };
            row[(0..values.len()).fold(None, better).unwrap_or(0)] = 1.0;
        }
        Policy { actions: self.actions, probabilities }
    }

    /// The largest |max_a Q(s, a) − V(s)|, with the state where it is.
    pub(super) fn residual(&self, action_values: &[f64], values: &[f64]) -> (f64, usize) {
        let rows = action_values.chunks(self.actions).zip(values).enumerate();
        let one = |(state, (row, value)): (usize, (&[f64], &f64))| {
            let best = row.iter().copied().filter(|value| !value.is_nan()).reduce(f64::max).unwrap_or(0.0);
            ((best - value).abs(), state)
        };
        rows.map(one).fold((0.0, 0), |most, own| if own.0 > most.0 { own } else { most })
    }
}
