//! Symbols and their codes.

use std::collections::HashMap;

use crate::error::Result;
use crate::model_file::Container;

/// The symbols of sequences, each with a code from 0: by their text, so that words, letters and numbers will do.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Symbols {
    names: Vec<String>,
    codes: HashMap<String, u32>,
}

impl Symbols {
    /// The symbols in the order of their codes.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The code of a symbol, if it is known.
    pub fn code(&self, symbol: &str) -> Option<u32> {
        self.codes.get(symbol).copied()
    }

    /// The code of a symbol; a new one is added.
    pub(super) fn add(&mut self, symbol: &str) -> u32 {
        match self.codes.get(symbol) {
            Some(code) => *code,
            None => {
                let code = self.names.len() as u32;
                self.names.push(symbol.to_string());
                self.codes.insert(symbol.to_string(), code);
                code
            }
        }
    }

    /// Symbols in this order; `None` where one comes twice.
    pub(super) fn from_names(names: Vec<String>) -> Option<Symbols> {
        let codes: HashMap<String, u32> = names.iter().cloned().zip(0..).collect();
        (codes.len() == names.len()).then_some(Symbols { names, codes })
    }

    pub(super) fn store(&self, container: &mut Container) -> Result<()> {
        container.insert_strings("symbols", &self.names)
    }

    /// At least one symbol, each once.
    pub(super) fn restore(container: &mut Container) -> Result<Symbols> {
        let names = container.take_strings("symbols")?;
        match Symbols::from_names(names) {
            Some(symbols) if !symbols.is_empty() => Ok(symbols),
            _ => Err(container.refuse("the symbols are not all different, or there are none")),
        }
    }
}
