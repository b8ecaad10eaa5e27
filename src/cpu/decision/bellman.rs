//! One sweep of value iteration.

use std::ops::Range;

use rayon::prelude::*;

/// States whose changes are reported together, and those of a task.
pub const GROUP: usize = 256;
const GROUPS_PER_TASK: usize = 16;

/// `f32`, as on a device, or `f64`, as a process holds its numbers.
pub trait Number: Copy + Send + Sync + Into<f64> {
    /// The nearest number of this kind.
    fn rounded(value: f64) -> Self;
}

impl Number for f32 {
    fn rounded(value: f64) -> f32 {
        value as f32
    }
}

impl Number for f64 {
    fn rounded(value: f64) -> f64 {
        value
    }
}

/// States and their probabilities, one after the other.
pub trait Outcomes: Copy + Sync {
    /// The mean of the values of the states of a range of outcomes.
    fn mean<V: Number>(&self, range: Range<usize>, values: &[V]) -> f64;
}

/// States beside their probabilities, as a process holds them.
impl Outcomes for (&[u32], &[f64]) {
    #[inline(always)]
    fn mean<V: Number>(&self, range: Range<usize>, values: &[V]) -> f64 {
        let mut sum = 0.0;
        for (state, probability) in self.0[range.clone()].iter().zip(&self.1[range]) {
            sum += probability * values[*state as usize].into();
        }
        sum
    }
}

/// Pairs of a state and the bits of its probability, as a device holds them.
impl Outcomes for &[[u32; 2]] {
    #[inline(always)]
    fn mean<V: Number>(&self, range: Range<usize>, values: &[V]) -> f64 {
        let mut sum = 0.0;
        for [state, probability] in &self[range] {
            sum += f64::from(f32::from_bits(*probability)) * values[*state as usize].into();
        }
        sum
    }
}

/// What actions lead to: row `state·actions + action` has the outcomes `offsets[row]..offsets[row + 1]`, each a state and
/// its probability. An action without outcomes cannot be taken.
#[derive(Clone, Copy)]
pub struct Sweep<'a, R, O> {
    /// Number of actions.
    pub actions: usize,
    /// Where the outcomes of each row begin.
    pub offsets: &'a [u32],
    /// The outcomes, row by row.
    pub outcomes: O,
    /// The expected reward of each row.
    pub rewards: &'a [R],
    /// The discount.
    pub discount: f64,
}

impl<R: Number, O: Outcomes> Sweep<'_, R, O> {
    /// The value of an action in a state; none where it cannot be taken.
    #[inline(always)]
    pub fn action_value<V: Number>(&self, state: usize, action: usize, values: &[V]) -> Option<f64> {
        let row = state * self.actions + action;
        let range = self.offsets[row] as usize..self.offsets[row + 1] as usize;
        if range.is_empty() {
            return None;
        }
        Some(self.rewards[row].into() + self.discount * self.outcomes.mean(range, values))
    }

    /// `out[s]` = the largest value of an action in state s, 0 where there is none; `changes[g]` = the least and the
    /// greatest change of 256 states. On all cores; a state's value depends on nothing but its outcomes.
    pub fn bellman<V: Number>(&self, values: &[V], out: &mut [V], changes: &mut [[V; 2]]) {
        debug_assert_eq!(changes.len(), out.len().div_ceil(GROUP));
        let tasks = out.par_chunks_mut(GROUP * GROUPS_PER_TASK).zip(changes.par_chunks_mut(GROUPS_PER_TASK));
        tasks.enumerate().for_each(|(task, (out, changes))| {
            for (at, (out, change)) in out.chunks_mut(GROUP).zip(changes).enumerate() {
                let first = (task * GROUPS_PER_TASK + at) * GROUP;
                let (mut least, mut greatest) = (f64::INFINITY, f64::NEG_INFINITY);
                for (state, out) in (first..).zip(out) {
                    let found = (0..self.actions).filter_map(|action| self.action_value(state, action, values));
                    *out = V::rounded(found.reduce(f64::max).unwrap_or(0.0));
                    let difference: f64 = (*out).into() - values[state].into();
                    (least, greatest) = (least.min(difference), greatest.max(difference));
                }
                *change = [V::rounded(least), V::rounded(greatest)];
            }
        });
    }
}
