//! What in a table is likely not meant: ids among the features, the target among them, numbers that were read as text.

use super::dataset::Dataset;
use super::target::Target;
use crate::array::Matrix;

/// Rows below which nothing can be said.
const FEWEST: usize = 20;
/// A correlation with the target that no measured column has.
const SAME: f64 = 0.999_999;

impl Dataset {
    /// What a person should look at before a model is fitted: a column that looks like an id, like numbers with commas,
    /// or like the target. Empty for sparse rows. O(n·d).
    ///
    /// ```
    /// use gristmill::data::{Dataset, ReadOptions};
    /// let rows: String = (0..30).map(|row| format!("{},{},{}\n", 100 + row, row % 7, row % 3)).collect();
    /// let text = format!("customer,visits,kind\n{rows}");
    /// let data = Dataset::parse("t.csv", text.as_bytes(), &ReadOptions::default().target("kind"))?;
    /// assert!(data.warnings()[0].contains("customer"));
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn warnings(&self) -> Vec<String> {
        let mut found = vec![];
        for column in (0..self.x.columns()).filter(|_| self.sparse.is_none()) {
            let name = self.x.names().map_or_else(|| (column + 1).to_string(), |names| format!("{:?}", names[column]));
            if numbers_with_commas(&self.x, column) {
                let remedy = "read them with --decimal , or --thousands ,";
                found.push(format!("column {name} is text that looks like numbers with commas: {remedy}"));
            } else if is_id(&self.x, column) {
                found.push(format!(
                    "column {name} looks like an id, a value of its own in each row: leave it out with --drop"
                ));
            } else if is_target(&self.x, column, &self.target) {
                found.push(format!(
                    "column {name} tells the target: leave it out with --drop if it is not known beforehand"
                ));
            }
        }
        found
    }
}

/// Whether the categories of a text column would be numbers with a point for the comma, or without it.
fn numbers_with_commas(x: &Matrix, column: usize) -> bool {
    let Some(names) = x.categories(column) else { return false };
    let number = |name: &&String| name.contains(',') && name.replace(',', "").trim().parse::<f64>().is_ok();
    let integer = |name: &&String| name.trim().parse::<i64>().is_ok();
    let with_commas = names.iter().filter(number).count();
    with_commas > 0 && with_commas + names.iter().filter(integer).count() == names.len()
}

/// Whether every row has a text of its own, or the integers are consecutive ones, each once.
fn is_id(x: &Matrix, column: usize) -> bool {
    let rows = x.rows();
    if rows < FEWEST {
        return false;
    }
    if let Some(names) = x.categories(column) {
        return names.len() == rows;
    }
    let values = || (0..rows).map(|row| x.get(row, column));
    // Most columns show it in a few rows, and a walk down all of them costs a line of the cache each.
    let first: Vec<f32> = values().take(FEWEST).collect();
    if first.iter().enumerate().any(|(at, value)| value.fract() != 0.0 || first[..at].contains(value)) {
        return false;
    }
    let (low, high) = values().fold((f32::MAX, f32::MIN), |(low, high), value| (low.min(value), high.max(value)));
    if f64::from(high) - f64::from(low) + 1.0 != rows as f64 {
        return false;
    }
    let mut seen = vec![false; rows];
    values().all(|value| value.fract() == 0.0 && !std::mem::replace(&mut seen[(value - low) as usize], true))
}

/// Whether a column is the target in other words: a category for each class, or the same number up to scale.
fn is_target(x: &Matrix, column: usize, target: &Target) -> bool {
    let rows = x.rows();
    if rows < FEWEST {
        return false;
    }
    match target {
        Target::None => false,
        Target::Numbers(numbers) => {
            let is_same = |at: usize| correlation(x, column, |row| numbers.get(row, at)).abs() > SAME;
            x.categories(column).is_none() && (0..numbers.columns()).any(is_same)
        }
        Target::Classes(labels) | Target::Whole { classes: labels, .. } => {
            // As many values as classes, and each with one class only.
            let mut class_of: Vec<(u32, u32)> = vec![];
            for (row, class) in labels.codes().iter().enumerate() {
                let value = x.get(row, column).to_bits();
                match class_of.iter().find(|(known, _)| *known == value) {
                    Some((_, known)) if known != class => return false,
                    Some(_) => {}
                    None if class_of.len() < labels.classes() => class_of.push((value, *class)),
                    None => return false,
                }
            }
            class_of.len() > 1 && class_of.len() == labels.counts().iter().filter(|count| **count > 0).count()
        }
    }
}

/// Pearson's correlation of a column with numbers; NaN if either is constant or has a missing value.
fn correlation(x: &Matrix, column: usize, other: impl Fn(usize) -> f32) -> f64 {
    let rows = x.rows();
    let pair = |row: usize| (f64::from(x.get(row, column)), f64::from(other(row)));
    let (sum_a, sum_b) = (0..rows).map(pair).fold((0.0, 0.0), |(a, b), (x, y)| (a + x, b + y));
    let (mean_a, mean_b) = (sum_a / rows as f64, sum_b / rows as f64);
    let (mut aa, mut bb, mut ab) = (0.0, 0.0, 0.0);
    for (a, b) in (0..rows).map(pair).map(|(a, b)| (a - mean_a, b - mean_b)) {
        (aa, bb, ab) = (aa + a * a, bb + b * b, ab + a * b);
    }
    ab / (aa * bb).sqrt()
}
