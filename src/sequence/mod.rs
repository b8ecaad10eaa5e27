//! Sequences of symbols: Markov chains, n-gram and neural language models, hidden Markov models.
//!
//! They take sequences instead of rows, so they are types of their own: a struct of parameters whose `fit` returns a
//! model, which can be saved and loaded like any other. At the shell: `gristmill text`.
//!
//! ```
//! use gristmill::sequence::MarkovChain;
//! let days = [["rain", "rain", "sun"], ["sun", "rain", "rain"]];
//! let chain = MarkovChain::new(1).fit(&days)?;
//! assert_eq!(chain.probability(&["rain"], "rain")?, 2.0 / 3.0); // two of the three days after a rainy one
//! # Ok::<(), gristmill::Error>(())
//! ```

mod chain;
mod distribution;
mod hidden;
mod neural;
mod ngram;
mod symbols;

pub use chain::{MarkovChain, MarkovChainModel, Stationary};
pub use hidden::{CovarianceKind, Emissions, HiddenMarkov, HiddenMarkovModel, Observations};
pub use neural::{LanguageNetwork, NeuralLanguage, NeuralLanguageModel};
pub use ngram::{Ngram, NgramModel, Smoothing, TextScore, Tokens};
pub use symbols::Symbols;
