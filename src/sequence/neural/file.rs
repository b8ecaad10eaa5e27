//! Neural language models in model files.

use serde::{Deserialize, Serialize};

use super::{NeuralLanguage, NeuralLanguageModel};
use crate::error::Result;
use crate::model_file::{Container, Persist};
use crate::sequence::symbols::Symbols;

#[derive(Serialize, Deserialize, PartialEq)]
struct Fitted {
    corpus: u64,
    losses: Vec<f64>,
}

impl Persist for NeuralLanguageModel {
    const KIND: &'static str = "neural-language";

    fn store(&self, container: &mut Container) -> Result<()> {
        container.set_estimator(&self.params)?;
        container.set_fitted(&Fitted { corpus: self.corpus, losses: self.losses.clone() })?;
        self.symbols.store(container)?;
        container.insert_list("parameters", &self.parameters)
    }

    fn restore(container: &mut Container) -> Result<NeuralLanguageModel> {
        let params: NeuralLanguage = container.estimator()?;
        params.check().map_err(|error| container.refuse(error.to_string()))?;
        let Fitted { corpus, losses } = container.fitted()?;
        let symbols = Symbols::restore(container)?;
        let parameters: Vec<f32> = container.take_list("parameters")?;
        let model = NeuralLanguageModel::new(params, symbols, parameters, (losses, corpus))?;
        let need = model.params.network(model.codes(), 1).map(|network| network.parameters());
        match need {
            Ok(need) if need == model.parameters.len() => Ok(model),
            _ => {
                Err(container
                    .refuse("the network does not have as many parameters as its vocabulary and units ask for"))
            }
        }
    }
}
