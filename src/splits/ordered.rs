//! Folds in the order of time.

use crate::error::{Error, Result};

/// Tests of one size, one after the other up to the last row, each behind the rows that are fitted. scikit-learn's
/// `TimeSeriesSplit`.
#[derive(Debug, Clone)]
pub(super) struct Ordered {
    rows: usize,
    n_splits: usize,
    gap: usize,
    test_size: usize,
}

impl Ordered {
    pub(super) fn new(rows: usize, n_splits: usize, gap: usize, test_size: Option<usize>) -> Result<Ordered> {
        if n_splits < 2 || n_splits >= rows {
            let rule = format!("from 2 to one less than the number of rows, {}", rows.saturating_sub(1));
            return Err(Error::param("n_splits", rule, n_splits));
        }
        let test_size = test_size.unwrap_or(rows / (n_splits + 1));
        if test_size == 0 {
            return Err(Error::param("test_size", "at least 1", 0));
        }
        let taken = n_splits.checked_mul(test_size).and_then(|tests| tests.checked_add(gap));
        if taken.is_none_or(|taken| taken >= rows) {
            let rule = format!("such that {n_splits} tests of {test_size} rows and the gap leave one of {rows} rows");
            return Err(Error::param("gap", rule, gap));
        }
        Ok(Ordered { rows, n_splits, gap, test_size })
    }

    pub(super) fn get(&self, number: usize) -> (Vec<usize>, Vec<usize>) {
        let start = self.rows - (self.n_splits - number) * self.test_size;
        ((0..start - self.gap).collect(), (start..start + self.test_size).collect())
    }
}
