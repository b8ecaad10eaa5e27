//! What a fitted model remembers of its fit.

use std::ops::Deref;
use std::sync::OnceLock;

use super::align::{AlignedRows, Queries, align};
use crate::error::Result;
use crate::model_file::FittedColumns;

/// The estimator that a model was fitted with, and the columns that it was fitted on.
#[derive(Debug, Clone, PartialEq)]
pub struct FittedWith<E> {
    estimator: E,
    columns: OnceLock<FittedColumns>,
}

impl<E> FittedWith<E> {
    /// The columns, once the fit has said them.
    pub(crate) fn columns(&self) -> Option<&FittedColumns> {
        self.columns.get()
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
        FittedWith { estimator, columns: OnceLock::new() }
    }
}

impl<E> Deref for FittedWith<E> {
    type Target = E;

    fn deref(&self) -> &E {
        &self.estimator
    }
}
