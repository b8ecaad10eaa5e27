//! Markov decision processes whose probabilities are known.

mod check;
mod device;
mod evaluate;
mod file;
mod json;
mod sweep;
mod value_iteration;

pub(super) use self::json::{unreadable, wrong};
use nalgebra::DMatrix;

use super::policy::Policy;
use crate::array::SparseMatrix;
use crate::device::Device;
use crate::error::{Error, Result};

/// Where an action may lead: the state before, the action, the state after, and the probability.
pub type Outcome = (usize, usize, usize, f64);

/// What is earned, and for what.
#[derive(Debug, Clone, PartialEq)]
pub enum Rewards {
    /// For being in a state when something is done there, S.
    State(Vec<f64>),
    /// For an action in a state, S×A, row by row.
    Action(Vec<f64>),
    /// For the state that is entered, S.
    Entered(Vec<f64>),
}

/// A Markov decision process of S states and A actions: probabilities of what each action leads to, rewards, a discount
/// γ. A terminal state ends an episode: its value is 0, and nothing is done in it. An action without outcomes cannot be
/// taken.
///
/// ```
/// use gristmill::decision::{MarkovDecisionProcess, Rewards, Solve};
/// // A machine that runs, and may break when it is not serviced.
/// let outcomes = [(0, 0, 0, 0.9), (0, 0, 1, 0.1), (0, 1, 0, 1.0), (1, 1, 0, 1.0)];
/// let rewards = Rewards::Action(vec![10.0, 7.0, 0.0, -40.0]);
/// let machine = MarkovDecisionProcess::new(2, 2, outcomes, rewards, 0.9)?;
/// let best = machine.value_iteration(&Solve::default())?;
/// let exact = machine.policy_iteration(&Solve::default())?;
/// assert_eq!(best.policy.action(0), 1); // service it
/// assert!((best.values[0] - exact.values[0]).abs() < 1e-8 && (exact.values[0] - 70.0).abs() < 1e-9);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct MarkovDecisionProcess {
    pub(super) states: usize,
    pub(super) actions: usize,
    /// Where the outcomes of row `state·A + action` begin.
    pub(super) offsets: Vec<u32>,
    pub(super) targets: Vec<u32>,
    pub(super) probabilities: Vec<f64>,
    /// The expected reward of each row.
    pub(super) rewards: Vec<f64>,
    pub(super) terminal: Vec<bool>,
    pub(super) discount: f64,
    /// Empty where they are numbers.
    pub(super) state_names: Vec<String>,
    pub(super) action_names: Vec<String>,
}

/// How a process is solved.
#[derive(Debug, Clone)]
pub struct Solve {
    /// How far values may be from the optimal ones; with a discount of 1 how little they may change in a sweep.
    pub tol: f64,
    /// Sweeps or policies at most.
    pub max_iter: usize,
    /// Where value iteration runs: on a GPU in f32, and one last sweep on the CPU in f64.
    pub device: Device,
}

impl Default for Solve {
    fn default() -> Solve {
        Solve { tol: 1e-9, max_iter: 10_000, device: Device::Cpu }
    }
}

impl Solve {
    /// Sets how far values may be from the optimal ones.
    pub fn tol(mut self, tol: f64) -> Solve {
        self.tol = tol;
        self
    }

    /// Sets how many sweeps or policies there are at most.
    pub fn max_iter(mut self, max_iter: usize) -> Solve {
        self.max_iter = max_iter;
        self
    }

    /// Sets where value iteration runs.
    pub fn device(mut self, device: &Device) -> Solve {
        self.device = device.clone();
        self
    }

    fn check(&self) -> Result<()> {
        if !(self.tol > 0.0 && self.tol.is_finite()) {
            return Err(Error::param("tol", "above 0 and finite", self.tol));
        }
        if self.max_iter == 0 {
            return Err(Error::param("max_iter", "at least 1", 0));
        }
        Ok(())
    }
}

/// A solved process.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// The value of each state, S.
    pub values: Vec<f64>,
    /// The value of each action in each state, S×A, row by row; NaN where it cannot be taken.
    pub action_values: Vec<f64>,
    /// The best action in each state.
    pub policy: Policy,
    /// Sweeps, or policies that were evaluated.
    pub iterations: usize,
    /// The Bellman residual of each iteration, the largest |max_a Q(s, a) − V(s)|.
    pub residuals: Vec<f64>,
    /// The residual of the values that are returned.
    pub residual: f64,
    /// How far a value can be from the optimal one; infinite with a discount of 1, where the residual tells nothing of it.
    pub error_bound: f64,
    /// Whether that is within the tolerance.
    pub converged: bool,
    /// How often the host waited for a device.
    pub waits: usize,
}

impl MarkovDecisionProcess {
    /// A process of outcomes in any order; those of one state, action and next state are added. Probabilities of an action
    /// that do not sum to 1 are an [`Error::Process`] with its state and action.
    pub fn new(
        states: usize,
        actions: usize,
        outcomes: impl IntoIterator<Item = Outcome>,
        rewards: Rewards,
        discount: f64,
    ) -> Result<MarkovDecisionProcess> {
        let found: Vec<Outcome> = outcomes.into_iter().collect();
        check::sizes(states, actions, found.len())?;
        if let Some((state, action, next, _)) =
            found.iter().find(|(state, action, next, _)| (*state).max(*next) >= states || *action >= actions)
        {
            let expected = format!("states below {states} and actions below {actions}");
            return Err(Error::shape("MarkovDecisionProcess", expected, format!("{state}, {action}, {next}")));
        }
        let mut offsets = vec![0_u32; states * actions + 1];
        found.iter().for_each(|(state, action, ..)| offsets[state * actions + action + 1] += 1);
        (1..offsets.len()).for_each(|row| offsets[row] += offsets[row - 1]);
        let mut next: Vec<u32> = offsets[..offsets.len() - 1].to_vec();
        let (mut targets, mut probabilities) = (vec![0; found.len()], vec![0.0; found.len()]);
        for (state, action, target, probability) in found {
            let place = &mut next[state * actions + action];
            (targets[*place as usize], probabilities[*place as usize]) = (target as u32, probability);
            *place += 1;
        }
        MarkovDecisionProcess::of_rows(states, actions, (offsets, targets, probabilities), rewards, discount)
    }

    /// A process of a matrix for each action, S×S: the probability of the state of a column after that of a row. A row of
    /// zeros is an action that cannot be taken.
    pub fn dense(transitions: &[DMatrix<f64>], rewards: Rewards, discount: f64) -> Result<MarkovDecisionProcess> {
        let states = transitions.first().map_or(0, DMatrix::nrows);
        if let Some(wrong) = transitions.iter().find(|matrix| matrix.shape() != (states, states)) {
            let expected = format!("{states}×{states} for each action");
            return Err(Error::shape("MarkovDecisionProcess", expected, format!("{:?}", wrong.shape())));
        }
        let outcomes = transitions.iter().enumerate().flat_map(|(action, matrix)| {
            let places = (0..states).flat_map(move |state| (0..states).map(move |next| (state, next)));
            places.map(move |(state, next)| (state, action, next, matrix[(state, next)]))
        });
        let outcomes = outcomes.filter(|(.., probability)| *probability != 0.0);
        MarkovDecisionProcess::new(states, transitions.len(), outcomes, rewards, discount)
    }

    /// A process of a sparse matrix for each action, S×S. Rows sum to 1 within the rounding of f32, and are divided by
    /// their sum.
    pub fn sparse(transitions: &[SparseMatrix], rewards: Rewards, discount: f64) -> Result<MarkovDecisionProcess> {
        let (states, actions) = (transitions.first().map_or(0, SparseMatrix::rows), transitions.len());
        if let Some(wrong) = transitions.iter().find(|matrix| (matrix.rows(), matrix.columns()) != (states, states)) {
            let got = format!("{}×{}", wrong.rows(), wrong.columns());
            return Err(Error::shape("MarkovDecisionProcess", format!("{states}×{states} for each action"), got));
        }
        check::sizes(states, actions, transitions.iter().map(SparseMatrix::nnz).sum())?;
        let (mut offsets, mut targets, mut probabilities) = (vec![0], vec![], vec![]);
        for state in 0..states {
            for matrix in transitions {
                let (columns, values) = matrix.row(state);
                targets.extend_from_slice(columns);
                probabilities.extend(values.iter().map(|value| f64::from(*value)));
                offsets.push(targets.len() as u32);
            }
        }
        MarkovDecisionProcess::of_rows(states, actions, (offsets, targets, probabilities), rewards, discount)
    }

    /// Number of states, S.
    pub fn states(&self) -> usize {
        self.states
    }

    /// Number of actions, A.
    pub fn actions(&self) -> usize {
        self.actions
    }

    /// The discount.
    pub fn discount(&self) -> f64 {
        self.discount
    }

    /// Whether a state ends an episode.
    pub fn is_terminal(&self, state: usize) -> bool {
        self.terminal[state]
    }

    /// Whether an action can be taken in a state.
    pub fn is_allowed(&self, state: usize, action: usize) -> bool {
        !self.outcomes(state, action).is_empty()
    }

    /// The same with states that end an episode; what is done in them is forgotten.
    pub fn terminal(mut self, states: &[usize]) -> Result<MarkovDecisionProcess> {
        if let Some(wrong) = states.iter().find(|state| **state >= self.states) {
            return Err(Error::param("terminal", format!("states below {}", self.states), wrong));
        }
        states.iter().for_each(|state| self.terminal[*state] = true);
        let mut kept = 0;
        for row in 0..self.states * self.actions {
            let outcomes = self.offsets[row] as usize..self.offsets[row + 1] as usize;
            self.offsets[row] = kept as u32;
            if !self.terminal[row / self.actions] {
                self.targets.copy_within(outcomes.clone(), kept);
                self.probabilities.copy_within(outcomes.clone(), kept);
                kept += outcomes.len();
            } else {
                self.rewards[row] = 0.0;
            }
        }
        self.offsets[self.states * self.actions] = kept as u32;
        self.targets.truncate(kept);
        self.probabilities.truncate(kept);
        Ok(self)
    }

    /// The same with names for its states and actions.
    pub fn named(mut self, states: Vec<String>, actions: Vec<String>) -> Result<MarkovDecisionProcess> {
        if (states.len(), actions.len()) != (self.states, self.actions) {
            let expected = format!("{} states and {} actions", self.states, self.actions);
            let got = format!("{} and {} names", states.len(), actions.len());
            return Err(Error::shape("MarkovDecisionProcess::named", expected, got));
        }
        (self.state_names, self.action_names) = (states, actions);
        Ok(self)
    }

    /// The name of a state, or its number.
    pub fn state_name(&self, state: usize) -> String {
        self.state_names.get(state).cloned().unwrap_or_else(|| state.to_string())
    }

    /// The name of an action, or its number.
    pub fn action_name(&self, action: usize) -> String {
        self.action_names.get(action).cloned().unwrap_or_else(|| action.to_string())
    }

    /// The places of the outcomes of an action.
    pub(super) fn outcomes(&self, state: usize, action: usize) -> std::ops::Range<usize> {
        let row = state * self.actions + action;
        self.offsets[row] as usize..self.offsets[row + 1] as usize
    }
}
