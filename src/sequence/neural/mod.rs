//! Neural language models: a fixed window of word vectors, and recurrent networks.

mod corpus;
mod file;
mod fit;
mod generate;
mod model;
mod picture;
mod session;

use std::io::Read;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::ngram::{MARKS, Tokens};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::estimator::{Observer, Unobserved};
use crate::neural::{Activation, Cell, Dense, Embedding, Network, OutputLoss, Recurrent, Shape};

pub use model::NeuralLanguageModel;

/// The network of a language model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LanguageNetwork {
    /// The vectors of the last tokens side by side, a hidden layer, the next token (Bengio et al. 2003).
    Window,
    /// A plain recurrent layer behind the vectors.
    Recurrent,
    /// Gated recurrent units.
    Gru,
    /// Long short-term memory.
    Lstm,
}

impl LanguageNetwork {
    /// The cell of its recurrent layer; none for a window.
    fn cell(self) -> Option<Cell> {
        match self {
            LanguageNetwork::Window => None,
            LanguageNetwork::Recurrent => Some(Cell::Plain),
            LanguageNetwork::Gru => Some(Cell::Gru),
            LanguageNetwork::Lstm => Some(Cell::Lstm),
        }
    }
}

/// A language model that is a network: each token has a vector, and the next token follows from a window of them or from a
/// recurrent state.
///
/// A recurrent one cuts the text into `batch_size` parts that it reads side by side, `steps` tokens at a time; states go on from batch
/// to batch, slopes go back through `steps` tokens. Batches, both passes and steps of Adam run on the device; one read-back an epoch.
///
/// ```
/// use gristmill::sequence::{LanguageNetwork, NeuralLanguage, Tokens};
/// let text = "ring a ring o roses a pocket full of posies ".repeat(20);
/// let letters = NeuralLanguage::new(LanguageNetwork::Gru).tokens(Tokens::Characters).units(16).width(8);
/// let model = letters.steps(16).batch_size(4).epochs(8).learning_rate(0.02).fit(&text)?;
/// assert!(model.score(&text)?.perplexity() < 8.0); // of 15 letters
/// println!("{}", model.generate("ring ", 20, 0.7, 0)?);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NeuralLanguage {
    /// The network.
    pub network: LanguageNetwork,
    /// What the text is made of. The end of a line of words is a token too.
    pub tokens: Tokens,
    /// Numbers of a token's vector, a multiple of 4.
    pub width: usize,
    /// Units of the hidden layer, or of the state: for a state a multiple of 4, up to 1024.
    pub units: usize,
    /// Tokens of a window.
    pub window: usize,
    /// Tokens through which slopes go back, for a recurrent network.
    pub steps: usize,
    /// Parts of the text that are read side by side. A window model takes `batch_size`·`steps` windows at once.
    pub batch_size: usize,
    /// Times that the text is read.
    pub epochs: usize,
    /// The rate of Adam's first step; it falls to a tenth along half a cosine.
    pub learning_rate: f64,
    /// Longer gradients are shortened to this.
    pub clip_norm: f64,
    /// The share of hidden values left out while the network learns.
    pub dropout: f64,
    /// Tokens that were seen fewer times become `<unk>`, as do unknown ones in a text that is scored. With 1 the vocabulary
    /// is closed, and an unknown token is an [`Error::Symbol`].
    pub min_token_count: u32,
    /// Decides the first weights, orders and dropout.
    pub seed: u64,
}

macro_rules! setters {
    ($($(#[$about:meta])* $name:ident: $type:ty),* $(,)?) => {$(
        $(#[$about])*
        pub fn $name(mut self, $name: $type) -> NeuralLanguage {
            self.$name = $name;
            self
        }
    )*};
}

impl NeuralLanguage {
    /// Words with vectors of 32 numbers, 128 units, windows of 8 tokens or 64 steps, 48 parts, five epochs at a rate of 0.008.
    pub fn new(network: LanguageNetwork) -> NeuralLanguage {
        NeuralLanguage {
            network,
            tokens: Tokens::Words,
            width: 32,
            units: 128,
            window: 8,
            steps: 64,
            batch_size: 48,
            epochs: 5,
            learning_rate: 0.008,
            clip_norm: 1.0,
            dropout: 0.0,
            min_token_count: 1,
            seed: 0,
        }
    }

    setters! {
        /// Sets what the text is made of.
        tokens: Tokens,
        /// Sets the numbers of a token's vector.
        width: usize,
        /// Sets the units of the hidden layer or of the state.
        units: usize,
        /// Sets the tokens of a window.
        window: usize,
        /// Sets the tokens through which slopes go back.
        steps: usize,
        /// Sets the parts of the text that are read side by side.
        batch_size: usize,
        /// Sets how often the text is read.
        epochs: usize,
        /// Sets the rate of the first step.
        learning_rate: f64,
        /// Sets the longest gradient.
        clip_norm: f64,
        /// Sets the share of hidden values left out.
        dropout: f64,
        /// Sets how often a token must have been seen.
        min_token_count: u32,
        /// Sets the seed.
        seed: u64,
    }

    pub(super) fn check(&self) -> Result<()> {
        let counts = [
            ("window", self.window),
            ("steps", self.steps),
            ("batch_size", self.batch_size),
            ("epochs", self.epochs),
            ("min_token_count", self.min_token_count as usize),
        ];
        for (name, value) in counts {
            if value == 0 || value > 1 << 24 {
                return Err(Error::param(name, "from 1 to 16777216", value));
            }
        }
        for (name, value) in [("learning_rate", self.learning_rate), ("clip_norm", self.clip_norm)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(Error::param(name, "above 0 and finite", value));
            }
        }
        // Width, units and dropout are checked by the layers.
        self.network(MARKS.len() + 1, 1).map(|_| ())
    }

    /// The network for so many codes, with rows of so many steps if it is recurrent.
    fn network(&self, codes: usize, steps: usize) -> Result<Network> {
        let flat = |length| Network::new(Shape::Flat(length), OutputLoss::CategoricalCrossEntropy);
        let vectors = Embedding::new(codes, self.width);
        let next = Dense::new(codes, Activation::Softmax);
        match self.network.cell() {
            Some(cell) => {
                let state = Recurrent::new(cell, self.units).dropout(self.dropout).carried();
                flat(steps).layer(vectors)?.layer(state)?.layer(next.each_step())
            }
            None => {
                let hidden = Dense::new(self.units, Activation::Tanh).dropout(self.dropout);
                flat(self.window).layer(vectors)?.layer(hidden)?.layer(next)
            }
        }
    }

    /// Learns a text on the CPU.
    pub fn fit(&self, text: &str) -> Result<NeuralLanguageModel> {
        self.fit_reader(text.as_bytes(), "the corpus", &Device::Cpu, &mut Unobserved)
    }

    /// Learns a file on a device.
    pub fn fit_file(
        &self,
        path: impl AsRef<Path>,
        device: &Device,
        observer: &mut dyn Observer,
    ) -> Result<NeuralLanguageModel> {
        let name = path.as_ref().display().to_string();
        let file = std::fs::File::open(&path)
            .map_err(|error| Error::Io { path: name.clone(), why: format!("cannot be opened: {error}") })?;
        self.fit_reader(file, &name, device, observer)
    }

    /// Learns what a reader gives on a device; the observer gets a report after each epoch. `name` is that of the text in errors:
    /// bytes that are not UTF-8 are an [`Error::Data`] with their line, a text without tokens too.
    pub fn fit_reader(
        &self,
        reader: impl Read,
        name: &str,
        device: &Device,
        observer: &mut dyn Observer,
    ) -> Result<NeuralLanguageModel> {
        self.check()?;
        let (symbols, codes) = corpus::read(self, reader, name)?;
        fit::fit(self, symbols, &codes, device, observer)
    }
}
