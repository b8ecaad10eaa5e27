//! A strict reader of our own files: a header, commas, no quotes, nothing missing, the target last.

use std::ops::Range;

use crate::error::{Error, Result};

/// A parsed file.
pub(super) struct Table<'a> {
    path: &'static str,
    pub(super) names: Vec<&'a str>,
    rows: Vec<Vec<&'a str>>,
}

impl<'a> Table<'a> {
    pub(super) fn parse(path: &'static str, text: &'a str) -> Result<Table<'a>> {
        let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let names = lines.next().unwrap_or_default();
        let rows: Vec<Vec<&str>> = lines.collect();
        if names.len() < 2 || rows.is_empty() {
            let why = "a header of two columns or more, and rows below it, were expected".to_string();
            return Err(Error::Data { path: path.to_string(), line: Some(1), column: None, why });
        }
        if let Some((at, row)) = rows.iter().enumerate().find(|(_, row)| row.len() != names.len()) {
            let why = format!("{} cells were expected, as in the header, not {}", names.len(), row.len());
            return Err(Error::Data { path: path.to_string(), line: Some(at as u64 + 2), column: None, why });
        }
        Ok(Table { path, names, rows })
    }

    pub(super) fn rows(&self) -> usize {
        self.rows.len()
    }

    /// The columns but the last.
    pub(super) fn features(&self) -> Range<usize> {
        0..self.target()
    }

    /// The last column.
    pub(super) fn target(&self) -> usize {
        self.names.len() - 1
    }

    /// The text of a column.
    pub(super) fn cells(&self, column: usize) -> Vec<&'a str> {
        self.rows.iter().map(|row| row[column]).collect()
    }

    /// The numbers of some columns, row by row.
    pub(super) fn numbers(&self, columns: Range<usize>) -> Result<Vec<f32>> {
        let mut values = Vec::with_capacity(self.rows() * columns.len());
        for (at, row) in self.rows.iter().enumerate() {
            for column in columns.clone() {
                let number = row[column].parse().ok().filter(|number: &f32| number.is_finite());
                values.push(number.ok_or_else(|| Error::Data {
                    path: self.path.to_string(),
                    line: Some(at as u64 + 2),
                    column: Some(self.names[column].to_string()),
                    why: format!("a number was expected, not \"{}\"", row[column]),
                })?);
            }
        }
        Ok(values)
    }
}
