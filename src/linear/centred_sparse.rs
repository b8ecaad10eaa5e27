//! Sparse rows less their means, which are kept apart so that zeros stay zeros.

use nalgebra::DMatrix;

use super::fit::Found;
use crate::array::{Matrix, SparseMatrix};
use crate::cpu::sparse::{Compressed, CompressedRows, gram, multiply};

/// Deviations below this share of the mean are rounding: the column is constant.
const CONSTANT: f64 = 1e-12;

/// A = B − √w·meanᵀ: `B` holds √w·(x − shift) of the columns that vary, and is sparse.
///
/// A column without zeros is shifted by its mean first. In any other column mean² is at most n times the variance, so the
/// products of centred columns lose at most log₂ n bits where the mean is taken out of them.
pub(super) struct Centred {
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
    pub(super) fn new(x: &SparseMatrix, y: &Matrix, weights: Option<&[f32]>, intercept: bool) -> Centred {
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
    pub(super) fn rows(&self) -> usize {
        self.root.len()
    }

    /// Number of columns that vary, d.
    pub(super) fn columns(&self) -> usize {
        self.active.len()
    }

    /// Number of outputs, p.
    pub(super) fn outputs(&self) -> usize {
        self.y_mean.len()
    }

    /// √w·(y − mean) of one output.
    pub(super) fn target(&self, output: usize) -> Vec<f64> {
        self.y.iter().skip(output).step_by(self.outputs()).copied().collect()
    }

    /// A·v.
    pub(super) fn product(&self, v: &[f64]) -> Vec<f64> {
        self.products(v, 1)
    }

    /// Aᵀ·u.
    pub(super) fn transposed_product(&self, u: &[f64]) -> Vec<f64> {
        self.transposed_products(u, 1)
    }

    /// AᵀA, d×d.
    pub(super) fn gram(&self) -> DMatrix<f64> {
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
    pub(super) fn slope(&self, coef: &DMatrix<f64>) -> DMatrix<f64> {
        let outputs = self.outputs();
        let predicted = self.products(coef.transpose().as_slice(), outputs);
        let left: Vec<f64> = self.y.iter().zip(predicted).map(|(y, predicted)| y - predicted).collect();
        DMatrix::from_row_slice(self.columns(), outputs, &self.transposed_products(&left, outputs))
    }

    /// The largest entry, in units in which the columns are equally long.
    pub(super) fn size(&self, coef: &DMatrix<f64>) -> f64 {
        let sizes = coef.column_iter().flat_map(|column| {
            let pairs = column.iter().zip(&self.squares).map(|(coef, squares)| (coef * squares.sqrt()).abs());
            pairs.collect::<Vec<f64>>()
        });
        sizes.fold(0.0, |most, size| if size.is_nan() { f64::INFINITY } else { most.max(size) })
    }

    /// The plane over all columns for d×p coefficients of those that vary.
    pub(super) fn found(&self, coef: &DMatrix<f64>, rank: usize) -> Found {
        let mut all = DMatrix::zeros(self.all, self.outputs());
        self.active.iter().enumerate().for_each(|(row, column)| all.set_row(*column, &coef.row(row)));
        let at_mean = |output: usize| coef.column(output).iter().zip(&self.plain_mean).map(|(a, b)| a * b).sum::<f64>();
        let intercept = self.y_mean.iter().enumerate().map(|(output, mean)| mean - at_mean(output)).collect();
        Found { coef: all, intercept, rank, singular_values: None }
    }

    /// A·V of d×p numbers, row by row: n×p.
    fn products(&self, v: &[f64], outputs: usize) -> Vec<f64> {
        centred_products(&self.rows, v, outputs, (&self.mean, &self.root))
    }

    /// Aᵀ·U of n×p numbers, row by row: d×p.
    fn transposed_products(&self, u: &[f64], outputs: usize) -> Vec<f64> {
        centred_products(&self.transposed, u, outputs, (&self.root, &self.mean))
    }
}

/// The products of the rows that are stored, less those of what centring takes from all: `outer·innerᵀ`.
fn centred_products(rows: &Compressed<f64>, v: &[f64], outputs: usize, (inner, outer): (&[f64], &[f64])) -> Vec<f64> {
    let mut out = multiply(rows.view(), v, outputs);
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
