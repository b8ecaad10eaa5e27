//! Sparse rows less their means, which are kept apart so that zeros stay zeros.

use std::ops::Range;

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::fit::Found;
use crate::array::{Matrix, SparseMatrix};
use crate::cpu::sparse::{Compressed, CompressedRows, gram, multiply};

/// Deviations below this share of the mean are rounding: the column is constant.
const CONSTANT: f64 = 1e-12;

/// A = B − √w·meanᵀ: `B` holds √w·(x − shift) of the columns that vary, and is sparse.
///
/// A column without zeros is shifted by its mean first. In any other column mean² is at most n times the variance, so the
/// products of centred columns lose at most log₂ n bits where the mean is taken out of them.
pub(in crate::linear) struct Centred {
    rows: Compressed<f64>,
    transposed: Compressed<f64>,
    /// √w of each row.
    root: Vec<f64>,
    weight: f64,
    /// Of the shifted columns.
    mean: Vec<f64>,
    /// Σ w·(x − mean)² of each.
    squares: Vec<f64>,
    /// The mean of each column as it came.
    plain_mean: Vec<f64>,
    /// The columns that vary, of all.
    active: Vec<usize>,
    all: usize,
    /// √w·(y − mean), n×p.
    y: Vec<f64>,
    y_mean: Vec<f64>,
}

impl Centred {
    /// Without an intercept all means are zero.
    pub(in crate::linear) fn new(x: &SparseMatrix, y: &Matrix, weights: Option<&[f32]>, intercept: bool) -> Centred {
        let weight = |row: usize| weights.map_or(1.0, |weights| f64::from(weights[row]));
        let total: f64 = (0..x.rows()).map(weight).sum();
        let root: Vec<f64> = (0..x.rows()).map(|row| weight(row).sqrt()).collect();
        let columns = CompressedRows::from(x).transposed();
        let mut kept = Compressed { columns: x.rows(), offsets: vec![0], indices: vec![], values: vec![] };
        let (mut mean, mut squares, mut plain_mean, mut active) = (vec![], vec![], vec![], vec![]);
        for column in 0..x.columns() {
            let (rows, values) = columns.view().row(column);
            if rows.is_empty() {
                continue;
            }
            let own = Column::new(rows, values, &weight, total, intercept);
            if own.squares <= total * (CONSTANT * own.plain_mean()).powi(2) {
                continue;
            }
            active.push(column);
            mean.push(own.mean);
            squares.push(own.squares);
            plain_mean.push(own.plain_mean());
            kept.indices.extend_from_slice(rows);
            let shifted = |(row, value): (&u32, &f32)| root[*row as usize] * (f64::from(*value) - own.shift);
            kept.values.extend(rows.iter().zip(values).map(shifted));
            kept.offsets.push(kept.values.len());
        }
        drop(columns);
        let y_mean = (0..y.columns()).map(|output| match intercept {
            true => (0..y.rows()).map(|row| weight(row) * f64::from(y.get(row, output))).sum::<f64>() / total,
            false => 0.0,
        });
        let y_mean: Vec<f64> = y_mean.collect();
        let centre = |at: usize| {
            let (row, output) = (at / y.columns(), at % y.columns());
            root[row] * (f64::from(y.get(row, output)) - y_mean[output])
        };
        let y = (0..y.rows() * y.columns()).map(centre).collect();
        let rows = kept.view().transposed();
        let (transposed, all) = (kept, x.columns());
        Centred { rows, transposed, root, weight: total, mean, squares, plain_mean, active, all, y, y_mean }
    }

    /// Number of rows, n.
    pub(in crate::linear) fn rows(&self) -> usize {
        self.root.len()
    }

    /// Number of columns that vary, d.
    pub(in crate::linear) fn columns(&self) -> usize {
        self.active.len()
    }

    /// Number of outputs, p.
    pub(in crate::linear) fn outputs(&self) -> usize {
        self.y_mean.len()
    }

    /// How much all rows weigh.
    pub(in crate::linear) fn weight(&self) -> f64 {
        self.weight
    }

    /// √w of each row.
    pub(in crate::linear) fn roots(&self) -> &[f64] {
        &self.root
    }

    /// √w·(y − mean), n×p.
    pub(in crate::linear) fn targets(&self) -> &[f64] {
        &self.y
    }

    /// The means of the targets.
    pub(in crate::linear) fn y_mean(&self) -> &[f64] {
        &self.y_mean
    }

    /// √w·(y − mean) of one output.
    pub(in crate::linear) fn target(&self, output: usize) -> Vec<f64> {
        self.y.iter().skip(output).step_by(self.outputs()).copied().collect()
    }

    /// A·v.
    pub(in crate::linear) fn product(&self, v: &[f64]) -> Vec<f64> {
        self.products(v, 1)
    }

    /// Aᵀ·u.
    pub(in crate::linear) fn transposed_product(&self, u: &[f64]) -> Vec<f64> {
        self.transposed_products(u, 1)
    }

    /// AᵀA, d×d.
    pub(in crate::linear) fn gram(&self) -> DMatrix<f64> {
        let d = self.columns();
        let mut products = DMatrix::from_vec(d, d, gram(self.rows.view(), self.transposed.view()));
        for column in 0..d {
            for row in 0..d {
                products[(row, column)] -= self.weight * self.mean[row] * self.mean[column];
            }
            products[(column, column)] = self.squares[column];
        }
        products
    }

    /// Aᵀ·(y − A·coef), d×p: the slope of the squares.
    pub(in crate::linear) fn slope(&self, coef: &DMatrix<f64>) -> DMatrix<f64> {
        let outputs = self.outputs();
        let predicted = self.products(coef.transpose().as_slice(), outputs);
        let left: Vec<f64> = self.y.iter().zip(predicted).map(|(y, predicted)| y - predicted).collect();
        DMatrix::from_row_slice(self.columns(), outputs, &self.transposed_products(&left, outputs))
    }

    /// ‖y − A·coef‖² of each output.
    pub(in crate::linear) fn residual_squares(&self, coef: &DMatrix<f64>) -> Vec<f64> {
        let predicted = self.products(coef.transpose().as_slice(), self.outputs());
        let mut squares = vec![0.0; self.outputs()];
        for (at, (y, predicted)) in self.y.iter().zip(predicted).enumerate() {
            squares[at % self.outputs()] += (y - predicted).powi(2);
        }
        squares
    }

    /// A matrix with a row for each column that varies as one with a row for each column, zero elsewhere.
    pub(in crate::linear) fn over_rows(&self, matrix: &DMatrix<f64>) -> DMatrix<f64> {
        let mut all = DMatrix::zeros(self.all, matrix.ncols());
        self.active.iter().enumerate().for_each(|(from, to)| all.set_row(*to, &matrix.row(from)));
        all
    }

    /// The rows of a matrix that belong to columns that vary.
    pub(in crate::linear) fn among_active(&self, matrix: &DMatrix<f64>) -> DMatrix<f64> {
        matrix.select_rows(&self.active)
    }

    /// A d×d matrix over the columns that vary as one over all, zero elsewhere.
    pub(in crate::linear) fn over_all(&self, matrix: &DMatrix<f64>) -> DMatrix<f64> {
        let mut all = DMatrix::zeros(self.all, self.all);
        for (j, &column) in self.active.iter().enumerate() {
            self.active.iter().enumerate().for_each(|(i, &row)| all[(row, column)] = matrix[(i, j)]);
        }
        all
    }

    /// The largest entry, in units in which the columns are equally long.
    pub(in crate::linear) fn size(&self, coef: &DMatrix<f64>) -> f64 {
        let sizes = coef.column_iter().flat_map(|column| {
            let pairs = column.iter().zip(&self.squares).map(|(coef, squares)| (coef * squares.sqrt()).abs());
            pairs.collect::<Vec<f64>>()
        });
        sizes.fold(0.0, |most, size| if size.is_nan() { f64::INFINITY } else { most.max(size) })
    }

    /// The plane over all columns for d×p coefficients of those that vary.
    pub(in crate::linear) fn found(&self, coef: &DMatrix<f64>, rank: usize) -> Found {
        let mut all = DMatrix::zeros(self.all, self.outputs());
        self.active.iter().enumerate().for_each(|(row, column)| all.set_row(*column, &coef.row(row)));
        let at_mean = |output: usize| coef.column(output).iter().zip(&self.plain_mean).map(|(a, b)| a * b).sum::<f64>();
        let intercept = self.y_mean.iter().enumerate().map(|(output, mean)| mean - at_mean(output)).collect();
        let mut x_mean = vec![0.0; self.all];
        self.active.iter().zip(&self.plain_mean).for_each(|(column, mean)| x_mean[*column] = *mean);
        let (inverse, squares, condition) = (None, None, None);
        Found { coef: all, intercept, rank, singular_values: None, x_mean, inverse, squares, condition }
    }

    /// Σ w·(x − mean)² of each column that varies.
    pub(in crate::linear) fn squares(&self) -> &[f64] {
        &self.squares
    }

    /// The columns that vary, of all.
    pub(in crate::linear) fn active(&self) -> &[usize] {
        &self.active
    }

    /// The products of columns that vary, `left` by `right`, row by row.
    pub(in crate::linear) fn products_of(&self, left: &[usize], right: &[usize]) -> Vec<f64> {
        let mut out = vec![0.0; left.len() * right.len()];
        out.par_chunks_mut(right.len().max(1)).zip(left).for_each(|(out, &own)| {
            let mut dense = vec![0.0; self.rows()];
            let (rows, values) = self.transposed.view().row(own);
            rows.iter().zip(values).for_each(|(row, value)| dense[*row as usize] = *value);
            for (out, &other) in out.iter_mut().zip(right) {
                let (rows, values) = self.transposed.view().row(other);
                let plain: f64 = rows.iter().zip(values).map(|(row, value)| dense[*row as usize] * value).sum();
                *out = plain - self.weight * self.mean[own] * self.mean[other];
            }
        });
        out
    }

    /// A·V of some of the rows and d×k numbers, row by row.
    pub(in crate::linear) fn turned_rows(&self, rows: Range<usize>, v: &[f64], k: usize) -> Vec<f64> {
        let Compressed { columns, offsets, indices, values } = &self.rows;
        let some = CompressedRows { columns: *columns, offsets: &offsets[rows.start..=rows.end], indices, values };
        centred_products(some, v, k, (&self.mean, &self.root[rows]))
    }

    /// A·V of d×p numbers, row by row: n×p.
    fn products(&self, v: &[f64], outputs: usize) -> Vec<f64> {
        centred_products(self.rows.view(), v, outputs, (&self.mean, &self.root))
    }

    /// Aᵀ·U of n×p numbers, row by row: d×p.
    fn transposed_products(&self, u: &[f64], outputs: usize) -> Vec<f64> {
        centred_products(self.transposed.view(), u, outputs, (&self.root, &self.mean))
    }
}

/// The products of the rows that are stored, less those of what centring takes from all: `outer·innerᵀ`.
fn centred_products(
    rows: CompressedRows<'_, f64>,
    v: &[f64],
    outputs: usize,
    (inner, outer): (&[f64], &[f64]),
) -> Vec<f64> {
    let mut out = multiply(rows, v, outputs);
    let mut sums = vec![0.0; outputs];
    for (v, inner) in v.chunks_exact(outputs).zip(inner) {
        sums.iter_mut().zip(v).for_each(|(sum, v)| *sum += v * inner);
    }
    for (out, outer) in out.chunks_exact_mut(outputs).zip(outer) {
        out.iter_mut().zip(&sums).for_each(|(out, sum)| *out -= outer * sum);
    }
    out
}

/// What is known of one column.
struct Column {
    shift: f64,
    /// Of what is shifted.
    mean: f64,
    squares: f64,
}

impl Column {
    fn new(rows: &[u32], values: &[f32], weight: &impl Fn(usize) -> f64, total: f64, intercept: bool) -> Column {
        let sum = |term: &dyn Fn(f64) -> f64| -> f64 {
            rows.iter().zip(values).map(|(row, value)| weight(*row as usize) * term(f64::from(*value))).sum()
        };
        if !intercept {
            return Column { shift: 0.0, mean: 0.0, squares: sum(&|value| value * value) };
        }
        let stored = sum(&|_| 1.0);
        let mean = sum(&|value| value) / total;
        // Rounded to f32, the mean of equal numbers is the number, and every difference is exact.
        let shift = if stored == total { f64::from(mean as f32) } else { 0.0 };
        let mean = sum(&|value| value - shift) / total;
        let squares = sum(&|value| (value - shift - mean).powi(2)) + (total - stored).max(0.0) * mean * mean;
        Column { shift, mean, squares }
    }

    fn plain_mean(&self) -> f64 {
        self.shift + self.mean
    }
}
