//! Sparse columns as coordinate descent sees them: never made dense, their means taken out of the products.

use crate::linear::least_squares::centred_sparse::Centred;
use crate::solvers::coordinate::Columns;

pub(super) struct SparseColumns {
    centred: Centred,
    /// Of all columns.
    squares: Vec<f64>,
    /// The place of each column among those that vary.
    place: Vec<usize>,
}

impl SparseColumns {
    /// `all` is the number of columns, those that do not vary too.
    pub(super) fn new(centred: Centred, all: usize) -> SparseColumns {
        let (mut squares, mut place) = (vec![0.0; all], vec![usize::MAX; all]);
        for (at, (&column, square)) in centred.active().iter().zip(centred.squares()).enumerate() {
            (squares[column], place[column]) = (square / centred.weight(), at);
        }
        SparseColumns { centred, squares, place }
    }

    fn places(&self, columns: &[usize]) -> Vec<usize> {
        columns.iter().map(|&column| self.place[column]).collect()
    }
}

impl Columns for SparseColumns {
    fn count(&self) -> usize {
        self.squares.len()
    }

    fn squares(&self) -> &[f64] {
        &self.squares
    }

    fn target_square(&self, output: usize) -> f64 {
        self.centred.target(output).iter().map(|value| value * value).sum::<f64>() / self.centred.weight()
    }

    fn slopes(&self, output: usize, support: &[(usize, f64)], which: &[usize]) -> (f64, Vec<f64>) {
        let mut coef = vec![0.0; self.centred.columns()];
        support.iter().for_each(|(column, value)| coef[self.place[*column]] = *value);
        let mut residual = self.centred.target(output);
        if !support.is_empty() {
            residual.iter_mut().zip(self.centred.product(&coef)).for_each(|(left, predicted)| *left -= predicted);
        }
        let slopes = self.centred.transposed_product(&residual);
        let weight = self.centred.weight();
        let own = |&column: &usize| slopes.get(self.place[column]).map_or(0.0, |slope| slope / weight);
        let square = residual.iter().map(|value| value * value).sum::<f64>() / weight;
        (square, which.iter().map(own).collect())
    }

    fn products(&self, left: &[usize], right: &[usize]) -> Vec<f32> {
        let products = self.centred.products_of(&self.places(left), &self.places(right));
        products.into_iter().map(|product| (product / self.centred.weight()) as f32).collect()
    }
}
