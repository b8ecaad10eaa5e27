//! The variances of the components and their directions.

use nalgebra::DMatrix;

use super::{ColumnScale, Pca};
use crate::array::DeviceMatrix;
use crate::cpu::random::HostRng;
use crate::decomposition::columns::upload;
use crate::device::Stream;
use crate::error::{Error, Result};
use crate::estimator::Declared;
use crate::linalg::{Eigen, Multiplier, leading_eigen};
use crate::ops::{self, Layout};
use crate::solvers::scatter::Scatter;

/// Columns up to which the covariance is made.
pub(super) const MOST_COLUMNS: usize = 4000;
/// Rows up to which all of their products with each other are made, where there are more columns than that.
const MOST_ROWS: usize = 4000;
/// Columns up to which all eigenvectors are computed, however few are wanted.
const FEW_COLUMNS: usize = 256;
/// All are computed where more than a share of one in so many is wanted.
const SHARE_OF_ALL: usize = 8;
/// Residuals, as shares of the largest eigenvalue, that end the iterations: on a covariance in f64, and on products in f32.
const TOLERANCES: [f64; 2] = [1e-9, 2e-6];
/// Products with blocks of vectors at most.
const MOST_PRODUCTS: usize = 500;
/// The stream of random numbers for the first vectors.
const STREAM: u32 = 0x7063_0000;

/// What a fit finds: the components, k of them, and the table they are of.
pub(super) struct Spectrum {
    /// Rows that count.
    pub(super) rows: usize,
    pub(super) mean: Vec<f64>,
    /// What columns are divided by.
    pub(super) scale: Vec<f64>,
    /// Of the kept components, descending.
    pub(super) variances: Vec<f64>,
    /// d×k, a component a column.
    pub(super) vectors: DMatrix<f64>,
    /// The variance of all columns together.
    pub(super) total: f64,
}

impl Spectrum {
    /// From the scatter of the rows.
    pub(super) fn of(pca: &Pca, scatter: &Scatter) -> Result<Spectrum> {
        let d = scatter.mean.len();
        let most = bounds(pca, scatter.rows, d)?;
        // n − 1 for weights of 1, and the same for any multiple of them.
        let freedom = scatter.weight * (scatter.rows - 1) as f64 / scatter.rows as f64;
        let deviations: Vec<f64> = (0..d).map(|at| (scatter.matrix[(at, at)] / freedom).max(0.0).sqrt()).collect();
        let scale = scales(pca.scale, &deviations, scatter.rows);
        let covariance = DMatrix::from_fn(d, d, |i, j| scatter.matrix[(i, j)] / (freedom * scale[i] * scale[j]));
        let total = covariance.trace();
        check_varies(total, scatter.rows)?;
        let wanted = pca.n_components.count().filter(|count| d > FEW_COLUMNS && count * SHARE_OF_ALL < d);
        let (variances, vectors) = match wanted {
            Some(count) => {
                let multiplier = Multiplier::new(&covariance);
                leading(pca, d, (count, thin_block(count)), TOLERANCES[0], |v| Ok(multiplier.times(v)))?
            }
            None => {
                let (values, vectors) = Eigen::factor(&covariance)?.into_parts();
                (values.as_slice().to_vec(), vectors)
            }
        };
        let count = pca.n_components.of(&variances, total, scatter.rows, most)?;
        Ok(Spectrum { rows: scatter.rows, mean: scatter.mean.clone(), scale, variances, vectors, total }.cut(count))
    }

    fn cut(mut self, count: usize) -> Spectrum {
        self.variances.truncate(count);
        // Rounding can leave a variance of 0 a little below it.
        self.variances.iter_mut().for_each(|variance| *variance = variance.max(0.0));
        self.vectors = self.vectors.columns(0, count.min(self.vectors.ncols())).into_owned();
        self
    }
}

/// Of rows with more columns than a covariance is made for: all components from the products of the rows with each
/// other, or the leading ones from products with blocks of vectors.
pub(super) fn of_many_columns(
    pca: &Pca,
    stream: &mut Stream,
    x: &DeviceMatrix,
    weights: Option<&[f32]>,
) -> Result<Spectrum> {
    let (n, d) = (x.rows(), x.columns());
    let most = bounds(pca, n, d)?;
    if weights.is_some() {
        let expected = format!("no sample weights for more than {MOST_COLUMNS} columns");
        return Err(Error::shape(Pca::TYPE, expected, "sample weights"));
    }
    let moments = ops::column_moments(stream, x, None)?;
    let freedom = (n - 1) as f64;
    let to_sample = n as f64 / freedom;
    let deviations: Vec<f64> = moments.variance.iter().map(|variance| (variance * to_sample).sqrt()).collect();
    let scale = scales(pca.scale, &deviations, n);
    let total = deviations.iter().zip(&scale).map(|(deviation, scale)| (deviation / scale).powi(2)).sum();
    check_varies(total, n)?;
    let lines = moments.mean.iter().zip(&scale).map(|(mean, scale)| (*mean, 1.0 / scale, 0.0)).collect();
    let centred = ops::affine(stream, x, &lines)?;
    let wanted = pca.n_components.count().filter(|count| count * SHARE_OF_ALL < n);
    let (variances, vectors) = match wanted {
        Some(count) => leading(pca, d, (count, wide_block(count)), TOLERANCES[1], |v| {
            let block = upload(v.nrows(), v.ncols(), v.transpose().as_slice(), stream.device())?;
            let along = ops::gemm(stream, Layout::NN, &centred, &block)?;
            let back = ops::gemm(stream, Layout::TN, &centred, &along)?;
            Ok(back.to_matrix(stream)?.to_dmatrix() / freedom)
        })?,
        None if n <= MOST_ROWS => of_rows(stream, &centred, freedom)?,
        None => {
            let rule = format!("a number below {} for so many rows and columns", n.div_ceil(SHARE_OF_ALL));
            return Err(Error::param("n_components", rule, format!("{:?}", pca.n_components)));
        }
    };
    let count = pca.n_components.of(&variances, total, n, most.min(variances.len()))?;
    Ok(Spectrum { rows: n, mean: moments.mean, scale, variances, vectors, total }.cut(count))
}

/// All components of few rows: the eigenvectors u of X·Xᵀ give those of XᵀX as Xᵀu over their length.
fn of_rows(stream: &mut Stream, centred: &DeviceMatrix, freedom: f64) -> Result<(Vec<f64>, DMatrix<f64>)> {
    let n = centred.rows();
    let products = ops::gemm(stream, Layout::NT, centred, centred)?.to_matrix(stream)?.to_dmatrix();
    let (values, left) = Eigen::factor(&products)?.into_parts();
    let left = upload(n, n, left.transpose().as_slice(), stream.device())?;
    let mut vectors = ops::gemm(stream, Layout::TN, centred, &left)?.to_matrix(stream)?.to_dmatrix();
    // Rows about their mean lie in n − 1 dimensions, and what is below rounding has no direction.
    let floor = values[0] * n as f64 * f64::from(f32::EPSILON);
    let rank = values.iter().take_while(|value| **value > floor).count();
    for mut vector in vectors.column_iter_mut().take(rank) {
        let norm = vector.norm();
        let sign = if vector[vector.icamax()] < 0.0 { -1.0 } else { 1.0 };
        vector *= sign / norm;
    }
    let variances = values.iter().take(rank).map(|value| value / freedom).collect();
    Ok((variances, vectors.columns(0, rank).into_owned()))
}

/// Vectors multiplied at a time with a covariance: few, for the basis of all products is then smaller when it has found the pairs, and
/// what is done to it costs more than they do (784 columns: 50 pairs 0.09 → 0.05 s, 80 pairs 0.22 → 0.09).
fn thin_block(count: usize) -> usize {
    (count / 6).next_multiple_of(4).clamp(4, 32)
}

/// The same where each product passes twice over all rows.
fn wide_block(count: usize) -> usize {
    (count / 3).next_multiple_of(4).clamp(4, 64)
}

/// The leading eigenpairs of a d×d matrix that is known by its products.
fn leading(
    pca: &Pca,
    d: usize,
    (count, columns): (usize, usize),
    tolerance: f64,
    product: impl FnMut(&DMatrix<f64>) -> Result<DMatrix<f64>>,
) -> Result<(Vec<f64>, DMatrix<f64>)> {
    let fresh = |number: usize| {
        let mut rng = HostRng::new(pca.seed, STREAM.wrapping_add(number as u32));
        DMatrix::from_fn(d, columns, |_, _| rng.uniform() - 0.5)
    };
    let found = leading_eigen(d, count, (tolerance, MOST_PRODUCTS), product, fresh)?;
    if !found.converged {
        log::warn!("{MOST_PRODUCTS} products left a residual of {:.1e} in the components", found.residual);
    }
    Ok((found.values, found.vectors))
}

/// At most so many components can be had; refuses fewer than two rows.
fn bounds(pca: &Pca, rows: usize, columns: usize) -> Result<usize> {
    pca.n_components.check()?;
    match rows {
        0 | 1 => Err(Error::shape(Pca::TYPE, "at least two rows", format!("{rows}"))),
        _ => Ok(rows.min(columns)),
    }
}

fn check_varies(total: f64, rows: usize) -> Result<()> {
    match total > 0.0 {
        true => Ok(()),
        false => Err(Error::shape(Pca::TYPE, "rows that differ in some column", format!("{rows} equal rows"))),
    }
}

/// What each column is divided by; 1 for a constant one.
fn scales(scale: ColumnScale, deviations: &[f64], rows: usize) -> Vec<f64> {
    let factor = match scale {
        ColumnScale::None => return vec![1.0; deviations.len()],
        ColumnScale::Deviation => 1.0,
        ColumnScale::Norm => ((rows - 1) as f64).sqrt(),
    };
    deviations.iter().map(|deviation| if *deviation > 0.0 { deviation * factor } else { 1.0 }).collect()
}
