//! Counts of columns by class, from dense or sparse rows.

use rayon::prelude::*;

use super::scores::{check_classes, known_codes};
use crate::array::{Matrix, SparseMatrix};
use crate::data::Labels;
use crate::error::{Error, Result};
use crate::estimator::{Fit, Rows};
use crate::model_file::Container;

/// Rows of numbers on the host.
pub(super) enum CountRows<'a> {
    Dense(Matrix),
    Sparse(&'a SparseMatrix),
}

impl<'a> CountRows<'a> {
    pub(super) fn new(op: &'static str, x: Rows<'a>) -> Result<CountRows<'a>> {
        match x {
            Rows::Sparse(sparse) => Ok(CountRows::Sparse(sparse)),
            _ => {
                let x = x.complete(op)?;
                Ok(CountRows::Dense(x.to_matrix(&mut x.device().stream())?))
            }
        }
    }

    /// Rows of so many columns, to be predicted.
    pub(super) fn queries(op: &'static str, x: Rows<'a>, columns: usize) -> Result<CountRows<'a>> {
        match x {
            Rows::Sparse(sparse) if sparse.columns() != columns => {
                Err(Error::shape(op, format!("{columns} columns"), format!("{} columns", sparse.columns())))
            }
            Rows::Sparse(sparse) => Ok(CountRows::Sparse(sparse)),
            _ => {
                let x = x.queries(op, columns)?;
                Ok(CountRows::Dense(x.to_matrix(&mut x.device().stream())?))
            }
        }
    }

    pub(super) fn rows(&self) -> usize {
        match self {
            CountRows::Dense(x) => x.rows(),
            CountRows::Sparse(x) => x.rows(),
        }
    }

    pub(super) fn columns(&self) -> usize {
        match self {
            CountRows::Dense(x) => x.columns(),
            CountRows::Sparse(x) => x.columns(),
        }
    }

    /// Calls `each` with the columns of a row that are not 0 and their values.
    pub(super) fn visit(&self, row: usize, mut each: impl FnMut(usize, f32)) {
        match self {
            CountRows::Dense(x) => {
                x.row(row)
                    .iter()
                    .enumerate()
                    .filter(|(_, value)| **value != 0.0)
                    .for_each(|(at, value)| each(at, *value));
            }
            CountRows::Sparse(x) => {
                let (columns, values) = x.row(row);
                columns.iter().zip(values).for_each(|(column, value)| each(*column as usize, *value));
            }
        }
    }

    /// Refuses numbers below 0, with their place.
    pub(super) fn refuse_negative(&self, op: &'static str) -> Result<()> {
        for row in 0..self.rows() {
            let mut wrong = None;
            self.visit(row, |column, value| {
                if value < 0.0 {
                    wrong = Some((column, value));
                }
            });
            if let Some((column, value)) = wrong {
                let got = format!("{value} in row {row}, column {column}");
                return Err(Error::shape(op, "counts of at least 0; GaussianNaiveBayes takes any numbers", got));
            }
        }
        Ok(())
    }

    /// For each row Σ value·slopes of its columns, and intercepts: n×k in f64. `slopes` is d×k.
    pub(super) fn linear(&self, slopes: &[f64], intercepts: &[f64], value: impl Fn(f32) -> f64 + Sync) -> Vec<f64> {
        let k = intercepts.len();
        let mut scores = vec![0.0; self.rows() * k];
        scores.par_chunks_mut(k).enumerate().for_each(|(row, scores)| {
            scores.copy_from_slice(intercepts);
            self.visit(row, |column, number| {
                let number = value(number);
                let slopes = &slopes[column * k..(column + 1) * k];
                scores.iter_mut().zip(slopes).for_each(|(score, slope)| *score += number * slope);
            });
        });
        scores
    }
}

/// What was counted: for each class the weight of its rows, and the weighted sum of each column, k×d.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CountTable {
    pub(super) labels: Labels,
    pub(super) weights: Vec<f64>,
    pub(super) sums: Vec<f64>,
}

impl CountTable {
    pub(super) fn columns(&self) -> usize {
        self.sums.len() / self.weights.len()
    }

    /// Adds rows to what was counted before; `value` is what a number counts as.
    pub(super) fn count(
        op: &'static str,
        before: Option<CountTable>,
        x: &CountRows<'_>,
        y: &Labels,
        options: &Fit<'_>,
        value: impl Fn(f32) -> f64,
    ) -> Result<CountTable> {
        let weights = options.weights(op, x.rows())?;
        check_classes(op, x.rows(), y)?;
        let d = x.columns();
        let k = y.classes();
        let mut table = match before {
            Some(before) if before.columns() != d => {
                return Err(Error::shape(op, format!("{} columns, as before", before.columns()), d));
            }
            Some(before) => before,
            None => CountTable { labels: y.with_codes(vec![])?, weights: vec![0.0; k], sums: vec![0.0; k * d] },
        };
        let codes = known_codes(op, &table.labels, y)?;
        for (row, code) in codes.into_iter().enumerate() {
            let weight = weights.map_or(1.0, |weights| f64::from(weights[row]));
            let class = code as usize;
            table.weights[class] += weight;
            let sums = &mut table.sums[class * d..(class + 1) * d];
            x.visit(row, |column, number| sums[column] += weight * value(number));
        }
        Ok(table)
    }

    pub(super) fn store(&self, container: &mut Container) -> Result<()> {
        container.insert_strings("class_names", self.labels.names())?;
        container.insert_list("class_weights", &self.weights)?;
        container.insert("sums", &[self.weights.len(), self.columns()], self.sums.clone())
    }

    pub(super) fn restore(container: &mut Container) -> Result<CountTable> {
        let (labels, weights) = super::scores::take_classes(container)?;
        let [k, d] = container.shape("sums")?;
        if k != labels.classes() || d == 0 {
            return Err(container.refuse(format!("{k}×{d} sums for {} classes", labels.classes())));
        }
        let sums: Vec<f64> = container.take("sums", &[k, d])?;
        if sums.iter().any(|sum| *sum < 0.0) {
            return Err(container.refuse("a count below 0"));
        }
        Ok(CountTable { labels, weights, sums })
    }
}
