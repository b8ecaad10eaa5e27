//! Small tables: QR or SVD of the centred rows in f64.

use nalgebra::DMatrix;

use super::fit::{Found, Penalty};
use crate::error::Result;
use crate::linalg::{Cholesky, Qr, SingleFactor, Svd, Triangle, residual, solve_least_squares, solve_triangular};

/// Operations of a QR above which f64 rows are first tried by the normal equations, some 30 ms.
const LARGE: usize = 100_000_000;
/// Corrections at most; each must be half of the one before.
const CORRECTIONS: usize = 8;
/// Condition of products up to which their inverse keeps eight digits.
const MOST_SQUARED: f64 = 1e7;

/// The penalty, and how small a share of the largest singular value counts as zero.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rule {
    pub(super) alpha: f64,
    pub(super) tolerance: f64,
    /// Whether (XᵀX)⁺ is wanted.
    pub(super) statistics: bool,
}

/// Rows less their means, each times the root of its weight, without the columns that are then zero.
pub(super) struct Centred {
    pub(super) x: DMatrix<f64>,
    pub(super) y: DMatrix<f64>,
    pub(super) x_mean: Vec<f64>,
    pub(super) y_mean: Vec<f64>,
    /// The columns that are left, of all.
    pub(super) active: Vec<usize>,
    /// How many singular values there are.
    values: usize,
}

impl Centred {
    /// Drops the columns that are zero; `rows` is how many there were in all.
    pub(super) fn new(x: DMatrix<f64>, y: DMatrix<f64>, x_mean: Vec<f64>, y_mean: Vec<f64>, rows: usize) -> Centred {
        let active: Vec<usize> =
            (0..x.ncols()).filter(|&column| x.column(column).iter().any(|value| *value != 0.0)).collect();
        let values = rows.min(x.ncols());
        let x = if active.len() == x.ncols() { x } else { x.select_columns(&active) };
        Centred { x, y, x_mean, y_mean, active, values }
    }

    /// The plane for coefficients of the active columns.
    fn found(&self, active_coef: &DMatrix<f64>, rank: usize, mut values: Option<Vec<f64>>) -> Found {
        let mut coef = DMatrix::zeros(self.x_mean.len(), active_coef.ncols());
        for (row, &column) in self.active.iter().enumerate() {
            coef.set_row(column, &active_coef.row(row));
        }
        let at_mean = |output: usize| coef.column(output).iter().zip(&self.x_mean).map(|(a, b)| a * b).sum::<f64>();
        let intercept = self.y_mean.iter().enumerate().map(|(output, mean)| mean - at_mean(output)).collect();
        values.iter_mut().for_each(|values| values.resize(self.values, 0.0));
        Found {
            coef,
            intercept,
            rank,
            singular_values: values,
            x_mean: self.x_mean.clone(),
            inverse: None,
            squares: None,
            condition: None,
        }
    }

    /// A matrix over the active columns as one over all, zero elsewhere.
    fn over_all(&self, inverse: &DMatrix<f64>) -> DMatrix<f64> {
        let mut all = DMatrix::zeros(self.x_mean.len(), self.x_mean.len());
        for (j, &column) in self.active.iter().enumerate() {
            for (i, &row) in self.active.iter().enumerate() {
                all[(row, column)] = inverse[(i, j)];
            }
        }
        all
    }
}

/// Fits n×d rows to n×p targets, both finite, with one weight a row or none.
pub(super) fn solve(
    x: &DMatrix<f64>,
    y: &DMatrix<f64>,
    weights: Option<&[f64]>,
    penalty: Penalty,
    tolerance: f64,
) -> Result<Found> {
    let centred = centred(x, y, weights, penalty.intercept);
    let (rows, columns) = centred.x.shape();
    if rows > columns && rows.saturating_mul(columns).saturating_mul(columns) > LARGE {
        // As accurate as QR where it accepts the condition, and several times faster.
        if let Ok(solution) = solve_least_squares(&centred.x, &centred.y, penalty.alpha)
            && let Some(inverse) = inverse_of_products(&centred, penalty.statistics)
        {
            let mut found = centred.found(&solution.x, columns, None);
            if let Some((inverse, condition)) = inverse {
                (found.inverse, found.condition) = (Some(centred.over_all(&inverse)), Some(condition));
                let refinement = Refinement::new(x, y, weights, penalty, &centred);
                let squares = |output: usize| refinement.left(&found, output).0.norm_squared();
                found.squares = Some((0..y.ncols()).map(squares).collect());
            }
            return Ok(found);
        }
    }
    let rule = Rule { alpha: penalty.alpha, tolerance, statistics: penalty.statistics };
    let (mut found, qr) = solve_centred(&centred, rule)?;
    if qr.is_some() || penalty.statistics {
        let refinement = Refinement::new(x, y, weights, penalty, &centred);
        if let Some(qr) = qr {
            refinement.run(&qr, &mut found)?;
        }
        let squares = |output: usize| refinement.left(&found, output).0.norm_squared();
        found.squares = penalty.statistics.then(|| (0..y.ncols()).map(squares).collect());
    }
    Ok(found)
}

/// Rows and targets less their means, if there is an intercept, each times the root of its weight.
pub(super) fn centred(x: &DMatrix<f64>, y: &DMatrix<f64>, weights: Option<&[f64]>, intercept: bool) -> Centred {
    let (x_mean, y_mean) = match intercept {
        true => (means(x, weights), means(y, weights)),
        false => (vec![0.0; x.ncols()], vec![0.0; y.ncols()]),
    };
    Centred::new(centre(x, &x_mean, weights), centre(y, &y_mean, weights), x_mean, y_mean, x.nrows())
}

/// The plane by QR, which comes with it, where the columns are independent; else, or with a penalty, by SVD.
pub(super) fn solve_centred(centred: &Centred, rule: Rule) -> Result<(Found, Option<Qr>)> {
    let (rows, columns) = centred.x.shape();
    if rule.alpha == 0.0 && rows >= columns {
        let qr = Qr::factor(&centred.x)?;
        if qr.rank(rule.tolerance.max(qr.default_tolerance())) == columns {
            let r = qr.r();
            let plain = DMatrix::from_fn(columns, columns, |i, j| r[(i, j)] / qr.scale()[qr.order()[j]]);
            let values = Svd::factor(&plain)?.values().iter().copied().collect();
            let coef = qr.least_squares(&centred.y)?;
            let mut found = centred.found(&coef, columns, Some(values));
            if rule.statistics {
                found.inverse = Some(centred.over_all(&inverse_of(&qr)?));
            }
            return Ok((found, Some(qr)));
        }
    }
    let svd = Svd::factor(&centred.x)?;
    let rank = svd.rank(rule.tolerance.max(svd.default_tolerance()));
    let coef = if rule.alpha == 0.0 {
        svd.least_squares(&centred.y, rule.tolerance.max(svd.default_tolerance()))?
    } else {
        // (XᵀX + αI)⁻¹Xᵀy = V·σ/(σ² + α)·Uᵀy; divided twice, so that σ² does not leave the range.
        let mut turned = svd.u().tr_mul(&centred.y);
        for (mut row, value) in turned.row_iter_mut().zip(svd.values().iter().map(|value| value.max(f64::MIN_POSITIVE)))
        {
            row /= value + rule.alpha / value;
        }
        svd.v() * turned
    };
    let mut found = centred.found(&coef, rank, Some(svd.values().iter().copied().collect()));
    if rule.statistics {
        let mut turned = svd.v().columns(0, rank).into_owned();
        turned.column_iter_mut().zip(svd.values().iter()).for_each(|(mut column, value)| column /= *value);
        found.inverse = Some(centred.over_all(&(&turned * turned.transpose())));
    }
    Ok((found, None))
}

/// (XᵀX)⁻¹ by the products of the columns and the condition of X, if they are wanted; nothing where the products have lost
/// too many digits.
fn inverse_of_products(centred: &Centred, wanted: bool) -> Option<Option<(DMatrix<f64>, f64)>> {
    if !wanted {
        return Some(None);
    }
    let products = centred.x.tr_mul(&centred.x);
    Some(Some(scaled_inverse(&products, MOST_SQUARED)?))
}

/// The inverse of positive definite products of columns, and the square root of their condition, which is that of the
/// columns up to a factor of √d; nothing above the largest condition, that of columns brought to like lengths.
pub(super) fn scaled_inverse(products: &DMatrix<f64>, largest: f64) -> Option<(DMatrix<f64>, f64)> {
    let size = products.nrows();
    let scale = SingleFactor::scaling(products).ok()?;
    let scaled = DMatrix::from_fn(size, size, |i, j| products[(i, j)] * scale[i] * scale[j]);
    let factor = Cholesky::factor(&scaled).ok().filter(|factor| factor.condition() <= largest)?;
    let inverse = factor.inverse().ok()?;
    let inverse = DMatrix::from_fn(size, size, |i, j| inverse[(i, j)] * scale[i] * scale[j]);
    let norm = |matrix: &DMatrix<f64>| matrix.column_iter().map(|column| column.lp_norm(1)).fold(0.0, f64::max);
    let condition = (norm(products) * norm(&inverse)).sqrt();
    Some((inverse, condition))
}

/// (AᵀA)⁻¹ from A·D·P = Q·R: D·P·R⁻¹·R⁻ᵀ·Pᵀ·D.
fn inverse_of(qr: &Qr) -> Result<DMatrix<f64>> {
    let (r, order) = (qr.r(), qr.order());
    let size = r.ncols();
    let half = solve_triangular(&r, Triangle::Upper, &DMatrix::identity(size, size))?;
    let product = &half * half.transpose();
    let mut inverse = DMatrix::zeros(size, size);
    for (j, &column) in order.iter().enumerate() {
        for (i, &row) in order.iter().enumerate() {
            inverse[(row, column)] = product[(i, j)] * qr.scale()[row] * qr.scale()[column];
        }
    }
    Ok(inverse)
}

/// The mean of each column, in two passes: about the first mean the sums are small, and so is their rounding.
fn means(matrix: &DMatrix<f64>, weights: Option<&[f64]>) -> Vec<f64> {
    let weight = |row: usize| weights.map_or(1.0, |weights| weights[row]);
    let total: f64 = (0..matrix.nrows()).map(weight).sum();
    let about = |column: usize, center: f64| {
        let values = matrix.column(column);
        center + values.iter().enumerate().map(|(row, value)| weight(row) * (value - center)).sum::<f64>() / total
    };
    (0..matrix.ncols()).map(|column| about(column, about(column, 0.0))).collect()
}

/// Rows less their mean, times the root of their weight; what is only the rounding of the mean becomes zero.
fn centre(matrix: &DMatrix<f64>, mean: &[f64], weights: Option<&[f64]>) -> DMatrix<f64> {
    let mut out = DMatrix::zeros(matrix.nrows(), matrix.ncols());
    for (column, mean) in mean.iter().enumerate() {
        let from = matrix.column(column);
        let largest = from.iter().map(|value| (value - mean).abs()).fold(0.0, f64::max);
        if largest <= 4.0 * f64::EPSILON * mean.abs() {
            continue;
        }
        for (row, (out, value)) in out.column_mut(column).iter_mut().zip(from.iter()).enumerate() {
            *out = (value - mean) * weights.map_or(1.0, |weights| weights[row].sqrt());
        }
    }
    out
}

/// Corrections with residuals of twice the f64 precision, of the data as they came: centring rounds them.
struct Refinement<'a> {
    /// The active columns, and the ones where there is an intercept.
    augmented: DMatrix<f64>,
    y: &'a DMatrix<f64>,
    weights: Option<&'a [f64]>,
    intercept: bool,
    centred: &'a Centred,
}

impl<'a> Refinement<'a> {
    fn new(
        x: &DMatrix<f64>,
        y: &'a DMatrix<f64>,
        weights: Option<&'a [f64]>,
        penalty: Penalty,
        centred: &'a Centred,
    ) -> Refinement<'a> {
        let mut augmented = x.select_columns(&centred.active);
        if penalty.intercept {
            augmented = augmented.insert_column(centred.active.len(), 1.0);
        }
        Refinement { augmented, y, weights, intercept: penalty.intercept, centred }
    }

    fn run(&self, qr: &Qr, found: &mut Found) -> Result<()> {
        for output in 0..self.y.ncols() {
            let mut before = f64::INFINITY;
            for _ in 0..CORRECTIONS {
                let (right, mean) = self.left(found, output);
                let correction = qr.least_squares(&right)?;
                let sizes = correction.iter().zip(qr.scale()).map(|(value, scale)| (value / scale).abs());
                let size = sizes.fold(0.0, f64::max);
                if size == 0.0 || size > 0.5 * before {
                    break;
                }
                before = size;
                let mut moved = mean;
                for (value, &column) in correction.iter().zip(&self.centred.active) {
                    found.coef[(column, output)] += value;
                    moved -= value * self.centred.x_mean[column];
                }
                if self.intercept {
                    found.intercept[output] += moved;
                }
            }
        }
        Ok(())
    }

    /// What the plane leaves of one output, centred and times the root of the weight, and its mean.
    fn left(&self, found: &Found, output: usize) -> (DMatrix<f64>, f64) {
        let mut plane: Vec<f64> = self.centred.active.iter().map(|&column| found.coef[(column, output)]).collect();
        plane.extend(self.intercept.then_some(found.intercept[output]));
        let y: Vec<f64> = self.y.column(output).iter().copied().collect();
        let mut left = DMatrix::zeros(y.len(), 1);
        residual(&self.augmented, &plane, &y, left.as_mut_slice());
        // Data near the end of the range overflow in the split: then there is nothing to correct with.
        if left.iter().any(|value| !value.is_finite()) {
            left.fill(0.0);
        }
        let mean = if self.intercept { means(&left, self.weights)[0] } else { 0.0 };
        for (row, value) in left.iter_mut().enumerate() {
            *value = (*value - mean) * self.weights.map_or(1.0, |weights| weights[row].sqrt());
        }
        (left, mean)
    }
}
