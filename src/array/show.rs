//! Matrices as text.

use std::fmt;

use super::Matrix;

/// Rows and columns that are shown of a large matrix: half of them from its beginning, half from its end.
const MOST: usize = 10;

/// `2×2 [[1.0, 2.0], [3.0, NaN]]`, with `…` for what is left out of a large matrix.
impl fmt::Debug for Matrix {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row = |row: Option<usize>| match row {
            None => "…".to_string(),
            Some(row) => {
                let cell =
                    |column: Option<usize>| column.map_or("…".to_string(), |at| format!("{:?}", self.get(row, at)));
                format!("[{}]", shown(self.columns()).map(cell).collect::<Vec<_>>().join(", "))
            }
        };
        let rows = shown(self.rows()).map(row).collect::<Vec<_>>().join(", ");
        write!(formatter, "{}×{} [{rows}]", self.rows(), self.columns())
    }
}

/// A table with the names of columns and categories; large ones are cut in the middle.
impl fmt::Display for Matrix {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns: Vec<Vec<String>> = shown(self.columns()).map(|column| self.shown_column(column)).collect();
        let width = |column: &Vec<String>| column.iter().map(|cell| cell.chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = columns.iter().map(width).collect();
        let lines = columns.first().map_or(0, Vec::len);
        for line in 0..lines {
            let cells = columns.iter().zip(&widths).map(|(column, width)| format!("{:>width$}", column[line]));
            writeln!(formatter, "{}", cells.collect::<Vec<_>>().join("  "))?;
        }
        write!(formatter, "{} rows × {} columns", self.rows(), self.columns())
    }
}

impl Matrix {
    /// A number as text, with as many digits as it was given with.
    pub fn number_text(&self, row: usize, column: usize) -> String {
        match self.exact().column(column) {
            Some(values) => values[row].to_string(),
            None => self.get(row, column).to_string(),
        }
    }

    /// The lines of a column of the table: its name, if columns have names, and its cells.
    fn shown_column(&self, column: Option<usize>) -> Vec<String> {
        let Some(column) = column else {
            return vec!["…".to_string(); shown(self.rows()).count() + usize::from(self.names().is_some())];
        };
        let cell = |row: Option<usize>| match row.map(|row| (row, self.get(row, column))) {
            None => "…".to_string(),
            Some((_, value)) if value.is_nan() => "NaN".to_string(),
            Some((row, value)) => {
                let category = self.categories(column).and_then(|names| names.get(value as usize));
                category.cloned().unwrap_or_else(|| self.number_text(row, column))
            }
        };
        let name = self.names().map(|names| names[column].clone());
        name.into_iter().chain(shown(self.rows()).map(cell)).collect()
    }
}

/// The places of `count` that are shown, and nothing where some are left out.
fn shown(count: usize) -> impl Iterator<Item = Option<usize>> {
    let (front, back) = if count > MOST { (MOST / 2, count - MOST / 2) } else { (count, count) };
    (0..front).map(Some).chain((front < back).then_some(None)).chain((back..count).map(Some))
}
