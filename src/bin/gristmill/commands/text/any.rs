//! A language model of either kind, as its file has it.

use std::io::Read;
use std::path::Path;

use gristmill::Result;
use gristmill::model_file::{Container, Persist};
use gristmill::sequence::{NeuralLanguageModel, NgramModel, TextScore, Tokens};

pub enum AnyLanguageModel {
    Ngram(NgramModel),
    Neural(NeuralLanguageModel),
}

impl AnyLanguageModel {
    /// The model in a file.
    pub fn load(path: &Path) -> Result<AnyLanguageModel> {
        let container = Container::load(path)?;
        match container.kind() == NeuralLanguageModel::KIND {
            true => NeuralLanguageModel::from_container(container).map(AnyLanguageModel::Neural),
            false => NgramModel::from_container(container).map(AnyLanguageModel::Ngram),
        }
    }

    /// What its texts are made of.
    pub fn tokens(&self) -> Tokens {
        match self {
            AnyLanguageModel::Ngram(model) => model.params().tokens,
            AnyLanguageModel::Neural(model) => model.params().tokens,
        }
    }

    pub fn generate(&self, prompt: &str, length: usize, temperature: f64, seed: u64) -> Result<String> {
        match self {
            AnyLanguageModel::Ngram(model) => model.generate(prompt, length, temperature, seed),
            AnyLanguageModel::Neural(model) => model.generate(prompt, length, temperature, seed),
        }
    }

    pub fn score_reader(&self, reader: impl Read, name: &str) -> Result<TextScore> {
        match self {
            AnyLanguageModel::Ngram(model) => model.score_reader(reader, name),
            AnyLanguageModel::Neural(model) => model.score_reader(reader, name),
        }
    }
}
