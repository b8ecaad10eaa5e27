//! The confusion matrix: which classes are taken for which.

use std::fmt;

use super::check::{Weighted, Weights};
use super::confusion_counts::Matched;
use crate::data::Labels;
use crate::error::{Error, Result};

/// The most letters of a class's name that the printed table shows.
const NAME_WIDTH: usize = 16;

/// Rows by true class and predicted class, k×k. Prints as a table.
///
/// ```
/// use gristmill::{Labels, metrics::ConfusionMatrix};
/// let y = Labels::from_names(&["lily", "rose", "rose"]);
/// let confusion = ConfusionMatrix::new(&y, &Labels::from_names(&["lily", "rose", "lily"]))?;
/// assert_eq!(confusion.classes(), ["lily", "rose"]);
/// assert_eq!(confusion.row(1), [1.0, 1.0]); // of two roses, one was taken for a lily
/// println!("{confusion}");
/// # Ok::<(), gristmill::Error>(())
/// ```
#[doc(alias = "confusion_matrix")]
#[derive(Debug, Clone, PartialEq)]
pub struct ConfusionMatrix {
    classes: Vec<String>,
    counts: Vec<f64>,
}

impl ConfusionMatrix {
    /// Counts the rows, or adds up their weights. Takes `8k²` bytes for `k` classes.
    pub fn new<'a>(y: impl Into<Weighted<'a, Labels>>, predicted: &Labels) -> Result<ConfusionMatrix> {
        let Weighted { y, weights } = y.into();
        let matched = Matched::new("ConfusionMatrix", y, predicted)?;
        let weights = Weights::new("ConfusionMatrix", y.len(), weights)?;
        let classes = matched.classes.len();
        let mut counts = vec![];
        // As many classes as rows is a mistake that should not end the process.
        counts
            .try_reserve_exact(classes.saturating_mul(classes))
            .map_err(|_| Error::OutOfMemory { what: format!("a confusion matrix of {classes}×{classes}") })?;
        counts.resize(classes * classes, 0.0);
        for (row, (truth, predicted)) in matched.pairs().enumerate() {
            counts[truth * classes + predicted] += weights.at(row);
        }
        Ok(ConfusionMatrix { classes: matched.classes, counts })
    }

    /// The names of the classes, k of them.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// All counts, k×k: the true class is the row, the predicted one the column.
    pub fn counts(&self) -> &[f64] {
        &self.counts
    }

    /// How the rows of one true class were predicted. Panics when there is no such class, as indexing does.
    pub fn row(&self, truth: usize) -> &[f64] {
        &self.counts[truth * self.classes.len()..(truth + 1) * self.classes.len()]
    }

    /// Rows of the true class `truth` that were predicted to be of `predicted`. Panics when out of range, as indexing
    /// does.
    pub fn get(&self, truth: usize, predicted: usize) -> f64 {
        self.row(truth)[predicted]
    }
}

/// A table with the true classes down and the predicted ones across; a dot is a zero.
impl fmt::Display for ConfusionMatrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.classes.iter().map(|name| shortened(name)).collect();
        let cells: Vec<String> = self.counts.iter().map(|count| cell(*count)).collect();
        let width = |text: &String| text.chars().count();
        let first = names.iter().map(width).max().unwrap_or(0).max("target".len());
        let column_width = |column: usize| {
            let counts = cells.iter().skip(column).step_by(names.len()).map(width).max().unwrap_or(0);
            counts.max(width(&names[column]))
        };
        let widths: Vec<usize> = (0..names.len()).map(column_width).collect();
        writeln!(f, "{:first$}   predicted", "")?;
        write!(f, "{:first$} ", "target")?;
        names.iter().zip(&widths).try_for_each(|(name, width)| write!(f, "  {name:>width$}"))?;
        writeln!(f)?;
        write!(f, "{}", "─".repeat(first + 1 + widths.iter().map(|width| width + 2).sum::<usize>()))?;
        for (name, row) in names.iter().zip(cells.chunks(names.len())) {
            write!(f, "\n{name:first$} ")?;
            row.iter().zip(&widths).try_for_each(|(cell, width)| write!(f, "  {cell:>width$}"))?;
        }
        Ok(())
    }
}

fn cell(count: f64) -> String {
    if count == 0.0 { "·".to_string() } else { amount(count) }
}

/// Counts as integers, sums of weights with two digits.
pub(super) fn amount(count: f64) -> String {
    if count.fract() == 0.0 { format!("{count:.0}") } else { format!("{count:.2}") }
}

/// A name that keeps the table narrow; line breaks and tabs would tear it.
pub(super) fn shortened(name: &str) -> String {
    let visible = |letter: char| if letter.is_control() { ' ' } else { letter };
    if name.chars().count() <= NAME_WIDTH {
        return name.chars().map(visible).collect();
    }
    name.chars().take(NAME_WIDTH - 1).map(visible).chain(['…']).collect()
}
