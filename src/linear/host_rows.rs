//! Rows on the host, dense or sparse, for what takes them one by one.

use super::refuse_empty;
use crate::array::{Matrix, SparseMatrix};
use crate::cpu::linear::margin_gradient::exact::Dense;
use crate::error::Result;
use crate::estimator::Rows;

/// Checked rows on the host.
pub(super) enum HostRows<'a> {
    Dense(Matrix),
    Sparse(&'a SparseMatrix),
}

impl<'a> HostRows<'a> {
    /// Numbers without missing values, at least one row and one column; rows on a GPU are copied back, if the host does not have them.
    pub(super) fn new(op: &'static str, x: Rows<'a>) -> Result<HostRows<'a>> {
        refuse_empty(op, x)?;
        match x {
            Rows::Sparse(sparse) => Ok(HostRows::Sparse(sparse)),
            _ => {
                let x = x.complete(op)?;
                Ok(HostRows::Dense(x.to_matrix(&mut x.device().stream())?))
            }
        }
    }

    pub(super) fn rows(&self) -> usize {
        match self {
            HostRows::Dense(x) => x.rows(),
            HostRows::Sparse(x) => x.rows(),
        }
    }

    pub(super) fn columns(&self) -> usize {
        match self {
            HostRows::Dense(x) => x.columns(),
            HostRows::Sparse(x) => x.columns(),
        }
    }

    /// The dense rows as the learners take them.
    pub(super) fn dense(x: &Matrix) -> Dense<'_> {
        Dense { x: x.as_slice(), columns: x.columns() }
    }
}

/// Runs an expression with `x` as dense or as sparse rows: it is compiled for both.
macro_rules! each_row {
    ($rows:expr, $x:ident => $run:expr) => {
        match $rows {
            $crate::linear::host_rows::HostRows::Dense(matrix) => {
                let $x = $crate::linear::host_rows::HostRows::dense(matrix);
                $run
            }
            $crate::linear::host_rows::HostRows::Sparse(sparse) => {
                let $x = $crate::cpu::sparse::CompressedRows::from(*sparse);
                $run
            }
        }
    };
}

pub(super) use each_row;
