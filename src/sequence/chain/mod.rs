//! Markov chains of any order.

mod file;
mod graph;
mod model;
mod stationary;
mod table;

use std::fmt::Display;

use self::table::ContextTable;
use super::distribution::check_distribution;
use super::symbols::Symbols;
use crate::error::{Error, Result};

pub use model::MarkovChainModel;
pub use stationary::Stationary;

/// A Markov chain: the next symbol depends on the last `order` symbols alone.
///
/// The fit counts. The probability of a symbol after a context is the share of the context's occurrences that the symbol
/// follows, the maximum-likelihood estimate; with `smoothing` k it is (count + k) / (total + k·symbols). A context that was
/// never seen is an [`Error::Context`], unless there is smoothing or `back_off`, which takes the longest of its endings
/// that was seen. The first symbols of a sequence have contexts of their own, so the initial probabilities are the shares
/// of the first symbols.
///
/// ```
/// use gristmill::sequence::MarkovChain;
/// let words = ["the students opened their books", "the students opened their minds", "they opened their books"];
/// let sentences: Vec<Vec<&str>> = words.iter().map(|line| line.split(' ').collect()).collect();
/// let chain = MarkovChain::new(3).fit(&sentences)?;
/// assert_eq!(chain.probability(&["students", "opened", "their"], "books")?, 0.5);
/// assert!(chain.probability(&["students", "close", "their"], "books").is_err()); // "close" is no known word
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct MarkovChain {
    /// Symbols that the next one depends on, at least 1.
    pub order: usize,
    /// What is added to each count, at least 0.
    pub smoothing: f64,
    /// Whether a context that was never seen gives way to its longest ending that was.
    pub back_off: bool,
}

impl MarkovChain {
    /// A chain of this order, without smoothing and back-off.
    pub fn new(order: usize) -> MarkovChain {
        MarkovChain { order, smoothing: 0.0, back_off: false }
    }

    /// Sets what is added to each count.
    pub fn smoothing(mut self, smoothing: f64) -> MarkovChain {
        self.smoothing = smoothing;
        self
    }

    /// Sets whether a context that was never seen gives way to its longest ending that was.
    pub fn back_off(mut self, back_off: bool) -> MarkovChain {
        self.back_off = back_off;
        self
    }

    pub(super) fn check(&self) -> Result<()> {
        if self.order == 0 || self.order > 255 {
            return Err(Error::param("order", "from 1 to 255", self.order));
        }
        if !(self.smoothing >= 0.0 && self.smoothing.is_finite()) {
            return Err(Error::param("smoothing", "at least 0 and finite", self.smoothing));
        }
        Ok(())
    }

    /// Counts the sequences. Symbols are told apart by their text. Time and memory grow with the symbols in them.
    pub fn fit<S: Display>(&self, sequences: &[impl AsRef<[S]>]) -> Result<MarkovChainModel> {
        self.check()?;
        let mut symbols = Symbols::default();
        let mut codes: Vec<Vec<u32>> = Vec::with_capacity(sequences.len());
        for sequence in sequences {
            codes.push(sequence.as_ref().iter().map(|symbol| symbols.add(&symbol.to_string())).collect());
        }
        if symbols.is_empty() {
            return Err(Error::shape("MarkovChain", "at least one symbol", format!("{} empty sequences", codes.len())));
        }
        let start = symbols.len() as u32;
        // Only back-off asks for shorter contexts.
        let shortest = if self.back_off { 0 } else { self.order };
        let levels =
            (shortest..=self.order).map(|length| ContextTable::count(&codes, self.order, length, start)).collect();
        Ok(MarkovChainModel { params: self.clone(), symbols, levels })
    }

    /// A chain of order 1 with given probabilities: `initial[s]` of the first symbol, and `transitions[s]` of what follows
    /// symbol s. A row that is no distribution is an [`Error::Process`] that names its symbol.
    ///
    /// ```
    /// use gristmill::sequence::MarkovChain;
    /// let weather = MarkovChain::from_probabilities(&["rain", "sun"], &[0.5, 0.5], &[[0.7, 0.3], [0.4, 0.6]])?;
    /// assert!((weather.stationary()?.probabilities[0] - 4.0 / 7.0).abs() < 1e-15);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn from_probabilities<S: Display>(
        symbols: &[S],
        initial: &[f64],
        transitions: &[impl AsRef<[f64]>],
    ) -> Result<MarkovChainModel> {
        let names: Vec<String> = symbols.iter().map(ToString::to_string).collect();
        let known = Symbols::from_names(names.clone()).filter(|known| !known.is_empty());
        let Some(symbols) = known else {
            return Err(Error::param("symbols", "different, at least one", names.join(", ")));
        };
        let size = symbols.len();
        if transitions.len() != size {
            return Err(Error::shape("MarkovChain::from_probabilities", format!("{size} rows"), transitions.len()));
        }
        check_distribution("the initial probabilities", size, initial.iter())?;
        for (name, row) in symbols.names().iter().zip(transitions) {
            check_distribution(&format!("the transitions from {name:?}"), size, row.as_ref().iter())?;
        }
        let rows = transitions.iter().map(AsRef::as_ref).zip(0..).map(|(row, code)| (vec![code], row));
        let level = ContextTable::from_rows(1, rows.chain([(vec![size as u32], initial)]));
        Ok(MarkovChainModel { params: MarkovChain::new(1), symbols, levels: vec![level] })
    }
}
