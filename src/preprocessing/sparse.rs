//! Quantiles of sparse columns, zeros included.

use rayon::prelude::*;

use crate::array::SparseMatrix;
use crate::cpu::sort::numbers::sort_numbers;
use crate::cpu::sparse::CompressedRows;

/// A statistic of each column, of its sorted values that are not zero and the number of its zeros.
pub(super) fn by_sparse_column<T: Send>(x: &SparseMatrix, statistic: impl Fn(&SortedColumn) -> T + Sync) -> Vec<T> {
    let columns = CompressedRows::from(x).transposed();
    let one = |column: usize| {
        let mut values = columns.view().row(column).1.to_vec();
        sort_numbers(&mut values);
        let zeros = x.rows() - values.len();
        statistic(&SortedColumn { values, zeros })
    };
    (0..x.columns()).into_par_iter().with_min_len(64).map(one).collect()
}

/// The values of a column that are not zero, ascending, and how many are.
pub(super) struct SortedColumn {
    values: Vec<f32>,
    zeros: usize,
}

impl SortedColumn {
    /// The quantile `share`, from 0 to 1: between two values by linear interpolation.
    pub(super) fn quantile(&self, share: f64) -> f64 {
        let last = self.values.len() + self.zeros - 1;
        let place = share * last as f64;
        let low = (place.floor() as usize).min(last);
        let first = self.at(low);
        match low < last && place > low as f64 {
            true => first + (self.at(low + 1) - first) * (place - low as f64),
            false => first,
        }
    }

    /// The value at a place of the whole column, zeros between the negative and the positive ones.
    fn at(&self, place: usize) -> f64 {
        let negative = self.values.partition_point(|value| *value < 0.0);
        match place {
            place if place < negative => f64::from(self.values[place]),
            place if place < negative + self.zeros => 0.0,
            place => f64::from(self.values[place - self.zeros]),
        }
    }
}
