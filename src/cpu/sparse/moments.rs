//! Mean and variance of the columns, zeros included.

use super::CompressedRows;

/// What [`moments`] finds of each column.
#[derive(Debug, Clone, PartialEq)]
pub struct Moments {
    /// The mean.
    pub mean: Vec<f64>,
    /// Of the population: Σ (x − mean)² / n.
    pub variance: Vec<f64>,
    /// How many numbers are not zero.
    pub nonzero: Vec<usize>,
}

/// Mean and variance of each column of `x`, n×d, n ≥ 1, in two passes: the zeros of a column add n − nnz times mean².
pub fn moments(x: CompressedRows<'_, f32>) -> Moments {
    let rows = x.rows() as f64;
    let (mut mean, mut nonzero) = (vec![0.0; x.columns], vec![0; x.columns]);
    for (column, value) in x.indices.iter().zip(x.values) {
        mean[*column as usize] += f64::from(*value);
        nonzero[*column as usize] += 1;
    }
    mean.iter_mut().for_each(|sum| *sum /= rows);
    let zeros = |(mean, nonzero): (&f64, &usize)| (rows - *nonzero as f64) * mean * mean;
    let mut variance: Vec<f64> = mean.iter().zip(&nonzero).map(zeros).collect();
    for (column, value) in x.indices.iter().zip(x.values) {
        let deviation = f64::from(*value) - mean[*column as usize];
        variance[*column as usize] += deviation * deviation;
    }
    variance.iter_mut().for_each(|sum| *sum /= rows);
    Moments { mean, variance, nonzero }
}
