//! A text as tokens, read in pieces.

use std::io::Read;

use super::Tokens;
use crate::error::{Error, Result};

/// Bytes that are read at once.
const PIECE: usize = 1 << 20;

/// What comes next in a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::sequence) enum Token<'a> {
    Text(&'a str),
    /// The sequence is over.
    End,
}

/// Splits a text into tokens wherever its pieces end.
pub(in crate::sequence) struct Tokenizer<'a> {
    tokens: Tokens,
    name: &'a str,
    /// Lines before this place.
    lines: u64,
}

impl Tokenizer<'_> {
    pub fn new(tokens: Tokens, name: &str) -> Tokenizer<'_> {
        Tokenizer { tokens, name, lines: 0 }
    }

    /// Hands the tokens of a text to `take`, and [`Token::End`] behind each sequence that has some.
    pub fn read(mut self, mut reader: impl Read, take: &mut impl FnMut(Token<'_>) -> Result<()>) -> Result<()> {
        let mut held: Vec<u8> = Vec::with_capacity(PIECE + 64);
        let mut open = false;
        loop {
            let before = held.len();
            held.resize(before + PIECE, 0);
            let read = match reader.read(&mut held[before..]) {
                Ok(read) => read,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {
                    held.truncate(before);
                    continue;
                }
                Err(error) => {
                    let why = format!("cannot be read: {error}");
                    return Err(Error::Io { path: self.name.to_string(), why });
                }
            };
            held.truncate(before + read);
            let text = self.valid(&held, read == 0)?;
            // A word may go on in the next piece.
            let whole = match self.tokens {
                Tokens::Words if read > 0 => text.rfind(char::is_whitespace).map_or(0, |at| at + 1),
                _ => text.len(),
            };
            let whole = (0..=whole.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            self.split(&text[..whole], &mut open, take)?;
            held.drain(..whole);
            if read == 0 {
                break;
            }
        }
        if open { take(Token::End) } else { Ok(()) }
    }

    /// The part of the bytes that is UTF-8; only its end may be cut off, and nothing at the end of the text.
    fn valid<'b>(&self, bytes: &'b [u8], last: bool) -> Result<&'b str> {
        let error = match str::from_utf8(bytes) {
            Ok(text) => return Ok(text),
            Err(error) => error,
        };
        let good = str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
        if error.error_len().is_none() && !last {
            return Ok(good);
        }
        let line = self.lines + 1 + good.bytes().filter(|byte| *byte == b'\n').count() as u64;
        let at = good.len() - good.rfind('\n').map_or(0, |at| at + 1) + 1;
        let why = format!("byte {at} of the line is not UTF-8; convert the text to UTF-8 first");
        Err(Error::Data { path: self.name.to_string(), line: Some(line), column: None, why })
    }

    fn split(&mut self, text: &str, open: &mut bool, take: &mut impl FnMut(Token<'_>) -> Result<()>) -> Result<()> {
        self.lines += text.bytes().filter(|byte| *byte == b'\n').count() as u64;
        match self.tokens {
            Tokens::Characters => {
                // One sequence that the text only cuts off: it has no end.
                let ends = text.char_indices().map(|(at, letter)| &text[at..at + letter.len_utf8()]);
                ends.map(Token::Text).try_for_each(take)
            }
            Tokens::Words => {
                for (at, line) in text.split('\n').enumerate() {
                    if at > 0 && *open {
                        take(Token::End)?;
                        *open = false;
                    }
                    for word in line.split_whitespace() {
                        take(Token::Text(word))?;
                        *open = true;
                    }
                }
                Ok(())
            }
        }
    }
}
