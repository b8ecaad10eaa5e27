//! Text from a neural language model.

use super::corpus::{before, code, windows};
use super::model::NeuralLanguageModel;
use super::session::Session;
use crate::cpu::random::HostRng;
use crate::error::{Error, Result};
use crate::sequence::distribution::drawn;
use crate::sequence::ngram::{END, MARKS, Tokens, UNKNOWN};

/// The stream of random numbers that text is drawn by.
const TEXT: u32 = 0x4e54_5854;

/// Reads token by token.
pub(super) struct Reader<'a> {
    model: &'a NeuralLanguageModel,
    session: Session,
    /// What was read so far.
    codes: Vec<u32>,
    /// Tokens whose successor is not yet asked for.
    done: usize,
}

impl Reader<'_> {
    /// Reads more tokens; the sums of what follows them.
    pub(super) fn read(&mut self, more: &[u32]) -> Result<Vec<f32>> {
        self.codes.extend_from_slice(more);
        let mut sums = vec![];
        match self.model.params.network.cell() {
            None => {
                let place = self.codes.len();
                sums =
                    self.session.sums(windows(&self.codes, place..place + 1, self.model.params.window)?.as_slice())?;
            }
            Some(_) => {
                while self.done <= self.codes.len() {
                    sums = self.session.sums(&[before(&self.codes, self.done) as f32])?;
                    self.done += 1;
                }
            }
        }
        Ok(sums)
    }
}

impl NeuralLanguageModel {
    /// A reader at the begin of a text.
    pub(super) fn reader(&self) -> Result<Reader<'_>> {
        let session = Session::new(self.params.network(self.codes(), 1)?, &self.parameters, 1)?;
        Ok(Reader { model: self, session, codes: vec![], done: 0 })
    }

    /// `length` tokens of text behind a prompt, which is not part of it. Probabilities are taken to the power of
    /// 1/temperature: below 1 the likely becomes likelier. The same seed gives the same text; `<unk>` is never drawn.
    pub fn generate(&self, prompt: &str, length: usize, temperature: f64, seed: u64) -> Result<String> {
        if !(temperature > 0.0 && temperature.is_finite()) {
            return Err(Error::param("temperature", "above 0 and finite", temperature));
        }
        let mut codes = vec![];
        for (line, text) in prompt.split('\n').enumerate() {
            let words = self.params.tokens == Tokens::Words;
            if line > 0 {
                codes.push(if words { END } else { code(&self.params, &self.symbols, "\n", (line - 1, 0))? });
            }
            let places = text.char_indices().map(|(at, letter)| &text[at..at + letter.len_utf8()]);
            let tokens: Vec<&str> = if words { text.split_whitespace().collect() } else { places.collect() };
            for (place, token) in tokens.into_iter().enumerate() {
                codes.push(code(&self.params, &self.symbols, token, (line, place))?);
            }
        }
        let (mut reader, mut random, mut text) = (self.reader()?, HostRng::new(seed, TEXT), String::new());
        let mut sums = reader.read(&codes)?;
        for _ in 0..length {
            let mut row = self.distribution(&sums, temperature);
            row[UNKNOWN as usize] = 0.0;
            let Some(drawn) = drawn(row.iter(), random.uniform()) else { break };
            let next = drawn as u32;
            if next == END {
                text.push('\n');
            } else {
                if self.params.tokens == Tokens::Words && !text.is_empty() && !text.ends_with('\n') {
                    text.push(' ');
                }
                text.push_str(&self.vocabulary()[drawn - MARKS.len()]);
            }
            sums = reader.read(&[next])?;
        }
        Ok(text)
    }
}
