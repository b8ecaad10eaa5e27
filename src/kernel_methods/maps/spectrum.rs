//! The leading eigenpairs of a Gram matrix, centred or as it is.

use nalgebra::DMatrix;

use crate::cpu::random::HostRng;
use crate::device::Stream;
use crate::error::{Error, Result};
use crate::estimator::Reporter;
use crate::kernel_methods::gram_operator::GramOperator;
use crate::linalg::{Eigen, leading_eigen};

/// Rows up to which all eigenpairs are computed at once.
const DENSE_ROWS: usize = 1000;
/// The same where an eighth of them or more is asked for.
const DENSE_ROWS_OF_MANY: usize = 4096;
/// Residuals, as shares of the largest eigenvalue, that end the iteration: for products with sums in f64, and in f32.
const TOLERANCES: [f64; 2] = [1e-9, 2e-6];
/// Products with blocks of vectors at most.
const MOST_PRODUCTS: usize = 500;
/// The stream of random numbers for the first vectors.
const STREAM: u32 = 0x6b70_0000;

/// Eigenvalues, the largest first, with their vectors as columns.
pub(super) struct Spectrum {
    pub(super) values: Vec<f64>,
    pub(super) vectors: DMatrix<f64>,
}

/// The `count` leading eigenpairs, or all, of K or of (I − 11ᵀ/n)·K·(I − 11ᵀ/n): at once in f64 for few rows, else by
/// Lanczos on products.
pub(super) fn leading(
    gram: &GramOperator<'_>,
    stream: &mut Stream,
    count: Option<usize>,
    centred: bool,
    reporter: &mut Reporter<'_>,
) -> Result<Spectrum> {
    let n = gram.len();
    let wanted = count.unwrap_or(n).min(n);
    let many = wanted >= n.div_ceil(8);
    if n <= DENSE_ROWS || (many && n <= DENSE_ROWS_OF_MANY) {
        let mut matrix = gram.to_dmatrix(stream)?;
        if centred {
            center(&mut matrix);
        }
        let (values, vectors) = Eigen::factor(&matrix)?.into_parts();
        let values = values.iter().take(wanted).copied().collect();
        return Ok(Spectrum { values, vectors: vectors.columns(0, wanted).into_owned() });
    }
    if many {
        let rule = format!("below {}, an eighth of the rows, where there are so many of them", n.div_ceil(8));
        return Err(Error::param("n_components", rule, count.map_or("none".to_string(), |count| count.to_string())));
    }
    let tolerance = TOLERANCES[usize::from(!gram.is_whole())];
    let mut made = 0;
    let product = |v: &DMatrix<f64>| {
        made += 1;
        reporter.check_stopped(made, made as f64 / MOST_PRODUCTS as f64)?;
        if !centred {
            return gram.wide_product(stream, v);
        }
        let mut v = v.clone();
        center_columns(&mut v);
        let mut product = gram.wide_product(stream, &v)?;
        center_columns(&mut product);
        Ok(product)
    };
    // On a GPU K is made once for four columns.
    let columns = (wanted / 2).next_multiple_of(4).clamp(4, 64);
    let fresh = |number: usize| {
        let mut rng = HostRng::new(0, STREAM.wrapping_add(number as u32));
        DMatrix::from_fn(n, columns, |_, _| rng.uniform() - 0.5)
    };
    let found = leading_eigen(n, wanted, (tolerance, MOST_PRODUCTS), product, fresh)?;
    if !found.converged {
        log::warn!("{MOST_PRODUCTS} products left a residual of {:.1e} in the eigenvectors", found.residual);
    }
    Ok(Spectrum { values: found.values, vectors: found.vectors })
}

/// Takes the mean away from each column.
fn center_columns(matrix: &mut DMatrix<f64>) {
    for mut column in matrix.column_iter_mut() {
        let mean = column.mean();
        column.add_scalar_mut(-mean);
    }
}

/// Takes the means away from the columns and the rows.
fn center(matrix: &mut DMatrix<f64>) {
    let means = matrix.row_mean();
    let mean = means.mean();
    let n = matrix.nrows();
    for column in 0..n {
        for row in 0..n {
            // K is symmetric: the mean of a row is that of the column of its number.
            matrix[(row, column)] += mean - means[column] - means[row];
        }
    }
}
