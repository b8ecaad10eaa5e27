//! What was learnt, in model files.

use serde::{Deserialize, Serialize};

use super::ActionValues;
use super::approximate::LearnedWeights;
use crate::error::Result;
use crate::model_file::{Container, Persist};

#[derive(Serialize, Deserialize, PartialEq)]
struct Saved {
    actions: u64,
}

impl Persist for ActionValues {
    const KIND: &'static str = "action-values";

    fn store(&self, container: &mut Container) -> Result<()> {
        container.set_parameters(&Saved { actions: self.actions as u64 })?;
        let shape = [self.states, self.actions];
        container.insert("values", &shape, self.values.clone())?;
        container.insert("visits", &shape, self.visits.clone())?;
        container.insert("allowed", &shape, self.allowed.iter().map(|free| u8::from(*free)).collect())?;
        container.insert_list("returns", &self.returns)?;
        container.insert_list("lengths", &self.lengths)
    }

    fn restore(container: &mut Container) -> Result<ActionValues> {
        let Saved { actions: claimed } = container.parameters()?;
        let [states, actions] = container.shape("values")?;
        if claimed != actions as u64 || states == 0 || actions == 0 {
            return Err(container.refuse("there are no states, or not as many actions as it says"));
        }
        let allowed: Vec<u8> = container.take("allowed", &[states, actions])?;
        let returns: Vec<f64> = container.take_list("returns")?;
        Ok(ActionValues {
            states,
            actions,
            values: container.take("values", &[states, actions])?,
            visits: container.take("visits", &[states, actions])?,
            allowed: allowed.iter().map(|free| *free != 0).collect(),
            lengths: container.take("lengths", &[returns.len()])?,
            returns,
        })
    }
}

impl Persist for LearnedWeights {
    const KIND: &'static str = "learned-weights";

    fn store(&self, container: &mut Container) -> Result<()> {
        container.set_parameters(&Saved { actions: self.actions as u64 })?;
        let columns = self.weights.len() / self.actions.max(1);
        container.insert("weights", &[self.actions, columns], self.weights.clone())?;
        container.insert_list("returns", &self.returns)
    }

    fn restore(container: &mut Container) -> Result<LearnedWeights> {
        let Saved { actions: claimed } = container.parameters()?;
        let [actions, columns] = container.shape("weights")?;
        if claimed != actions as u64 || actions == 0 || columns == 0 {
            return Err(container.refuse("there are no weights, or not as many actions as it says"));
        }
        let weights = container.take("weights", &[actions, columns])?;
        Ok(LearnedWeights { actions, weights, returns: container.take_list("returns")? })
    }
}
