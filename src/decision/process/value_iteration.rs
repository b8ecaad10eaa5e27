//! Value iteration and policy iteration.

use super::{MarkovDecisionProcess, Policy, Solution, Solve};
use crate::cpu::decision::bellman::GROUP;
use crate::device::Device;
use crate::error::{Error, Result};

/// Where a run of sweeps ended.
pub(super) struct Swept {
    pub values: Vec<f64>,
    pub iterations: usize,
    pub residuals: Vec<f64>,
    pub converged: bool,
    pub waits: usize,
}

impl MarkovDecisionProcess {
    /// The optimal values by sweeps V ← max_a r + γ·P·V, each O(outcomes) on all cores or on a GPU.
    ///
    /// After a sweep the optimal values lie between V + γ/(1−γ) times its least and greatest change (MacQueen 1966), so it
    /// stops when half of that range is within the tolerance, and the middle is returned. With a discount of 1 it stops when
    /// no value changes by more than the tolerance; states without a way to the end, and values that grow for ever, are an
    /// [`Error::Process`] with the state.
    pub fn value_iteration(&self, options: &Solve) -> Result<Solution> {
        options.check()?;
        self.check_solvable()?;
        let swept = match &options.device {
            Device::Cpu => self.swept(options),
            device => self.swept_on(device, options)?,
        };
        self.finished(swept, options)
    }

    fn swept(&self, options: &Solve) -> Swept {
        let sweep = self.sweep();
        let mut values = vec![0.0; self.states];
        let mut next = vec![0.0; self.states];
        let mut changes = vec![[0.0; 2]; self.states.div_ceil(GROUP)];
        let mut residuals = vec![];
        let mut converged = false;
        while !converged && residuals.len() < options.max_iter {
            sweep.bellman(&values, &mut next, &mut changes);
            std::mem::swap(&mut values, &mut next);
            let (least, greatest) = range(changes.iter().flatten().copied());
            residuals.push(greatest.max(-least));
            converged = self.settle(&mut values, least, greatest, options.tol);
        }
        Swept { values, iterations: residuals.len(), residuals, converged, waits: 0 }
    }

    /// Whether values whose last sweep changed them within a range are near enough; they are then moved to the middle.
    pub(super) fn settle(&self, values: &mut [f64], least: f64, greatest: f64, tol: f64) -> bool {
        if self.discount == 1.0 {
            return greatest.max(-least) <= tol;
        }
        let factor = self.discount / (1.0 - self.discount);
        let settled = factor * (greatest - least) / 2.0 <= tol;
        if settled {
            let shift = factor * (least + greatest) / 2.0;
            let open = values.iter_mut().zip(&self.terminal).filter(|(_, terminal)| !**terminal);
            open.for_each(|(value, _)| *value += shift);
        }
        settled
    }

    /// The solution of values: actions, policy and residual in f64.
    fn finished(&self, swept: Swept, options: &Solve) -> Result<Solution> {
        let Swept { values, iterations, residuals, converged, waits } = swept;
        let action_values = self.action_values(&values);
        let (residual, state) = self.residual(&action_values, &values);
        if self.discount == 1.0 && !converged {
            let why = format!(
                "its value still changes by {residual:.3e} after {iterations} sweeps: with a discount of 1 rewards add up \
                 without end; set a discount below 1, or make what is lost on the way larger than what is earned"
            );
            return Err(Error::Process { place: format!("state {:?}", self.state_name(state)), why });
        }
        let error_bound = if self.discount < 1.0 { residual / (1.0 - self.discount) } else { f64::INFINITY };
        if !converged {
            log::warn!("value iteration: not within {} after {iterations} sweeps; raise max_iter", options.tol);
        }
        let policy = self.greedy(&action_values);
        Ok(Solution { values, action_values, policy, iterations, residuals, residual, error_bound, converged, waits })
    }

    /// The optimal values by policies: each is evaluated exactly, then made greedy, until it stays (Howard 1960).
    pub fn policy_iteration(&self, options: &Solve) -> Result<Solution> {
        options.check()?;
        self.check_solvable()?;
        let mut policy = self.first_policy();
        let mut residuals = vec![];
        loop {
            let values = self.evaluated(&policy, options.tol)?;
            let action_values = self.action_values(&values);
            let (residual, _) = self.residual(&action_values, &values);
            residuals.push(residual);
            let better = self.improved(&policy, &action_values, &values);
            let converged = better == policy;
            if converged || residuals.len() >= options.max_iter {
                let error_bound = if self.discount < 1.0 { residual / (1.0 - self.discount) } else { f64::INFINITY };
                let iterations = residuals.len();
                let waits = 0;
                return Ok(Solution {
                    values,
                    action_values,
                    policy,
                    iterations,
                    residuals,
                    residual,
                    error_bound,
                    converged,
                    waits,
                });
            }
            policy = better;
        }
    }

    /// The first action that can be taken; with a discount of 1 one on a shortest way to the end, so that there is one.
    fn first_policy(&self) -> Policy {
        let distance = (self.discount == 1.0).then(|| self.steps_to_end(|_, _| true));
        let mut probabilities = vec![0.0; self.states * self.actions];
        for state in 0..self.states {
            let leads_on = |action: &usize| match &distance {
                None => self.is_allowed(state, *action),
                Some(distance) => {
                    let nearer = |at: usize| distance[self.targets[at] as usize] < distance[state];
                    self.outcomes(state, *action).any(|at| self.probabilities[at] > 0.0 && nearer(at))
                }
            };
            probabilities[state * self.actions + (0..self.actions).find(leads_on).unwrap_or(0)] = 1.0;
        }
        Policy { actions: self.actions, probabilities }
    }

    /// The greedy policy, which keeps an action that is as good: rounding would let it go on for ever.
    fn improved(&self, policy: &Policy, action_values: &[f64], values: &[f64]) -> Policy {
        let mut better = self.greedy(action_values);
        for (state, value) in values.iter().enumerate() {
            let row = state * self.actions..(state + 1) * self.actions;
            let (old, new) = (policy.action(state), better.action(state));
            let (kept, found) = (action_values[row.start + old], action_values[row.start + new]);
            if self.terminal[state] || found <= kept + 1e-10 * (1.0 + value.abs()) {
                better.probabilities[row.clone()].copy_from_slice(&policy.probabilities[row]);
            }
        }
        better
    }
}

/// The least and the greatest.
pub(super) fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, greatest), value| (least.min(value), greatest.max(value)))
}
