//! The values of states under a policy.

use super::monte_carlo::{Visit, earned_after};
use super::{Learning, Prediction, Slot, StateValues, numbered};
use crate::decision::environment::Environment;
use crate::decision::policy::Policy;
use crate::error::{Error, Result};

/// Traces that are left are dropped below this.
const FAINTEST: f64 = 1e-8;

impl Learning {
    /// Learns the values of states under a policy, which alone chooses the actions. The same seed gives the same run.
    ///
    /// ```
    /// use gristmill::decision::{GridWorld, Learning, Prediction, Rate, Solve};
    /// let world = GridWorld::notes();
    /// let best = world.process(0.9)?.value_iteration(&Solve::default())?;
    /// let learning = Learning::new(0.9).episodes(300).rate(Rate::Visits(1.0));
    /// let found = learning.predict(Prediction::MonteCarlo { first_visit: true }, &world, &best.policy)?;
    /// assert!((found.values[0] - best.values[0]).abs() < 1e-9); // this world is deterministic
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn predict<E: Environment>(
        &self,
        prediction: Prediction,
        environment: &E,
        policy: &Policy,
    ) -> Result<StateValues> {
        self.check()?;
        let (states, actions) = numbered(environment)?;
        if (policy.states(), policy.actions) != (states, actions) {
            let expected = format!("a policy of {states} states and {actions} actions");
            let got = format!("{} and {}", policy.states(), policy.actions);
            return Err(Error::shape("Learning::predict", expected, got));
        }
        if let Prediction::TemporalDifference { lambda } = prediction
            && !(0.0..=1.0).contains(&lambda)
        {
            return Err(Error::param("lambda", "from 0 to 1", lambda));
        }
        let mut found = StateValues { values: vec![0.0; states], visits: vec![0; states] };
        let mut stamps = vec![0; states];
        let mut slots = self.slots(environment);
        for episode in 0..self.episodes {
            let count = slots.len();
            let slot = &mut slots[episode % count];
            match prediction {
                Prediction::MonteCarlo { first_visit } => {
                    let visits = self.followed(slot, policy);
                    earned_after(&visits, self.discount, first_visit, &mut stamps, |state, earned| {
                        found.visits[state] = found.visits[state].saturating_add(1);
                        found.values[state] += self.rate.at(found.visits[state]) * (earned - found.values[state]);
                    });
                }
                Prediction::TemporalDifference { lambda } => self.traced(slot, policy, lambda, &mut found),
            }
        }
        Ok(found)
    }

    /// An episode of the policy: the states, and the rewards behind them.
    fn followed<E: Environment>(&self, slot: &mut Slot<E>, policy: &Policy) -> Vec<Visit> {
        let mut visits = vec![];
        slot.begin();
        loop {
            let state = slot.environment.state();
            slot.action = drawn(policy.row(state), slot.random.uniform());
            let (reward, terminal, cut) = slot.step(self.max_steps);
            visits.push((state, reward));
            if terminal || cut {
                return visits;
            }
        }
    }

    /// An episode with a correction after each step, for all states that still leave a trace.
    fn traced<E: Environment>(&self, slot: &mut Slot<E>, policy: &Policy, lambda: f64, found: &mut StateValues) {
        let mut traces: Vec<(usize, f64)> = vec![];
        slot.begin();
        loop {
            let state = slot.environment.state();
            slot.action = drawn(policy.row(state), slot.random.uniform());
            let (reward, terminal, cut) = slot.step(self.max_steps);
            let ahead = if terminal { 0.0 } else { found.values[slot.environment.state()] };
            let error = reward + self.discount * ahead - found.values[state];
            found.visits[state] = found.visits[state].saturating_add(1);
            match traces.iter_mut().find(|(other, _)| *other == state) {
                Some((_, trace)) => *trace += 1.0,
                None => traces.push((state, 1.0)),
            }
            for (state, trace) in &mut traces {
                found.values[*state] += self.rate.at(found.visits[*state]) * error * *trace;
                *trace *= self.discount * lambda;
            }
            traces.retain(|(_, trace)| *trace > FAINTEST);
            if terminal || cut {
                return;
            }
        }
    }
}

/// The action at a share of the whole.
fn drawn(shares: &[f64], uniform: f64) -> usize {
    let mut left = uniform;
    let found = shares.iter().position(|share| {
        left -= share;
        left < 0.0
    });
    found.or_else(|| shares.iter().rposition(|share| *share > 0.0)).unwrap_or(0)
}
