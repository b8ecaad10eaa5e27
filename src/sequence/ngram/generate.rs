//! Text from a language model.

use super::levels::discount;
use super::model::NgramModel;
use super::{END, Smoothing, Tokens, UNKNOWN};
use crate::cpu::random::HostRng;
use crate::error::{Error, Result};
use crate::sequence::distribution::drawn;

/// The stream of random numbers that text is drawn by.
const TEXT: u32 = 0x5445_5854;

impl NgramModel {
    /// `length` tokens of text behind a prompt, which is not part of it. Probabilities are taken to the power of
    /// 1/temperature: below 1 the likely becomes likelier. The same seed gives the same text; `<unk>` is never drawn, and
    /// the end of a line begins a new one.
    pub fn generate(&self, prompt: &str, length: usize, temperature: f64, seed: u64) -> Result<String> {
        if !(temperature > 0.0 && temperature.is_finite()) {
            return Err(Error::param("temperature", "above 0 and finite", temperature));
        }
        let mut letters = [0; 4];
        let owned: Vec<String> = match self.params.tokens {
            Tokens::Words => {
                let last = prompt.rsplit('\n').next().unwrap_or_default();
                last.split_whitespace().map(String::from).collect()
            }
            Tokens::Characters => prompt.chars().map(|letter| letter.encode_utf8(&mut letters).to_string()).collect(),
        };
        let tokens: Vec<&str> = owned.iter().map(String::as_str).collect();
        let begin = self.history(&[])?;
        let mut history = self.history(&tokens)?;
        let mut random = HostRng::new(seed, TEXT);
        let mut text = String::new();
        for _ in 0..length {
            let mut row = self.distribution(&history)?;
            row[UNKNOWN as usize] = 0.0;
            if temperature != 1.0 {
                row.iter_mut()
                    .filter(|weight| **weight > 0.0)
                    .for_each(|weight| *weight = weight.powf(1.0 / temperature));
            }
            let Some(code) = drawn(row.iter(), random.uniform()) else { break };
            let code = code as u32;
            if code == END {
                text.push('\n');
                history.clone_from(&begin);
                continue;
            }
            if self.params.tokens == Tokens::Words && !text.is_empty() && !text.ends_with('\n') {
                text.push(' ');
            }
            text.push_str(&self.names[code as usize]);
            if !history.is_empty() {
                history.remove(0);
                history.push(code);
            }
        }
        Ok(text)
    }

    /// The probability of each code after a history of `order` − 1 codes.
    pub(super) fn distribution(&self, history: &[u32]) -> Result<Vec<f64>> {
        let size = self.names.len();
        let uniform: Vec<f64> =
            (0..size as u32).map(|code| if self.can_follow(code) { 1.0 / self.possible() } else { 0.0 }).collect();
        let longest = self.params.order - 1;
        let level = &self.levels.levels[longest];
        let seen = self.context(history).filter(|context| level.totals[*context] > 0);
        let mut row = match self.params.smoothing {
            Smoothing::MaximumLikelihood => {
                let context = seen.ok_or_else(|| self.unseen(history))?;
                let (mut row, total) = (vec![0.0; size], f64::from(level.totals[context]));
                let (words, counts) = level.followers(context);
                words.iter().zip(counts).for_each(|(word, count)| row[*word as usize] = f64::from(*count) / total);
                row
            }
            Smoothing::AddK(k) => {
                let Some(context) = seen else { return Ok(uniform) };
                let whole = f64::from(level.totals[context]) + k * self.possible();
                let mut row: Vec<f64> = uniform.iter().map(|share| share * self.possible() * k / whole).collect();
                let (words, counts) = level.followers(context);
                words.iter().zip(counts).for_each(|(word, count)| row[*word as usize] += f64::from(*count) / whole);
                row
            }
            Smoothing::KneserNey(_) => self.interpolated(history, uniform),
        };
        row[super::BEGIN as usize] = 0.0;
        Ok(row)
    }

    /// Kneser–Ney for all codes at once, from the shortest context up.
    fn interpolated(&self, history: &[u32], mut row: Vec<f64>) -> Vec<f64> {
        for (length, level) in self.levels.levels.iter().enumerate() {
            let Some(context) = self.context(&history[history.len() - length..]) else { break };
            let total = f64::from(level.totals[context]);
            if total > 0.0 {
                row.iter_mut().for_each(|share| *share *= level.gammas[context]);
                let (words, counts) = level.followers(context);
                for (word, count) in words.iter().zip(counts) {
                    let kept = f64::from(*count) - discount(&self.levels.discounts[length], *count);
                    row[*word as usize] += kept / total;
                }
            }
        }
        row
    }
}
