//! Processes in model files.

use serde::{Deserialize, Serialize};

use super::{MarkovDecisionProcess, Rewards};
use crate::error::Result;
use crate::model_file::{Container, Persist};

#[derive(Serialize, Deserialize, PartialEq)]
struct Saved {
    states: u64,
    actions: u64,
    discount: f64,
}

impl Persist for MarkovDecisionProcess {
    const KIND: &'static str = "markov-decision-process";

    fn store(&self, container: &mut Container) -> Result<()> {
        let saved = Saved { states: self.states as u64, actions: self.actions as u64, discount: self.discount };
        container.set_parameters(&saved)?;
        container.insert_list("offsets", &self.offsets)?;
        container.insert_list("targets", &self.targets)?;
        container.insert_list("probabilities", &self.probabilities)?;
        container.insert_list("rewards", &self.rewards)?;
        container.insert_list("terminal", &self.terminal.iter().map(|end| u8::from(*end)).collect::<Vec<u8>>())?;
        container.insert_strings("states", &self.state_names)?;
        container.insert_strings("actions", &self.action_names)
    }

    fn restore(container: &mut Container) -> Result<MarkovDecisionProcess> {
        let Saved { states, actions, discount } = container.parameters()?;
        let (states, actions) = (container.size("states", states)?, container.size("actions", actions)?);
        let rows = states.checked_mul(actions).filter(|rows| *rows > 0);
        let Some(rows) = rows else { return Err(container.refuse("there are no states or no actions")) };
        let rewards: Vec<f64> = container.take("rewards", &[rows])?;
        let offsets: Vec<u32> = container.take("offsets", &[rows + 1])?;
        let targets: Vec<u32> = container.take_list("targets")?;
        let probabilities: Vec<f64> = container.take("probabilities", &[targets.len()])?;
        let terminal: Vec<u8> = container.take("terminal", &[states])?;
        let (state_names, action_names) = (container.take_strings("states")?, container.take_strings("actions")?);
        let whole = offsets[0] == 0 && offsets[rows] as usize == targets.len() && offsets.is_sorted();
        let known = targets.iter().all(|target| (*target as usize) < states) && terminal.iter().all(|end| *end <= 1);
        let free = |row: usize| terminal[row / actions] == 0 || offsets[row] == offsets[row + 1];
        let named = [(states, &state_names), (actions, &action_names)];
        let named = named.iter().all(|(size, names)| names.is_empty() || names.len() == *size);
        if !whole || !known || !named || !(0..rows).all(free) {
            return Err(container.refuse("the states, actions and outcomes do not fit together"));
        }
        // What is in the file is what was made: it is not normalised again.
        let kept = probabilities.clone();
        let table = (offsets, targets, probabilities);
        let process = MarkovDecisionProcess::of_rows(states, actions, table, Rewards::Action(rewards), discount);
        let process = process.map_err(|error| container.refuse(error.to_string()))?;
        let terminal = terminal.iter().map(|end| *end == 1).collect();
        Ok(MarkovDecisionProcess { probabilities: kept, terminal, state_names, action_names, ..process })
    }
}
