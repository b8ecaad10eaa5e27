//! The cells of what `predict` writes.

use std::borrow::Cow;
use std::io::Write;

use gristmill::estimator::Prediction;
use gristmill::prelude::*;

use super::contributions::Contributions;
use crate::report::{Predicted, quoted, write_numbers};

/// The columns of the output: a name each, and a cell for each row.
pub struct Columns<'a> {
    names: Vec<String>,
    /// Columns of the file, as codes of texts.
    kept: Option<&'a Matrix>,
    prediction: &'a Prediction,
    probabilities: Option<&'a Matrix>,
    scores: Option<&'a [f64]>,
    contributions: Option<&'a Contributions>,
}

/// The text of a cell of the columns that are kept.
pub fn kept_text(kept: &Matrix, row: usize, column: usize) -> &str {
    let code = kept.get(row, column);
    let names = kept.categories(column).filter(|_| !code.is_nan());
    names.and_then(|names| names.get(code as usize)).map_or("", String::as_str)
}

/// Whether the numbers of a row are no more than `f32`.
fn is_f32(numbers: &Matrix, row: usize) -> bool {
    (0..numbers.columns()).all(|column| f64::from(numbers.get(row, column)) == numbers.get_f64(row, column))
}

impl<'a> Columns<'a> {
    pub fn new(
        predicted: &'a Predicted,
        targets: &[String],
        kept: Option<&'a Matrix>,
        contributions: Option<&'a Contributions>,
    ) -> Columns<'a> {
        let (prediction, probabilities) = (&predicted.prediction, predicted.probabilities.as_ref());
        let mut names = kept.and_then(Matrix::names).unwrap_or_default().to_vec();
        let own = match prediction {
            Prediction::Numbers(numbers) if numbers.columns() > 1 && targets.len() == numbers.columns() => {
                targets.to_vec()
            }
            Prediction::Numbers(numbers) if numbers.columns() > 1 => {
                (1..=numbers.columns()).map(|column| format!("prediction_{column}")).collect()
            }
            Prediction::Numbers(numbers) if numbers.names().is_some() => numbers.names().unwrap_or_default().to_vec(),
            _ => vec!["prediction".to_string()],
        };
        names.extend(own);
        let classes = probabilities.and_then(Matrix::names).unwrap_or_default();
        names.extend(classes.iter().map(|class| format!("p_{class}")));
        let scores = predicted.decision.as_deref();
        names.extend(scores.map(|_| "score".to_string()));
        names.extend(contributions.map(Contributions::names).unwrap_or_default());
        Columns { names, kept, prediction, probabilities, scores, contributions }
    }

    pub fn write(&self, out: &mut dyn Write) -> std::io::Result<()> {
        self.write_header(out)?;
        self.write_rows(out)
    }

    pub fn write_header(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let header: Vec<Cow<str>> = self.names.iter().map(|name| quoted(name)).collect();
        writeln!(out, "{}", header.join(","))
    }

    pub fn write_rows(&self, out: &mut dyn Write) -> std::io::Result<()> {
        // A class is quoted once, not once a row.
        let classes: Vec<Cow<str>> = match self.prediction {
            Prediction::Classes(labels) => labels.names().iter().map(|name| quoted(name)).collect(),
            _ => vec![],
        };
        for row in 0..self.prediction.len() {
            for (kept, column) in
                self.kept.iter().flat_map(|kept| (0..kept.columns()).map(move |column| (kept, column)))
            {
                write!(out, "{},", quoted(kept_text(kept, row, column)))?;
            }
            match self.prediction {
                Prediction::Classes(labels) => write!(out, "{}", classes[labels.codes()[row] as usize])?,
                Prediction::Numbers(numbers) if is_f32(numbers, row) => write_numbers(out, numbers.row(row))?,
                Prediction::Numbers(numbers) => {
                    let texts: Vec<String> = (0..numbers.columns()).map(|at| numbers.number_text(row, at)).collect();
                    write!(out, "{}", texts.join(","))?;
                }
                Prediction::Clusters(clusters) => write!(out, "{}", clusters[row])?,
                Prediction::Outliers(outliers) => write!(out, "{}", outliers[row])?,
            }
            if let Some(probabilities) = self.probabilities {
                write!(out, ",")?;
                write_numbers(out, probabilities.row(row))?;
            }
            if let Some(scores) = self.scores {
                write!(out, ",{}", scores[row])?;
            }
            if let Some(contributions) = self.contributions {
                contributions.write(row, out)?;
            }
            writeln!(out)?;
        }
        Ok(())
    }
}
