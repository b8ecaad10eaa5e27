//! What a fitted model remembers of its fit.

use std::ops::Deref;
use std::sync::OnceLock;

use super::align::{AlignedRows, Queries, align};
use crate::error::Result;
use crate::model_file::{FittedColumns, TargetShift};

/// The estimator that a model was fitted with, the columns that it was fitted on, and what its targets were moved by.
#[derive(Debug, Clone, PartialEq)]
pub struct FittedWith<E> {
    estimator: E,
    columns: OnceLock<FittedColumns>,
    shift: OnceLock<TargetShift>,
    moved: Moved,
}

/// Numbers of the model in the unit of the target, once they were asked for; nothing that tells models apart.
#[derive(Debug, Clone, Default)]
struct Moved(OnceLock<Vec<f64>>);

impl PartialEq for Moved {
    fn eq(&self, _: &Moved) -> bool {
        true
    }
}

impl<E> FittedWith<E> {
    /// The columns, once the fit has said them.
    pub(crate) fn columns(&self) -> Option<&FittedColumns> {
        self.columns.get()
    }

    /// What is added to its predictions, if its targets were moved.
    pub(crate) fn shift(&self) -> Option<&TargetShift> {
        self.shift.get()
    }

    /// Remembers it.
    pub(crate) fn remember_shift(&self, shift: TargetShift) {
        let _ = self.shift.set(shift);
    }

    /// The numbers of the model of which there is one for each output, always the same ones, in the unit of the target.
    pub(crate) fn in_unit_of_target<'a>(&'a self, values: &'a [f64]) -> &'a [f64] {
        self.shift().map_or(values, |shift| self.moved.0.get_or_init(|| shift.add_to_each(values)))
    }

    /// The rows in the form that was fitted.
    pub(crate) fn align<'a>(&self, x: impl Into<Queries<'a>>) -> Result<AlignedRows<'a>> {
        align(self.columns(), x.into())
    }

    /// Remembers the columns; those of the first fit stay.
    pub(crate) fn remember(&self, columns: FittedColumns) {
        let _ = self.columns.set(columns);
    }
}

impl<E> From<E> for FittedWith<E> {
    fn from(estimator: E) -> FittedWith<E> {
        FittedWith { estimator, columns: OnceLock::new(), shift: OnceLock::new(), moved: Moved::default() }
    }
}

impl<E> Deref for FittedWith<E> {
    type Target = E;

    fn deref(&self) -> &E {
        &self.estimator
    }
}
