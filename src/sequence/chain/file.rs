//! Chains in model files.

use serde::{Deserialize, Serialize};

use super::MarkovChain;
use super::model::MarkovChainModel;
use super::table::ContextTable;
use crate::error::Result;
use crate::model_file::{Container, Persist};
use crate::sequence::symbols::Symbols;

#[derive(Serialize, Deserialize, PartialEq)]
struct Saved {
    order: usize,
    smoothing: f64,
    back_off: bool,
}

impl Persist for MarkovChainModel {
    const KIND: &'static str = "markov-chain";

    fn store(&self, container: &mut Container) -> Result<()> {
        let MarkovChain { order, smoothing, back_off } = self.params;
        container.set_parameters(&Saved { order, smoothing, back_off })?;
        self.symbols.store(container)?;
        self.levels.iter().try_for_each(|level| level.store(container))
    }

    fn restore(container: &mut Container) -> Result<MarkovChainModel> {
        let Saved { order, smoothing, back_off } = container.parameters()?;
        let params = MarkovChain { order, smoothing, back_off };
        params.check().map_err(|error| container.refuse(error.to_string()))?;
        let symbols = Symbols::restore(container)?;
        let shortest = if back_off { 0 } else { order };
        let levels = (shortest..=order).map(|length| ContextTable::restore(container, length, symbols.len()));
        let levels = levels.collect::<Result<Vec<_>>>()?;
        Ok(MarkovChainModel { params, symbols, levels })
    }
}
