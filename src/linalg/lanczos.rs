//! The leading eigenpairs of a symmetric matrix that is known by its products alone.

use nalgebra::DMatrix;

use super::{Eigen, leads_negative, product as times, transposed_product};
use crate::error::{Error, Result};

/// What is left of a column, as a share of its length, when it has no direction of its own.
const DEPENDENT: f64 = 1e-10;

/// What [`leading_eigen`] found.
#[derive(Debug, Clone, PartialEq)]
pub struct LeadingEigen {
    /// The largest eigenvalues, descending; fewer than asked for only where the matrix has fewer rows.
    pub values: Vec<f64>,
    /// Their vectors as columns, with signs as [`Eigen`] fixes them.
    pub vectors: DMatrix<f64>,
    /// The largest ‖A·v − λ·v‖ of them.
    pub residual: f64,
    /// Products with blocks of vectors that were made.
    pub products: usize,
    /// Whether the residual is within the tolerance.
    pub converged: bool,
}

/// The `count` largest eigenvalues of a symmetric matrix of `size` rows with their vectors, by block Lanczos with full
/// reorthogonalisation and thick restarts (Wu and Simon 2000).
///
/// `product` gives A·V for a block of columns. `fresh` gives a random block, n×b, for its number; the same blocks give the
/// same result. It ends when no residual is above `tolerance` times the largest |eigenvalue|, or after `most` products.
/// Memory for about 8·count + 100 vectors.
pub fn leading_eigen(
    size: usize,
    count: usize,
    (tolerance, most): (f64, usize),
    mut product: impl FnMut(&DMatrix<f64>) -> Result<DMatrix<f64>>,
    mut fresh: impl FnMut(usize) -> DMatrix<f64>,
) -> Result<LeadingEigen> {
    let count = count.min(size);
    if count == 0 {
        let vectors = DMatrix::zeros(size, 0);
        return Ok(LeadingEigen { values: vec![], vectors, residual: 0.0, products: 0, converged: true });
    }
    let mut blocks = 0;
    let mut next_fresh = |basis: &DMatrix<f64>| {
        blocks += 1;
        orthonormal(basis, fresh(blocks - 1))
    };
    let (mut basis, mut images) = (DMatrix::zeros(size, 0), DMatrix::zeros(size, 0));
    let mut block = next_fresh(&basis);
    let most_columns = (4 * count).max(48) + 2 * block.ncols().max(1);
    let mut check = count;
    for made in 1..=most.max(1) {
        let image = product(&block)?;
        if image.shape() != block.shape() {
            return Err(Error::shape("leading_eigen", "a product as large as its block", image.ncols()));
        }
        basis = joined(&basis, &block);
        images = joined(&images, &image);
        let next = orthonormal(&basis, image);
        let columns = basis.ncols();
        let full = columns >= size;
        if columns >= check.min(size) || next.ncols() == 0 || made == most {
            let seen = projected(&basis, &images)?;
            let found = ritz(&basis, &images, &seen, count, made, tolerance);
            if found.values.len() == count && (found.converged || full) || made >= most {
                return Ok(found);
            }
            // The eigenvectors of what is known so far cost more than some products.
            check = columns + block.ncols().max(columns / 2);
            if columns + next.ncols() > most_columns {
                (basis, images) = restarted(&basis, &images, &seen, (count + most_columns) / 2);
                check = basis.ncols() + block.ncols();
            } else {
                check = check.min(most_columns - most_columns % block.ncols().max(1));
            }
        }
        block = next;
        if block.ncols() == 0 {
            block = next_fresh(&basis);
        }
        if block.ncols() == 0 {
            return Ok(ritz(&basis, &images, &projected(&basis, &images)?, count, made, tolerance));
        }
    }
    Ok(ritz(&basis, &images, &projected(&basis, &images)?, count, most, tolerance))
}

fn joined(left: &DMatrix<f64>, right: &DMatrix<f64>) -> DMatrix<f64> {
    let values = [left.as_slice(), right.as_slice()].concat();
    DMatrix::from_vec(left.nrows(), left.ncols() + right.ncols(), values)
}

/// The part of the columns that is new to the basis, orthonormal; twice, because once leaves rounding.
fn orthonormal(basis: &DMatrix<f64>, mut block: DMatrix<f64>) -> DMatrix<f64> {
    let lengths: Vec<f64> = block.column_iter().map(|column| column.norm()).collect();
    let largest = lengths.iter().copied().fold(0.0, f64::max);
    for _ in 0..2 {
        let shares = transposed_product(basis, &block);
        block -= times(basis, &shares);
    }
    let room = basis.nrows().saturating_sub(basis.ncols());
    let mut kept: Vec<nalgebra::DVector<f64>> = vec![];
    for column in block.column_iter() {
        let mut column = column.into_owned();
        for _ in 0..2 {
            for other in &kept {
                let share = other.dot(&column);
                column.axpy(-share, other, 1.0);
            }
        }
        let norm = column.norm();
        if kept.len() < room && norm > DEPENDENT * largest && norm > 0.0 {
            kept.push(column / norm);
        }
    }
    // What the columns took from one another brings back a little of the basis.
    let mut block = DMatrix::from_fn(basis.nrows(), kept.len(), |row, column| kept[column][row]);
    let shares = transposed_product(basis, &block);
    block -= times(basis, &shares);
    for mut column in block.column_iter_mut() {
        let norm = column.norm();
        column /= norm;
    }
    block
}

/// The eigenpairs of the matrix seen from the basis.
fn projected(basis: &DMatrix<f64>, images: &DMatrix<f64>) -> Result<Eigen> {
    let small = transposed_product(basis, images);
    Eigen::factor(&((&small + small.transpose()) * 0.5))
}

/// Rayleigh and Ritz: those pairs as approximations of the matrix's own.
fn ritz(
    basis: &DMatrix<f64>,
    images: &DMatrix<f64>,
    seen: &Eigen,
    count: usize,
    products: usize,
    tolerance: f64,
) -> LeadingEigen {
    let values = seen.values();
    let count = count.min(values.len());
    let small = seen.vectors().columns(0, count).into_owned();
    let mut vectors = times(basis, &small);
    let mut rest = times(images, &small);
    let mut residual = 0.0_f64;
    for at in 0..count {
        rest.column_mut(at).axpy(-values[at], &vectors.column(at), 1.0);
        residual = residual.max(rest.column(at).norm());
        if leads_negative(vectors.column(at).as_slice()) {
            vectors.column_mut(at).neg_mut();
        }
    }
    let largest = values.amax();
    let values = values.iter().take(count).copied().collect();
    LeadingEigen { values, vectors, residual, products, converged: residual <= tolerance * largest }
}

/// The leading `keep` Ritz vectors as a basis, with their images.
fn restarted(basis: &DMatrix<f64>, images: &DMatrix<f64>, seen: &Eigen, keep: usize) -> (DMatrix<f64>, DMatrix<f64>) {
    let small = seen.vectors().columns(0, keep.min(seen.values().len())).into_owned();
    (times(basis, &small), times(images, &small))
}
