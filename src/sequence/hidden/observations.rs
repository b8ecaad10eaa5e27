//! What is seen of a hidden Markov model.

use std::fmt::Display;

use nalgebra::DMatrix;

use crate::error::{Error, Result};

/// Sequences of symbols, or of vectors of numbers.
#[derive(Debug, Clone, PartialEq)]
pub enum Observations {
    /// Symbols by their text.
    Symbols(Vec<Vec<String>>),
    /// T×d numbers for each sequence of T steps.
    Numbers(Vec<DMatrix<f64>>),
}

impl Observations {
    /// Sequences of symbols, told apart by their text.
    pub fn symbols<S: Display>(sequences: &[impl AsRef<[S]>]) -> Observations {
        let texts = |sequence: &[S]| sequence.iter().map(ToString::to_string).collect();
        Observations::Symbols(sequences.iter().map(|sequence| texts(sequence.as_ref())).collect())
    }

    /// One sequence of vectors of numbers, T×d.
    pub fn numbers(sequence: DMatrix<f64>) -> Observations {
        Observations::Numbers(vec![sequence])
    }

    /// Number of sequences.
    pub fn len(&self) -> usize {
        match self {
            Observations::Symbols(sequences) => sequences.len(),
            Observations::Numbers(sequences) => sequences.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Steps of a sequence.
    pub(super) fn steps(&self, sequence: usize) -> usize {
        match self {
            Observations::Symbols(sequences) => sequences[sequence].len(),
            Observations::Numbers(sequences) => sequences[sequence].nrows(),
        }
    }

    /// Refuses empty sequences, numbers that are not finite, and vectors of different lengths.
    pub(super) fn check(&self) -> Result<()> {
        if let Some(empty) = (0..self.len()).find(|at| self.steps(*at) == 0) {
            return Err(Error::shape(
                "HiddenMarkov",
                "sequences of at least one step",
                format!("sequence {empty} of none"),
            ));
        }
        if self.is_empty() {
            return Err(Error::shape("HiddenMarkov", "at least one sequence", "none"));
        }
        let Observations::Numbers(sequences) = self else { return Ok(()) };
        let columns = sequences[0].ncols();
        for (at, sequence) in sequences.iter().enumerate() {
            if sequence.ncols() != columns || columns == 0 {
                let expected = format!("{} columns in each sequence", columns.max(1));
                return Err(Error::shape("HiddenMarkov", expected, format!("{} in sequence {at}", sequence.ncols())));
            }
            let wrong = sequence.iter().position(|value| !value.is_finite());
            if let Some(place) = wrong {
                let (row, column) = (place % sequence.nrows(), place / sequence.nrows());
                let error = Error::NotFinite { row, column, value: sequence[place] };
                return Err(Error::Nested { what: format!("sequence {at}"), error: Box::new(error) });
            }
        }
        Ok(())
    }
}
