//! The rows of each class: how many, where, and how they scatter.

use nalgebra::DMatrix;

use super::shrinkage::{Shrinkage, ledoit_wolf, shrunk};
use crate::array::Matrix;
use crate::data::Labels;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::linear::host_rows::HostRows;
use crate::solvers::scatter::Scatter;

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
    let Scatter { weight, mean, matrix: scatter, .. } =
        Scatter::of(&mut Device::Cpu.stream(), &x.to(&Device::Cpu)?, weights)?;
    let centred =
        || DMatrix::from_fn(x.rows(), x.columns(), |row, column| f64::from(x.get(row, column)) - mean[column]);
    let rows = keep_rows.then(centred);
    Ok(ClassMoments { weight, mean, scatter, rows })
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
