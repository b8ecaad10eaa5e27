//! A fitted language model: probabilities and scores.

use super::counter::Codes;
use super::levels::{Levels, discount};
use super::tokens::{Token, Tokenizer};
use super::{BEGIN, END, MARKS, Ngram, Smoothing, Tokens, UNKNOWN};
use crate::error::{Error, Result};

/// A fitted [`Ngram`].
#[derive(Debug, Clone)]
pub struct NgramModel {
    pub(super) params: Ngram,
    /// Marks, then tokens.
    pub(super) names: Vec<String>,
    pub(super) codes: Codes,
    pub(super) levels: Levels,
    pub(super) corpus: u64,
}

/// How well a model predicts a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TextScore {
    /// Tokens that were predicted; the ends of lines are, for words.
    pub tokens: usize,
    /// The sum of the logarithms of their probabilities, in nats; −∞ where one was 0.
    pub log_likelihood: f64,
    /// Tokens that were taken for `<unk>`.
    pub unknown: usize,
    /// Tokens with the probability 0.
    pub impossible: usize,
}

impl TextScore {
    /// The perplexity: e to the mean loss. Infinite where a token had the probability 0.
    pub fn perplexity(&self) -> f64 {
        (-self.log_likelihood / self.tokens.max(1) as f64).exp()
    }

    /// The mean loss of a token in bits.
    pub fn bits(&self) -> f64 {
        -self.log_likelihood / self.tokens.max(1) as f64 / std::f64::consts::LN_2
    }
}

impl NgramModel {
    pub(super) fn new(params: Ngram, names: Vec<String>, levels: Levels, corpus: u64) -> Result<NgramModel> {
        let codes = (0..).zip(&names).skip(MARKS.len()).map(|(code, name)| (name.clone(), code)).collect();
        Ok(NgramModel { params, names, codes, levels, corpus })
    }

    /// How it was fitted.
    pub fn params(&self) -> &Ngram {
        &self.params
    }

    /// The tokens that it knows, in the order in which they came.
    pub fn vocabulary(&self) -> &[String] {
        &self.names[MARKS.len()..]
    }

    /// How many tokens were counted, ends of lines included.
    pub fn corpus_tokens(&self) -> u64 {
        self.corpus
    }

    /// How many n-grams of 1, 2, … tokens are kept.
    pub fn ngrams(&self) -> Vec<usize> {
        self.levels.levels.iter().map(|level| level.counts.iter().filter(|count| **count > 0).count()).collect()
    }

    /// The discounts of Kneser–Ney for counts of 1, 2 and more at each order; zeros without it.
    pub fn discounts(&self) -> &[[f64; 3]] {
        &self.levels.discounts
    }

    /// The probability of a token after a context, of which the last `order` − 1 tokens count; a shorter one stands at the
    /// begin of a sequence. An unknown token is an [`Error::Symbol`], unless rare tokens became `<unk>`. With maximum
    /// likelihood a context that was never seen is an [`Error::Context`].
    pub fn probability(&self, context: &[&str], token: &str) -> Result<f64> {
        let history = self.history(context)?;
        let code = self.code(0, context.len(), token)?;
        self.probability_of(&history, code).ok_or_else(|| self.unseen(&history))
    }

    /// The probabilities of all tokens that can follow a context, the most likely first: tokens, `</s>` for the end of a
    /// line, `<unk>`. They sum to 1.
    pub fn next_probabilities(&self, context: &[&str]) -> Result<Vec<(String, f64)>> {
        let row = self.distribution(&self.history(context)?)?;
        let mut named: Vec<(String, f64)> = self.names.iter().cloned().zip(row).collect();
        named.retain(|(_, probability)| *probability > 0.0);
        named.sort_by(|a, b| b.1.total_cmp(&a.1));
        Ok(named)
    }

    /// How well the model predicts a text.
    pub fn score(&self, text: &str) -> Result<TextScore> {
        self.score_reader(text.as_bytes(), "the text")
    }

    /// [`NgramModel::score`] of what a reader gives, in pieces; `name` is that of the text in errors.
    pub fn score_reader(&self, reader: impl std::io::Read, name: &str) -> Result<TextScore> {
        let mut score = TextScore { tokens: 0, log_likelihood: 0.0, unknown: 0, impossible: 0 };
        let begin = vec![BEGIN; self.params.order - 1];
        let (mut history, mut line, mut position) = (begin.clone(), 0, 0);
        Tokenizer::new(self.params.tokens, name).read(reader, &mut |token| {
            let code = match token {
                Token::End => END,
                Token::Text(text) => self.code(line, position, text)?,
            };
            let probability = self.probability_of(&history, code).unwrap_or(0.0);
            score.tokens += 1;
            score.log_likelihood += probability.ln();
            score.unknown += usize::from(code == UNKNOWN);
            score.impossible += usize::from(probability == 0.0);
            position += 1;
            if code == END {
                (line, position) = (line + 1, 0);
                history.clone_from(&begin);
            } else if !history.is_empty() {
                history.rotate_left(1);
                let last = history.len() - 1;
                history[last] = code;
            }
            Ok(())
        })?;
        if score.tokens == 0 {
            let why = "there are no tokens in it: nothing to score".to_string();
            return Err(Error::Data { path: name.to_string(), line: None, column: None, why });
        }
        Ok(score)
    }

    /// Whether there is a token for those that are not known.
    pub(super) fn is_open(&self) -> bool {
        self.params.min_token_count > 1
    }

    /// How many codes can follow: the begin never does, the end and `<unk>` only where there are any.
    pub(super) fn possible(&self) -> f64 {
        let ends = usize::from(self.params.tokens == Tokens::Words);
        (self.names.len() - MARKS.len() + ends + usize::from(self.is_open())) as f64
    }

    pub(super) fn can_follow(&self, code: u32) -> bool {
        match code {
            BEGIN => false,
            END => self.params.tokens == Tokens::Words,
            UNKNOWN => self.is_open(),
            _ => true,
        }
    }

    fn code(&self, sequence: usize, position: usize, token: &str) -> Result<u32> {
        match self.codes.get(token) {
            Some(code) => Ok(*code),
            None if self.is_open() => Ok(UNKNOWN),
            None => {
                let known = self.names.len() - MARKS.len();
                Err(Error::Symbol { sequence, position, symbol: token.to_string(), known })
            }
        }
    }

    /// The codes of the last `order` − 1 tokens, begins before them.
    pub(super) fn history(&self, context: &[&str]) -> Result<Vec<u32>> {
        let codes = context.iter().enumerate().map(|(at, token)| self.code(0, at, token));
        let codes = codes.collect::<Result<Vec<u32>>>()?;
        let wanted = self.params.order - 1;
        let padded: Vec<u32> = std::iter::repeat_n(BEGIN, wanted).chain(codes).collect();
        Ok(padded[padded.len() - wanted..].to_vec())
    }

    pub(super) fn unseen(&self, history: &[u32]) -> Error {
        let known = history.iter().filter(|code| **code != BEGIN);
        Error::Context { context: known.map(|code| self.names[*code as usize].clone()).collect() }
    }

    /// The number of a context among those of its length, if it was seen.
    pub(super) fn context(&self, codes: &[u32]) -> Option<usize> {
        codes.iter().zip(&self.levels.levels).try_fold(0, |context, (code, level)| level.find(context, *code))
    }

    /// The probability of a code; `None` where maximum likelihood knows nothing of the context.
    fn probability_of(&self, history: &[u32], code: u32) -> Option<f64> {
        let count = |length: usize, context: usize| {
            let level = &self.levels.levels[length];
            level.find(context, code).map_or(0, |at| level.counts[at])
        };
        let total = |length: usize, context: usize| f64::from(self.levels.levels[length].totals[context]);
        let longest = self.params.order - 1;
        match self.params.smoothing {
            Smoothing::MaximumLikelihood => {
                let context = self.context(history).filter(|context| total(longest, *context) > 0.0)?;
                Some(f64::from(count(longest, context)) / total(longest, context))
            }
            Smoothing::AddK(k) => {
                let seen = self.context(history);
                let (count, total) = seen.map_or((0, 0.0), |seen| (count(longest, seen), total(longest, seen)));
                Some((f64::from(count) + k) / (total + k * self.possible()))
            }
            Smoothing::KneserNey(_) => {
                let mut probability = 1.0 / self.possible();
                for length in 0..self.params.order {
                    let Some(context) = self.context(&history[history.len() - length..]) else { break };
                    let total = total(length, context);
                    if total > 0.0 {
                        let count = count(length, context);
                        let kept = f64::from(count) - discount(&self.levels.discounts[length], count);
                        probability = kept / total + self.levels.levels[length].gammas[context] * probability;
                    }
                }
                Some(probability)
            }
        }
    }
}

impl PartialEq for NgramModel {
    fn eq(&self, other: &NgramModel) -> bool {
        (&self.params, &self.names, &self.levels, self.corpus)
            == (&other.params, &other.names, &other.levels, other.corpus)
    }
}
