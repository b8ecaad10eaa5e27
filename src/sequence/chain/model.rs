//! A fitted chain: probabilities, likelihoods, samples.

use std::fmt::Display;

use super::MarkovChain;
use super::table::{ContextTable, Followers};
use crate::cpu::random::HostRng;
use crate::error::{Error, Result};
use crate::sequence::distribution::drawn;
use crate::sequence::symbols::Symbols;

/// The stream of random numbers that samples are drawn by.
const SAMPLES: u32 = 0x5341_4d50;

/// A fitted [`MarkovChain`].
#[derive(Debug, Clone, PartialEq)]
pub struct MarkovChainModel {
    pub(super) params: MarkovChain,
    pub(super) symbols: Symbols,
    /// Contexts by length, the longest last; shorter ones only with back-off.
    pub(super) levels: Vec<ContextTable>,
}

impl MarkovChainModel {
    /// How it was fitted.
    pub fn params(&self) -> &MarkovChain {
        &self.params
    }

    /// The symbols, S of them, in the order of all lists of probabilities.
    pub fn symbols(&self) -> &[String] {
        self.symbols.names()
    }

    /// How many contexts of `order` symbols were seen, those at the begin of a sequence included.
    pub fn contexts(&self) -> usize {
        self.levels.last().map_or(0, ContextTable::len)
    }

    /// The probability of a symbol after a context, of which the last `order` symbols count. A shorter one stands at the
    /// begin of a sequence; the empty one asks for the first symbol.
    pub fn probability<S: Display>(&self, context: &[S], symbol: S) -> Result<f64> {
        let codes = self.codes(0, context)?;
        let symbol = self.code(0, context.len(), &symbol.to_string())?;
        let followers = self.followers(&self.padded(&codes))?;
        Ok(self.share(followers, symbol))
    }

    /// The probabilities of all symbols after a context, S: they sum to 1.
    pub fn next_probabilities<S: Display>(&self, context: &[S]) -> Result<Vec<f64>> {
        let codes = self.codes(0, context)?;
        self.row(&self.padded(&codes))
    }

    /// The probabilities of the first symbol of a sequence, S.
    pub fn initial_probabilities(&self) -> Result<Vec<f64>> {
        self.row(&self.padded(&[]))
    }

    /// The log-likelihood of sequences, in nats: ln π(x₁) + Σ ln a(xₜ₋₁, xₜ) for a chain of order 1. It is −∞ where a symbol
    /// has the probability 0; a symbol or context that is not known is an error.
    pub fn log_likelihood<S: Display>(&self, sequences: &[impl AsRef<[S]>]) -> Result<f64> {
        let mut sum = 0.0;
        for (at, sequence) in sequences.iter().enumerate() {
            let padded = self.padded(&self.codes(at, sequence.as_ref())?);
            for window in padded.windows(self.params.order + 1) {
                let (context, next) = (&window[..self.params.order], window[self.params.order]);
                sum += self.share(self.followers(context)?, next).ln();
            }
        }
        Ok(sum)
    }

    /// A random sequence of `length` symbols; the same seed gives the same one. A chain without back-off and smoothing ends
    /// early where a context was only seen at the end of a sequence.
    ///
    /// ```
    /// use gristmill::sequence::MarkovChain;
    /// let chain = MarkovChain::new(1).fit(&[['a', 'b', 'a', 'b']])?;
    /// assert_eq!(chain.sample(5, 0)?.concat(), "ababa");
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn sample(&self, length: usize, seed: u64) -> Result<Vec<String>> {
        self.sample_after::<String>(&[], length, seed)
    }

    /// [`MarkovChainModel::sample`] after a context, which is not part of the result.
    pub fn sample_after<S: Display>(&self, context: &[S], length: usize, seed: u64) -> Result<Vec<String>> {
        let mut random = HostRng::new(seed, SAMPLES);
        let mut history = self.padded(&self.codes(0, context)?);
        let mut sample = Vec::with_capacity(length.min(1 << 20));
        for step in 0..length {
            let last = &history[history.len() - self.params.order..];
            let row = match self.row(last) {
                Ok(row) => row,
                // The very first context may be unknown; later ones are where sequences ended.
                Err(error) if step == 0 => return Err(error),
                Err(_) => break,
            };
            let next = drawn(row.iter(), random.uniform()).unwrap_or(0);
            history.push(next as u32);
            sample.push(self.symbols.names()[next].clone());
        }
        Ok(sample)
    }

    /// Codes of symbols; one that is not known is refused with its place.
    fn codes<S: Display>(&self, sequence: usize, symbols: &[S]) -> Result<Vec<u32>> {
        symbols.iter().enumerate().map(|(at, symbol)| self.code(sequence, at, &symbol.to_string())).collect()
    }

    fn code(&self, sequence: usize, position: usize, symbol: &str) -> Result<u32> {
        let unknown = || Error::Symbol { sequence, position, symbol: symbol.to_string(), known: self.symbols.len() };
        self.symbols.code(symbol).ok_or_else(unknown)
    }

    /// The code of the places before a sequence.
    pub(super) fn start(&self) -> u32 {
        self.symbols.len() as u32
    }

    /// Codes behind `order` times the start.
    fn padded(&self, codes: &[u32]) -> Vec<u32> {
        std::iter::repeat_n(self.start(), self.params.order).chain(codes.iter().copied()).collect()
    }

    /// What followed the last `order` codes, or their longest ending that was seen; `None` where smoothing knows no more
    /// than that all symbols are alike.
    pub(super) fn followers(&self, codes: &[u32]) -> Result<Option<Followers<'_>>> {
        for level in self.levels.iter().rev() {
            if let Some(found) = level.get(&codes[codes.len() - level.length..]) {
                return Ok(Some(found));
            }
        }
        if self.params.smoothing > 0.0 {
            return Ok(None);
        }
        Err(Error::Context { context: self.named(&codes[codes.len() - self.params.order..]) })
    }

    /// The names of codes; those before a sequence have none.
    pub(super) fn named(&self, codes: &[u32]) -> Vec<String> {
        codes.iter().filter_map(|code| self.symbols.names().get(*code as usize).cloned()).collect()
    }

    fn share(&self, followers: Option<Followers<'_>>, symbol: u32) -> f64 {
        let (k, size) = (self.params.smoothing, self.symbols.len() as f64);
        match followers {
            Some(followers) => (followers.count(symbol) + k) / (followers.total + k * size),
            None => 1.0 / size,
        }
    }

    /// The probabilities of all symbols after a context of codes.
    pub(super) fn row(&self, codes: &[u32]) -> Result<Vec<f64>> {
        let followers = self.followers(codes)?;
        Ok((0..self.start()).map(|symbol| self.share(followers, symbol)).collect())
    }
}
