//! A fitted neural language model: probabilities and scores.

use std::io::Read;

use super::corpus::{before, code, encode, windows};
use super::session::{Session, log_probability};
use super::{LanguageNetwork, NeuralLanguage};
use crate::array::Matrix;
use crate::error::{Error, Result};
use crate::sequence::ngram::{BEGIN, END, MARKS, TextScore, Tokens, UNKNOWN};
use crate::sequence::symbols::Symbols;

/// Tokens that a part of a long text is read from before it counts, so that its state is that of a text which goes on.
const WARM_UP: usize = 256;
/// Tokens of a part at the least, and parts at most.
const PART: usize = 4096;
const MOST_PARTS: usize = 48;
/// Tokens that go through a network at once.
const STEPS: usize = 64;
/// Numbers of the sums that are held at once.
const ROOM: usize = 1 << 22;

/// A fitted [`NeuralLanguage`].
#[derive(Debug, Clone, PartialEq)]
pub struct NeuralLanguageModel {
    pub(super) params: NeuralLanguage,
    pub(super) symbols: Symbols,
    pub(super) parameters: Vec<f32>,
    pub(super) losses: Vec<f64>,
    pub(super) corpus: u64,
}

impl NeuralLanguageModel {
    pub(super) fn new(
        params: NeuralLanguage,
        symbols: Symbols,
        parameters: Vec<f32>,
        (losses, corpus): (Vec<f64>, u64),
    ) -> Result<NeuralLanguageModel> {
        Ok(NeuralLanguageModel { params, symbols, parameters, losses, corpus })
    }

    /// How it was fitted.
    pub fn params(&self) -> &NeuralLanguage {
        &self.params
    }

    /// The tokens that it knows, in the order in which they came.
    pub fn vocabulary(&self) -> &[String] {
        self.symbols.names()
    }

    /// How many tokens were learnt, ends of lines included.
    pub fn corpus_tokens(&self) -> u64 {
        self.corpus
    }

    /// The mean loss of a token in each epoch, in nats, as it was when its batch was learnt.
    pub fn losses(&self) -> &[f64] {
        &self.losses
    }

    /// Numbers that were learnt.
    pub fn parameter_count(&self) -> usize {
        self.parameters.len()
    }

    /// The vectors of the vocabulary, a row each.
    pub fn vectors(&self) -> Result<Matrix> {
        let network = self.params.network(self.codes(), 1)?;
        let table = network.block(&self.parameters, 0)?;
        let own = table.as_slice()[MARKS.len() * table.columns()..].to_vec();
        Matrix::from_vec(self.symbols.len(), table.columns(), own)
    }

    /// The probabilities of all tokens that can follow a context, the most likely first: tokens, `</s>` for the end of a
    /// line, `<unk>`. They sum to 1. An unknown token is an [`Error::Symbol`], unless rare tokens became `<unk>`.
    pub fn next_probabilities(&self, context: &[&str]) -> Result<Vec<(String, f64)>> {
        let mut codes = vec![];
        for (place, token) in context.iter().enumerate() {
            codes.push(code(&self.params, &self.symbols, token, (0, place))?);
        }
        let mut reader = self.reader()?;
        let sums = reader.read(&codes)?;
        let row = self.distribution(&sums, 1.0);
        let names = MARKS.iter().map(|mark| mark.to_string()).chain(self.vocabulary().iter().cloned());
        let mut named: Vec<(String, f64)> = names.zip(row).filter(|(_, probability)| *probability > 0.0).collect();
        named.sort_by(|a, b| b.1.total_cmp(&a.1));
        Ok(named)
    }

    /// How well the model predicts a text, read as one sequence. A recurrent network reads a text of more than 8192 tokens in parts
    /// side by side, each from 256 tokens before it on.
    pub fn score(&self, text: &str) -> Result<TextScore> {
        self.score_reader(text.as_bytes(), "the text")
    }

    /// [`NeuralLanguageModel::score`] of what a reader gives; `name` is that of the text in errors.
    pub fn score_reader(&self, reader: impl Read, name: &str) -> Result<TextScore> {
        let codes = encode(&self.params, &self.symbols, reader, name)?;
        if codes.is_empty() {
            let why = "there are no tokens in it: nothing to score".to_string();
            return Err(Error::Data { path: name.to_string(), line: None, column: None, why });
        }
        let log_likelihood = match self.params.network {
            LanguageNetwork::Window => self.window_likelihood(&codes)?,
            _ => self.recurrent_likelihood(&codes)?,
        };
        let unknown = codes.iter().filter(|code| **code == UNKNOWN).count();
        Ok(TextScore { tokens: codes.len(), log_likelihood, unknown, impossible: 0 })
    }

    fn window_likelihood(&self, codes: &[u32]) -> Result<f64> {
        let rows = (ROOM / self.codes()).clamp(1, 1024);
        let mut session = Session::new(self.params.network(self.codes(), 1)?, &self.parameters, rows)?;
        let mut total = 0.0;
        for first in (0..codes.len()).step_by(rows) {
            let end = codes.len().min(first + rows);
            let sums = session.sums(windows(codes, first..end, self.params.window)?.as_slice())?;
            let pairs = sums.chunks_exact(self.codes()).zip(&codes[first..end]);
            total += pairs.map(|(sums, code)| log_probability(sums, *code)).sum::<f64>();
        }
        Ok(total)
    }

    fn recurrent_likelihood(&self, codes: &[u32]) -> Result<f64> {
        let parts = (codes.len() / PART).clamp(1, MOST_PARTS);
        let steps = STEPS.min(ROOM / (parts * self.codes())).max(1);
        let mut session = Session::new(self.params.network(self.codes(), steps)?, &self.parameters, parts)?;
        let length = codes.len().div_ceil(parts);
        let counted = |part: usize| (part * length).min(codes.len())..((part + 1) * length).min(codes.len());
        let begins: Vec<usize> = (0..parts).map(|part| (part * length).saturating_sub(WARM_UP)).collect();
        let mut total = 0.0;
        for done in (0..length + WARM_UP).step_by(steps) {
            let places = |part: usize| (0..steps).map(move |step| (part, step));
            let place = |(part, step): (usize, usize)| begins[part] + done + step;
            let input = |at: (usize, usize)| match place(at) {
                place if place < codes.len() => before(codes, place) as f32,
                _ => BEGIN as f32,
            };
            let inputs: Vec<f32> = (0..parts).flat_map(places).map(input).collect();
            let sums = session.sums(&inputs)?;
            for (at, sums) in (0..parts).flat_map(places).zip(sums.chunks_exact(self.codes())) {
                if counted(at.0).contains(&place(at)) {
                    total += log_probability(sums, codes[place(at)]);
                }
            }
        }
        Ok(total)
    }

    /// Marks and tokens.
    pub(super) fn codes(&self) -> usize {
        self.symbols.len() + MARKS.len()
    }

    /// The probability of each code by the sums before the softmax, to the power of 1/temperature; marks that cannot follow have
    /// none.
    pub(super) fn distribution(&self, sums: &[f32], temperature: f64) -> Vec<f64> {
        let possible = |code: u32| match code {
            BEGIN => false,
            END => self.params.tokens == Tokens::Words,
            UNKNOWN => self.params.min_token_count > 1,
            _ => true,
        };
        let kept: Vec<(bool, f32)> = (0..).map(possible).zip(sums.iter().copied()).collect();
        let highest = kept.iter().filter(|(kept, _)| *kept).fold(f32::NEG_INFINITY, |most, (_, sum)| most.max(*sum));
        let power = |(kept, sum): (bool, f32)| if kept { (f64::from(sum - highest) / temperature).exp() } else { 0.0 };
        let mut row: Vec<f64> = kept.into_iter().map(power).collect();
        let total: f64 = row.iter().sum();
        row.iter_mut().for_each(|share| *share /= total);
        row
    }
}
