//! Language models of n-grams.

mod counter;
mod file;
mod generate;
mod key;
mod levels;
mod model;
mod table;
pub(in crate::sequence) mod tokens;

use std::io::Read;
use std::path::Path;

use serde::{Deserialize, Serialize};

use self::counter::AnyCounter;
use self::tokens::Tokenizer;
use crate::error::{Error, Result};

pub use model::{NgramModel, TextScore};

/// Codes with a meaning: before a sequence, behind it, and words that are not known. Tokens follow.
pub(crate) const BEGIN: u32 = 0;
pub(crate) const END: u32 = 1;
pub(crate) const UNKNOWN: u32 = 2;
/// The names of these codes.
pub(crate) const MARKS: [&str; 3] = ["<s>", "</s>", "<unk>"];

/// What a text is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tokens {
    /// Words between white space; each line is a sequence.
    Words,
    /// Characters; the whole text is one sequence.
    Characters,
}

/// How probabilities follow from counts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Smoothing {
    /// count / total: what was never seen has the probability 0.
    MaximumLikelihood,
    /// (count + k) / (total + k·tokens).
    AddK(f64),
    /// Interpolated Kneser–Ney with a discount between 0 and 1; without one, three for each order are estimated from the
    /// counts of counts (Chen and Goodman 1998).
    KneserNey(Option<f64>),
}

/// A language model of n-grams: the probability of a token depends on the `order` − 1 tokens before it.
///
/// The corpus is read in pieces and only counts are kept, so memory grows with the different n-grams, not with the text.
///
/// ```
/// use gristmill::sequence::{Ngram, Smoothing, Tokens};
/// let text = "the students opened their books\nthe students opened their minds\nthe students closed their books\n";
/// let model = Ngram::new(4).smoothing(Smoothing::MaximumLikelihood).fit(text)?;
/// assert_eq!(model.probability(&["students", "opened", "their"], "books")?, 0.5);
/// let smooth = Ngram::new(3).fit(text)?; // Kneser–Ney
/// assert!(smooth.score("the students closed their minds")?.perplexity() < 5.0);
/// let letters = Ngram::new(5).tokens(Tokens::Characters).fit(text)?;
/// println!("{}", letters.generate("the ", 20, 1.0, 0)?);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ngram {
    /// Tokens of an n-gram, n: at least 1.
    pub order: usize,
    /// What the text is made of.
    pub tokens: Tokens,
    /// How probabilities follow from counts.
    pub smoothing: Smoothing,
    /// n-grams of two tokens and more that were seen fewer times are left out, which makes the model smaller.
    pub min_count: u32,
    /// Tokens that were seen fewer times become `<unk>`, as do unknown ones in a text that is scored. With 1 the vocabulary
    /// is closed, and an unknown token is an [`Error::Symbol`].
    pub min_token_count: u32,
}

impl Ngram {
    /// Words, Kneser–Ney with estimated discounts, nothing left out.
    pub fn new(order: usize) -> Ngram {
        let smoothing = Smoothing::KneserNey(None);
        Ngram { order, tokens: Tokens::Words, smoothing, min_count: 1, min_token_count: 1 }
    }

    /// Sets what the text is made of.
    pub fn tokens(mut self, tokens: Tokens) -> Ngram {
        self.tokens = tokens;
        self
    }

    /// Sets how probabilities follow from counts.
    pub fn smoothing(mut self, smoothing: Smoothing) -> Ngram {
        self.smoothing = smoothing;
        self
    }

    /// Sets how often an n-gram must have been seen.
    pub fn min_count(mut self, min_count: u32) -> Ngram {
        self.min_count = min_count;
        self
    }

    /// Sets how often a token must have been seen.
    pub fn min_token_count(mut self, min_token_count: u32) -> Ngram {
        self.min_token_count = min_token_count;
        self
    }

    pub(crate) fn check(&self) -> Result<()> {
        if self.order == 0 || self.order > 64 {
            return Err(Error::param("order", "from 1 to 64", self.order));
        }
        match self.smoothing {
            Smoothing::AddK(k) if !(k > 0.0 && k.is_finite()) => {
                return Err(Error::param("k", "above 0 and finite", k));
            }
            Smoothing::KneserNey(Some(discount)) if !(discount > 0.0 && discount < 1.0) => {
                return Err(Error::param("discount", "above 0 and below 1", discount));
            }
            _ => {}
        }
        for (name, value) in [("min_count", self.min_count), ("min_token_count", self.min_token_count)] {
            if value == 0 {
                return Err(Error::param(name, "at least 1", value));
            }
        }
        Ok(())
    }

    /// Counts a text.
    pub fn fit(&self, text: &str) -> Result<NgramModel> {
        self.fit_reader(text.as_bytes(), "the corpus")
    }

    /// Counts a file, read in pieces of 1 MiB.
    pub fn fit_file(&self, path: impl AsRef<Path>) -> Result<NgramModel> {
        let name = path.as_ref().display().to_string();
        let file = std::fs::File::open(&path)
            .map_err(|error| Error::Io { path: name.clone(), why: format!("cannot be opened: {error}") })?;
        self.fit_reader(file, &name)
    }

    /// Counts what a reader gives, in pieces of 1 MiB. `name` is that of the text in errors: bytes that are not UTF-8 are an
    /// [`Error::Data`] with their line, a text without tokens too.
    pub fn fit_reader(&self, reader: impl Read, name: &str) -> Result<NgramModel> {
        self.check()?;
        let mut counter = AnyCounter::new(self.order, self.tokens)?;
        Tokenizer::new(self.tokens, name).read(reader, &mut |token| counter.take(token))?;
        counter.finish(self, name)
    }
}
