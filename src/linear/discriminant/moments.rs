//! The rows of each class: how many, where, and how they scatter.

use nalgebra::DMatrix;

use super::shrinkage::{Shrinkage, ledoit_wolf, shrunk};
use crate::array::Matrix;
use crate::data::Labels;
use crate::error::{Error, Result};
use crate::linear::host_rows::HostRows;
use crate::ops;

/// Operations up to which a class is worked on in f64 throughout.
const SMALL: usize = 20_000_000;
/// Columns of sparse rows at most: the covariances are dense.
const WIDEST_SPARSE: usize = 4096;

/// What is known of one class.
pub(super) struct ClassMoments {
    /// Σ of the weights of its rows.
    pub(super) weight: f64,
    pub(super) mean: Vec<f64>,
    /// Σ w·(x − mean)(x − mean)ᵀ.
    pub(super) scatter: DMatrix<f64>,
    /// The centred rows, where they are few and were asked for.
    pub(super) rows: Option<DMatrix<f64>>,
}

impl ClassMoments {
    /// The covariance of the class, over its weight, shrunk.
    pub(super) fn covariance(&self, shrinkage: Shrinkage) -> DMatrix<f64> {
        let own = &self.scatter / self.weight;
        match (shrinkage, &self.rows) {
            (Shrinkage::Share(share), _) => shrunk(own, share),
            (Shrinkage::Auto, Some(rows)) => {
                // Of columns with deviation 1, as scikit-learn does, and back.
                let d = own.nrows();
                let unit = |at: usize| if own[(at, at)] > 0.0 { own[(at, at)].sqrt() } else { 1.0 };
                let scaled = DMatrix::from_fn(rows.nrows(), d, |row, column| rows[(row, column)] / unit(column));
                let correlation = DMatrix::from_fn(d, d, |i, j| own[(i, j)] / (unit(i) * unit(j)));
                let share = ledoit_wolf(&scaled, &correlation);
                let mixed = shrunk(correlation, share);
                DMatrix::from_fn(d, d, |i, j| mixed[(i, j)] * unit(i) * unit(j))
            }
            (Shrinkage::None, _) | (Shrinkage::Auto, None) => own,
        }
    }
}

/// Of each class, in their order; a class without rows is an error.
pub(super) fn of_classes(
    op: &'static str,
    x: &HostRows<'_>,
    y: &Labels,
    weights: Option<&[f32]>,
    keep_rows: bool,
) -> Result<Vec<ClassMoments>> {
    if let HostRows::Sparse(x) = x
        && x.columns() > WIDEST_SPARSE
    {
        let expected = format!("at most {WIDEST_SPARSE} sparse columns; LogisticRegression takes more");
        return Err(Error::shape(op, expected, format!("{} columns", x.columns())));
    }
    let of_class = |class: usize| {
        let counts = |row: &usize| y.codes()[*row] as usize == class && weights.is_none_or(|all| all[*row] > 0.0);
        let rows: Vec<usize> = (0..x.rows()).filter(counts).collect();
        if rows.is_empty() {
            let expected = "rows of every class that has a name".to_string();
            return Err(Error::shape(op, expected, format!("none of {}", y.names()[class])));
        }
        let weights: Option<Vec<f32>> = weights.map(|all| rows.iter().map(|row| all[*row]).collect());
        let own = match x {
            HostRows::Dense(x) => x.select(&rows)?,
            HostRows::Sparse(x) => x.select(&rows)?.to_dense()?,
        };
        of_rows(&own, weights.as_deref(), keep_rows)
    };
    (0..y.classes()).map(of_class).collect()
}

fn of_rows(x: &Matrix, weights: Option<&[f32]>, keep_rows: bool) -> Result<ClassMoments> {
    let d = x.columns();
    if !keep_rows && x.rows().saturating_mul(d).saturating_mul(d) > SMALL {
        let none = Matrix::zeros(x.rows(), 0)?;
        let device = crate::device::Device::Cpu;
        let found = ops::normal_equations(&mut device.stream(), &x.to(&device)?, &none, weights, true)?;
        let scatter = DMatrix::from_row_slice(d, d, &found.xx);
        return Ok(ClassMoments { weight: found.weight, mean: found.x_mean, scatter, rows: None });
    }
    let weight = |row: usize| weights.map_or(1.0, |weights| f64::from(weights[row]));
    let total: f64 = (0..x.rows()).map(weight).sum();
    let mut mean = vec![0.0; d];
    for row in 0..x.rows() {
        mean.iter_mut().zip(x.row(row)).for_each(|(sum, value)| *sum += weight(row) * f64::from(*value) / total);
    }
    let centred = DMatrix::from_fn(x.rows(), d, |row, column| f64::from(x.get(row, column)) - mean[column]);
    let mut weighted = centred.clone();
    weighted.row_iter_mut().enumerate().for_each(|(row, mut values)| values *= weight(row));
    let scatter = centred.tr_mul(&weighted);
    Ok(ClassMoments { weight: total, mean, scatter, rows: keep_rows.then_some(centred) })
}

/// The prior probabilities: given ones, checked, or the shares of the weights.
pub(super) fn priors(given: Option<&[f64]>, classes: &[ClassMoments]) -> Result<Vec<f64>> {
    let total: f64 = classes.iter().map(|class| class.weight).sum();
    let Some(given) = given else { return Ok(classes.iter().map(|class| class.weight / total).collect()) };
    let sum: f64 = given.iter().sum();
    if given.len() != classes.len() || !given.iter().all(|prior| *prior > 0.0) || (sum - 1.0).abs() > 1e-5 {
        let rule = format!("{} numbers above 0 that add up to 1, one a class", classes.len());
        return Err(Error::param("priors", rule, format!("{given:?}")));
    }
    Ok(given.to_vec())
}
