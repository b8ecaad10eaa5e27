//! What a process must keep.

use super::{MarkovDecisionProcess, Policy, Rewards};
use crate::error::{Error, Result};

/// How far probabilities may be from a sum of 1: the rounding of f32.
const SUM_TOLERANCE: f64 = 1e-5;

/// Refuses what has no states or actions, or more than can be counted.
pub(super) fn sizes(states: usize, actions: usize, outcomes: usize) -> Result<()> {
    if states == 0 || actions == 0 {
        let got = format!("{states} states and {actions} actions");
        return Err(Error::shape("MarkovDecisionProcess", "at least one state and one action", got));
    }
    let most = u64::from(u32::MAX) - 1;
    let rows = (states as u64).saturating_mul(actions as u64);
    for (what, need) in [("states times actions", rows), ("outcomes of a process", outcomes as u64)] {
        if need > most {
            return Err(Error::Limit { what: what.to_string(), need, have: most });
        }
    }
    Ok(())
}

impl MarkovDecisionProcess {
    /// A process of rows in order, checked.
    pub(super) fn of_rows(
        states: usize,
        actions: usize,
        (offsets, targets, probabilities): (Vec<u32>, Vec<u32>, Vec<f64>),
        rewards: Rewards,
        discount: f64,
    ) -> Result<MarkovDecisionProcess> {
        if !(0.0..=1.0).contains(&discount) {
            return Err(Error::param("discount", "from 0 to 1", discount));
        }
        let (given, wanted) = match &rewards {
            Rewards::State(rewards) | Rewards::Entered(rewards) => (rewards, states),
            Rewards::Action(rewards) => (rewards, states * actions),
        };
        if given.len() != wanted {
            return Err(Error::shape("MarkovDecisionProcess", format!("{wanted} rewards"), given.len()));
        }
        if let Some(at) = given.iter().position(|reward| !reward.is_finite()) {
            let place = if wanted == states { format!("state {at}") } else { place(at, actions) };
            return Err(Error::Process { place, why: format!("the reward {} is not a finite number", given[at]) });
        }
        let mut process = MarkovDecisionProcess {
            states,
            actions,
            offsets,
            targets,
            probabilities,
            rewards: vec![],
            terminal: vec![false; states],
            discount,
            state_names: vec![],
            action_names: vec![],
        };
        process.normalise()?;
        let expected = |row: usize| match &rewards {
            Rewards::State(rewards) => rewards[row / actions],
            Rewards::Action(rewards) => rewards[row],
            Rewards::Entered(rewards) => {
                let outcomes = process.offsets[row] as usize..process.offsets[row + 1] as usize;
                outcomes.map(|at| process.probabilities[at] * rewards[process.targets[at] as usize]).sum()
            }
        };
        process.rewards = (0..states * actions).map(expected).collect();
        Ok(process)
    }

    /// Refuses rows that are no distributions, and takes the rounding out of the others.
    fn normalise(&mut self) -> Result<()> {
        for row in 0..self.states * self.actions {
            let outcomes = self.offsets[row] as usize..self.offsets[row + 1] as usize;
            if outcomes.is_empty() {
                continue;
            }
            let own = &mut self.probabilities[outcomes];
            let refused = |why: String| Err(Error::Process { place: place(row, self.actions), why });
            if let Some(wrong) = own.iter().find(|value| !(0.0..=1.0 + SUM_TOLERANCE).contains(*value)) {
                return refused(format!("{wrong} is no probability; each is from 0 to 1"));
            }
            let sum: f64 = own.iter().sum();
            if (sum - 1.0).abs() > SUM_TOLERANCE {
                return refused(format!("the probabilities sum to {sum:.9}, not to 1; divide them by their sum"));
            }
            if sum != 1.0 {
                own.iter_mut().for_each(|probability| *probability /= sum);
            }
        }
        Ok(())
    }

    /// Refuses states in which nothing can be done, and with a discount of 1 those from which no end can be reached.
    pub(super) fn check_solvable(&self) -> Result<()> {
        let stuck =
            |state: &usize| !self.terminal[*state] && (0..self.actions).all(|action| !self.is_allowed(*state, action));
        if let Some(state) = (0..self.states).find(stuck) {
            let why = "no action can be taken, and it is not terminal; give it one, or make it terminal".to_string();
            return Err(Error::Process { place: format!("state {:?}", self.state_name(state)), why });
        }
        if self.discount < 1.0 {
            return Ok(());
        }
        self.check_ending(|_, _| true, "no action ever leads to a terminal state")
    }

    /// Refuses a policy of another process, one that does what cannot be done, and with a discount of 1 one that never ends.
    pub(super) fn check_policy(&self, policy: &Policy) -> Result<()> {
        self.check_solvable()?;
        if (policy.states(), policy.actions) != (self.states, self.actions) {
            let expected = format!("a policy of {} states and {} actions", self.states, self.actions);
            let got = format!("{} and {}", policy.states(), policy.actions);
            return Err(Error::shape("MarkovDecisionProcess", expected, got));
        }
        for state in (0..self.states).filter(|state| !self.terminal[*state]) {
            let wrong = |action: &usize| policy.row(state)[*action] > 0.0 && !self.is_allowed(state, *action);
            if let Some(action) = (0..self.actions).find(wrong) {
                let place = format!("state {:?}, action {:?}", self.state_name(state), self.action_name(action));
                let why = "the policy takes an action that cannot be taken there".to_string();
                return Err(Error::Process { place, why });
            }
        }
        match self.discount < 1.0 {
            true => Ok(()),
            false => {
                let taken = |state: usize, action: usize| policy.row(state)[action] > 0.0;
                self.check_ending(taken, "the policy never leads to a terminal state")
            }
        }
    }

    /// With a discount of 1 a value is the sum of all rewards to the end: there must be one.
    fn check_ending(&self, taken: impl Fn(usize, usize) -> bool, why: &str) -> Result<()> {
        let distance = self.steps_to_end(taken);
        match distance.iter().position(|steps| *steps == u32::MAX) {
            None => Ok(()),
            Some(state) => {
                let why = format!("{why}, so with a discount of 1 its path is endless; set a discount below 1");
                Err(Error::Process { place: format!("state {:?}", self.state_name(state)), why })
            }
        }
    }

    /// The fewest steps from each state to a terminal one; `u32::MAX` where there is none.
    pub(super) fn steps_to_end(&self, taken: impl Fn(usize, usize) -> bool) -> Vec<u32> {
        // States by what leads to them, as lists in one array.
        let mut counts = vec![0_u32; self.states + 1];
        let edges = || {
            let rows = (0..self.states).flat_map(|state| (0..self.actions).map(move |action| (state, action)));
            let rows = rows.filter(|(state, action)| taken(*state, *action));
            rows.flat_map(|(state, action)| {
                let likely = self.outcomes(state, action).filter(|at| self.probabilities[*at] > 0.0);
                likely.map(move |at| (state, self.targets[at] as usize))
            })
        };
        edges().for_each(|(_, to)| counts[to + 1] += 1);
        (1..counts.len()).for_each(|at| counts[at] += counts[at - 1]);
        let (mut next, mut before) = (counts.clone(), vec![0_u32; counts[self.states] as usize]);
        edges().for_each(|(from, to)| {
            before[next[to] as usize] = from as u32;
            next[to] += 1;
        });
        let mut distance = vec![u32::MAX; self.states];
        let mut waiting: std::collections::VecDeque<usize> =
            (0..self.states).filter(|state| self.terminal[*state]).collect();
        waiting.iter().for_each(|state| distance[*state] = 0);
        while let Some(state) = waiting.pop_front() {
            for from in &before[counts[state] as usize..counts[state + 1] as usize] {
                if distance[*from as usize] == u32::MAX {
                    distance[*from as usize] = distance[state] + 1;
                    waiting.push_back(*from as usize);
                }
            }
        }
        distance
    }
}

fn place(row: usize, actions: usize) -> String {
    format!("state {}, action {}", row / actions, row % actions)
}
