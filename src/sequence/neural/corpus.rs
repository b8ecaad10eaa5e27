//! A text as codes, and as rows of a network.

use std::io::Read;

use super::NeuralLanguage;
use crate::array::Matrix;
use crate::error::{Error, Result};
use crate::sequence::ngram::tokens::{Token, Tokenizer};
use crate::sequence::ngram::{BEGIN, END, MARKS, UNKNOWN};
use crate::sequence::symbols::Symbols;

/// The vocabulary of a text and its codes; tokens that are too rare are unknown ones.
pub(super) fn read(params: &NeuralLanguage, reader: impl Read, name: &str) -> Result<(Symbols, Vec<u32>)> {
    let (mut all, mut codes, mut counts) = (Symbols::default(), vec![], vec![]);
    Tokenizer::new(params.tokens, name).read(reader, &mut |token| {
        codes.push(match token {
            Token::End => END,
            Token::Text(text) => {
                let number = all.add(text) as usize;
                counts.resize(counts.len().max(number + 1), 0_u32);
                counts[number] = counts[number].saturating_add(1);
                number as u32 + MARKS.len() as u32
            }
        });
        Ok(())
    })?;
    let refused =
        |why: &str| Err(Error::Data { path: name.to_string(), line: None, column: None, why: why.to_string() });
    if codes.is_empty() {
        return refused("there are no tokens in it: nothing to learn");
    }
    if params.min_token_count == 1 {
        return Ok((all, codes));
    }
    let mut symbols = Symbols::default();
    let kept: Vec<u32> = all
        .names()
        .iter()
        .zip(&counts)
        .map(|(name, count)| match *count >= params.min_token_count {
            true => symbols.add(name) + MARKS.len() as u32,
            false => UNKNOWN,
        })
        .collect();
    if symbols.is_empty() {
        return refused("every token is rarer than min_token_count; lower it");
    }
    for code in codes.iter_mut().filter(|code| **code as usize >= MARKS.len()) {
        *code = kept[*code as usize - MARKS.len()];
    }
    Ok((symbols, codes))
}

/// The codes of a text for a vocabulary; where it is closed, an unknown token is an error with its line and place.
pub(super) fn encode(params: &NeuralLanguage, symbols: &Symbols, reader: impl Read, name: &str) -> Result<Vec<u32>> {
    let (mut codes, mut line, mut place) = (vec![], 0, 0);
    Tokenizer::new(params.tokens, name).read(reader, &mut |token| {
        codes.push(match token {
            Token::End => {
                (line, place) = (line + 1, 0);
                END
            }
            Token::Text(text) => {
                place += 1;
                code(params, symbols, text, (line, place - 1))?
            }
        });
        Ok(())
    })?;
    Ok(codes)
}

/// The code of a token at a place.
pub(super) fn code(params: &NeuralLanguage, symbols: &Symbols, token: &str, place: (usize, usize)) -> Result<u32> {
    match symbols.code(token) {
        Some(number) => Ok(number + MARKS.len() as u32),
        None if params.min_token_count > 1 => Ok(UNKNOWN),
        None => {
            let (sequence, position) = place;
            Err(Error::Symbol { sequence, position, symbol: token.to_string(), known: symbols.len() })
        }
    }
}

/// The token before a place.
pub(super) fn before(codes: &[u32], place: usize) -> u32 {
    if place == 0 { BEGIN } else { codes[place - 1] }
}

/// A text cut into parts that are read side by side.
#[derive(Debug, PartialEq)]
pub(super) struct Cut {
    /// Parts.
    pub(super) parts: usize,
    /// Rows of a part.
    pub(super) rows: usize,
    /// Tokens of a row.
    pub(super) steps: usize,
}

impl Cut {
    /// Up to `steps` tokens a row and `parts` parts; fewer than rows·parts tokens at the end of the text are left out.
    pub(super) fn new(tokens: usize, steps: usize, parts: usize) -> Cut {
        let parts = parts.min(tokens.div_ceil(steps)).max(1);
        let length = tokens / parts;
        let rows = length.div_ceil(steps).max(1);
        Cut { parts, rows, steps: (length / rows).max(1) }
    }

    /// Inputs and the tokens that follow, a row of one part after the other.
    pub(super) fn matrices(&self, codes: &[u32]) -> Result<(Matrix, Matrix)> {
        let (rows, count) = (self.parts * self.rows, self.parts * self.rows * self.steps);
        let inputs = (0..count).map(|place| before(codes, place) as f32).collect();
        let next = codes[..count].iter().map(|code| *code as f32).collect();
        Ok((Matrix::from_vec(rows, self.steps, inputs)?, Matrix::from_vec(rows, self.steps, next)?))
    }

    /// Rows in the order in which batches take them: the first of each part, then the second.
    pub(super) fn order(&self) -> Vec<u32> {
        (0..self.rows).flat_map(|row| (0..self.parts).map(move |part| (part * self.rows + row) as u32)).collect()
    }
}

/// The windows before places of a text.
pub(super) fn windows(codes: &[u32], places: std::ops::Range<usize>, window: usize) -> Result<Matrix> {
    let count = places.len();
    let one =
        |place: usize| (0..window).map(move |at| if place + at < window { BEGIN } else { codes[place + at - window] });
    Matrix::from_vec(count, window, places.flat_map(one).map(|code| code as f32).collect())
}
