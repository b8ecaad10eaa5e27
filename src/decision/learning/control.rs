//! SARSA, expected SARSA, Q-learning, double Q-learning: a correction after each step.

use super::choose::{self, Row, choose, probabilities};
use super::{ActionValues, Control, Exploration, Learning, Slot, numbered};
use crate::decision::environment::Environment;
use crate::error::Result;

/// Values that are being learnt.
pub(super) struct Tables {
    pub actions: usize,
    pub allowed: Vec<bool>,
    /// One table, or two for double Q-learning.
    pub values: Vec<Vec<f64>>,
    visits: Vec<Vec<u32>>,
    /// What actions are chosen by: the one table, or the mean of both.
    pub shown: Vec<f64>,
}

impl Tables {
    pub fn new<E: Environment>(environment: &E, count: usize) -> Result<Tables> {
        let (states, actions) = numbered(environment)?;
        let allowed = (0..states * actions).map(|row| environment.is_allowed(row / actions, row % actions)).collect();
        let (values, visits) = (vec![vec![0.0; states * actions]; count], vec![vec![0; states * actions]; count]);
        Ok(Tables { actions, allowed, values, visits, shown: vec![0.0; states * actions] })
    }

    /// The values of a state in one table.
    fn row(&self, table: usize, state: usize) -> Row<'_> {
        let row = state * self.actions..(state + 1) * self.actions;
        Row { values: &self.values[table][row.clone()], allowed: &self.allowed[row] }
    }

    /// The values of a state that actions are chosen by.
    pub fn shown(&self, state: usize) -> Row<'_> {
        let row = state * self.actions..(state + 1) * self.actions;
        Row { values: &self.shown[row.clone()], allowed: &self.allowed[row] }
    }

    /// Moves a value towards a target.
    pub fn correct(&mut self, learning: &Learning, table: usize, place: usize, target: f64) {
        self.visits[table][place] = self.visits[table][place].saturating_add(1);
        let value = &mut self.values[table][place];
        *value += learning.rate.at(self.visits[table][place]) * (target - *value);
        let sum: f64 = self.values.iter().map(|table| table[place]).sum();
        self.shown[place] = sum / self.values.len() as f64;
    }

    pub fn finish(self, returns: Vec<f64>, lengths: Vec<u32>) -> ActionValues {
        let mut visits = vec![0_u32; self.shown.len()];
        for table in &self.visits {
            visits.iter_mut().zip(table).for_each(|(sum, count)| *sum = sum.saturating_add(*count));
        }
        let states = self.shown.len() / self.actions;
        ActionValues {
            states,
            actions: self.actions,
            values: self.shown,
            visits,
            allowed: self.allowed,
            returns,
            lengths,
        }
    }
}

impl Learning {
    /// Learns the values of actions in an environment whose states are numbered. The same seed gives the same run.
    pub fn control<E: Environment>(&self, control: Control, environment: &E) -> Result<ActionValues> {
        self.check()?;
        if let Control::MonteCarlo { first_visit } = control {
            return self.monte_carlo(first_visit, environment);
        }
        let mut tables = Tables::new(environment, if control == Control::DoubleQLearning { 2 } else { 1 })?;
        let mut slots = self.slots(environment);
        let (mut returns, mut lengths) = (vec![], vec![]);
        while returns.len() < self.episodes {
            let progress = returns.len() as f64 / self.episodes as f64;
            for slot in &mut slots {
                if !slot.running {
                    slot.begin();
                    let row = tables.shown(slot.environment.state());
                    slot.action = choose(self.exploration, progress, row, &mut slot.random);
                }
                if self.advance(control, &mut tables, slot, progress) {
                    slot.running = false;
                    returns.push(slot.earned);
                    lengths.push(slot.steps as u32);
                    if returns.len() == self.episodes {
                        break;
                    }
                }
            }
        }
        Ok(tables.finish(returns, lengths))
    }

    /// One step and its correction; whether the episode is over.
    fn advance<E: Environment>(
        &self,
        control: Control,
        tables: &mut Tables,
        slot: &mut Slot<E>,
        progress: f64,
    ) -> bool {
        let place = slot.environment.state() * tables.actions + slot.action;
        let (reward, terminal, cut) = slot.step(self.max_steps);
        let next = slot.environment.state();
        let table = if control == Control::DoubleQLearning { slot.random.below(2) } else { 0 };
        // Only SARSA needs the next action before the correction; the others choose by what they have just learnt.
        let early = (control == Control::Sarsa && !terminal)
            .then(|| choose(self.exploration, progress, tables.shown(next), &mut slot.random));
        let ahead = match control {
            _ if terminal => 0.0,
            Control::Sarsa => early.map_or(0.0, |action| tables.row(0, next).values[action]),
            Control::ExpectedSarsa => expected(self.exploration, progress, tables.row(0, next)),
            Control::DoubleQLearning => {
                let best = choose::best(tables.row(table, next));
                best.map_or(0.0, |action| tables.row(1 - table, next).values[action])
            }
            Control::QLearning | Control::MonteCarlo { .. } => choose::largest(tables.row(0, next)),
        };
        tables.correct(self, table, place, reward + self.discount * ahead);
        if !terminal && !cut {
            let late = || choose(self.exploration, progress, tables.shown(next), &mut slot.random);
            slot.action = early.unwrap_or_else(late);
        }
        terminal || cut
    }
}

/// The mean value of the next action.
pub(super) fn expected(exploration: Exploration, progress: f64, row: Row<'_>) -> f64 {
    let shares = probabilities(exploration, progress, row);
    let pairs = shares.iter().zip(row.values).filter(|(share, _)| **share > 0.0);
    pairs.map(|(share, value)| share * value).sum()
}
