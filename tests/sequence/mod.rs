//! Markov chains, language models and hidden Markov models against formulas, references and what they refuse.

mod chain;
mod files;
mod hidden;
mod neural;
mod ngram;
