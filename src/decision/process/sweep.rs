//! Values of actions, and the greedy policy.

use rayon::prelude::*;

use super::{MarkovDecisionProcess, Policy};
use crate::cpu::decision::bellman::Sweep;

/// States of a task at least.
const TASK_STATES: usize = 4096;

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
        found.par_chunks_mut(self.actions * TASK_STATES).enumerate().for_each(|(block, found)| {
            for (at, found) in found.iter_mut().enumerate() {
                let row = block * self.actions * TASK_STATES + at;
                let value = sweep.action_value(row / self.actions, row % self.actions, values);
                *found = value.unwrap_or(f64::NAN);
            }
        });
        found
    }

    /// The best action in each state by the values of actions, the lowest of equals; the first in a terminal state.
    pub(super) fn greedy(&self, action_values: &[f64]) -> Policy {
        let mut probabilities = vec![0.0; action_values.len()];
        let rows = action_values.par_chunks(self.actions).zip(probabilities.par_chunks_mut(self.actions));
        rows.with_min_len(TASK_STATES).for_each(|(values, row)| {
            let better = |best: Option<usize>, action: usize| match best {
                Some(best) if values[best] >= values[action] => Some(best),
                _ if values[action].is_nan() => best,
                _ => Some(action),
            };
            row[(0..values.len()).fold(None, better).unwrap_or(0)] = 1.0;
        });
        Policy { actions: self.actions, probabilities }
    }

    /// The largest |max_a Q(s, a) − V(s)|, with the state where it is.
    pub(super) fn residual(&self, action_values: &[f64], values: &[f64]) -> (f64, usize) {
        let rows = action_values.par_chunks(self.actions).zip(values).enumerate().with_min_len(TASK_STATES);
        let one = |(state, (row, value)): (usize, (&[f64], &f64))| {
            let best = row.iter().copied().filter(|value| !value.is_nan()).reduce(f64::max).unwrap_or(0.0);
            ((best - value).abs(), state)
        };
        // Of equal ones the first, in whatever order they are compared.
        let larger = |a: (f64, usize), b: (f64, usize)| if b.0 > a.0 || (b.0 == a.0 && b.1 < a.1) { b } else { a };
        rows.map(one).reduce(|| (0.0, 0), larger)
    }
}
