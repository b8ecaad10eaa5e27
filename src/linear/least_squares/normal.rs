//! Large tables: the normal equations from the device, factored on the host, corrected with f64 residuals.

use nalgebra::DMatrix;

use super::dense::scaled_inverse;
use super::fit::{Found, Problem};
use crate::device::Stream;
use crate::error::{Error, Result};
use crate::estimator::Reporter;
use crate::linalg::{Cholesky, SingleFactor};
use crate::ops::linalg::residual_products::{Plane, ResidualProducts, residual_products};
use crate::ops::{self, NormalEquations};

/// Up to this condition the f32 sums, right to about 1e-7, give six digits as they are.
const PLAIN: f64 = 64.0;
/// Above this condition they no longer steer the corrections.
const LIMIT: f64 = 1e7;
/// Corrections at most; each must be half of the one before.
const CORRECTIONS: usize = 40;
/// Corrections below this share of the coefficients change nothing that matters.
const SETTLED: f64 = 1e-12;
/// What corrections that stop shrinking must be below.
const TOLERATED: f64 = 1e-9;
/// Deviations below this share of the mean are rounding: the column is constant.
const CONSTANT: f64 = 1e-12;
/// Up to this condition the inverse of the f32 sums has three digits.
const INVERTED: f64 = 1e4;

/// The plane, or `None` where the columns are too nearly dependent for the normal equations.
pub(super) fn solve(stream: &mut Stream, problem: &Problem<'_>, watch: &mut Reporter<'_>) -> Result<Option<Found>> {
    let Some(products) = products(stream, problem)? else { return Ok(None) };
    watch.check_stopped(1, 0.5)?;
    solve_products(stream, problem, products, watch)
}

/// The products of the columns; nothing where they are beyond the range.
pub(super) fn products(stream: &mut Stream, problem: &Problem<'_>) -> Result<Option<NormalEquations>> {
    let products = match ops::normal_equations(stream, problem.x, problem.y, problem.weights, problem.penalty.intercept)
    {
        // Rows and targets are finite: their squares are not, in f32.
        Err(Error::NotFinite { .. }) => return Ok(None),
        products => products?,
    };
    let finite = products.xx.iter().chain(&products.xy).all(|value| value.is_finite());
    Ok(finite.then_some(products))
}

/// The plane from the products of the columns.
pub(super) fn solve_products(
    stream: &mut Stream,
    problem: &Problem<'_>,
    products: NormalEquations,
    watch: &mut Reporter<'_>,
) -> Result<Option<Found>> {
    let centred = problem.penalty.intercept;
    let active = active(&products, problem.penalty.alpha);
    let Some(system) = System::factor(&products, &active, problem.penalty.alpha) else { return Ok(None) };
    let mut coef = system.solve(&products.xy, problem.y.columns());
    let inverse = match problem.penalty.statistics {
        true => inverse(&products, &active),
        false => None,
    };
    let NormalEquations { weight, x_mean, y_mean, .. } = products;
    let mut mean = Means { weight, x: x_mean, y: y_mean, left: vec![0.0; problem.y.columns()] };
    if system.condition > PLAIN && !refine(stream, problem, &system, &mut mean, &mut coef, watch)? {
        return Ok(None);
    }
    let intercept = if centred { mean.intercept(&coef) } else { vec![0.0; coef.ncols()] };
    let (inverse, condition) = inverse.unzip();
    let rank = active.len();
    Ok(Some(Found { coef, intercept, rank, singular_values: None, x_mean: mean.x, inverse, squares: None, condition }))
}

/// (XᵀX)⁻¹ of the active columns, zero elsewhere, with the condition of X; nothing where f32 sums are too rough for it.
fn inverse(products: &NormalEquations, active: &[usize]) -> Option<(DMatrix<f64>, f64)> {
    let columns = products.x_mean.len();
    let value = |i: usize, j: usize| products.xx[active[i] * columns + active[j]];
    let (inverse, condition) = scaled_inverse(&DMatrix::from_fn(active.len(), active.len(), value), INVERTED)?;
    let mut all = DMatrix::zeros(columns, columns);
    for (j, &column) in active.iter().enumerate() {
        active.iter().enumerate().for_each(|(i, &row)| all[(row, column)] = inverse[(i, j)]);
    }
    Some((all, if active.len() < columns { f64::INFINITY } else { condition }))
}

/// The columns that take part: without a penalty, those that vary.
fn active(products: &NormalEquations, alpha: f64) -> Vec<usize> {
    let columns = products.x_mean.len();
    let least = |column: usize| products.weight * (CONSTANT * products.x_mean[column]).powi(2);
    (0..columns).filter(|&at| alpha > 0.0 || products.xx[at * columns + at] > least(at)).collect()
}

/// The factored system of the active columns, each scaled by a power of two.
struct System<'a> {
    active: &'a [usize],
    columns: usize,
    scale: Vec<f64>,
    factor: Cholesky,
    condition: f64,
}

impl<'a> System<'a> {
    fn factor(products: &NormalEquations, active: &'a [usize], alpha: f64) -> Option<System<'a>> {
        let columns = products.x_mean.len();
        let value = |i: usize, j: usize| products.xx[active[i] * columns + active[j]];
        let mut gram = DMatrix::from_fn(active.len(), active.len(), value);
        (0..active.len()).for_each(|at| gram[(at, at)] += alpha);
        let scale = SingleFactor::scaling(&gram).ok()?;
        let scaled = DMatrix::from_fn(active.len(), active.len(), |i, j| gram[(i, j)] * scale[i] * scale[j]);
        let factor = Cholesky::factor(&scaled).ok()?;
        let condition = factor.condition();
        (condition <= LIMIT).then_some(System { active, columns, scale, factor, condition })
    }

    /// The d×p solution for a d×p right-hand side, given row by row; zero in columns that take no part.
    fn solve(&self, right: &[f64], outputs: usize) -> DMatrix<f64> {
        let scaled = DMatrix::from_fn(self.active.len(), outputs, |row, output| {
            right[self.active[row] * outputs + output] * self.scale[row]
        });
        let mut solution = DMatrix::zeros(self.columns, outputs);
        // A solution that overflows is none; the caller sees that it is not finite.
        let solved = self.factor.solve(&scaled).unwrap_or_else(|_| scaled.map(|_| f64::NAN));
        for (row, &column) in self.active.iter().enumerate() {
            (0..outputs).for_each(|output| solution[(column, output)] = solved[(row, output)] * self.scale[row]);
        }
        solution
    }

    /// The largest entry, in units in which the columns are equally long.
    fn size(&self, coef: &DMatrix<f64>) -> f64 {
        let sizes = (0..coef.ncols()).flat_map(|output| {
            self.active.iter().zip(&self.scale).map(move |(&column, scale)| (coef[(column, output)] / scale).abs())
        });
        sizes.fold(0.0, |most, size| if size.is_nan() { f64::INFINITY } else { most.max(size) })
    }
}

/// The means as they are known so far; `left` is the mean of what the plane through them leaves.
struct Means {
    weight: f64,
    x: Vec<f64>,
    y: Vec<f64>,
    left: Vec<f64>,
}

impl Means {
    fn intercept(&self, coef: &DMatrix<f64>) -> Vec<f64> {
        let at_mean =
            |output: usize| coef.column(output).iter().zip(&self.x).map(|(coef, mean)| coef * mean).sum::<f64>();
        (0..coef.ncols()).map(|output| self.y[output] + self.left[output] - at_mean(output)).collect()
    }
}

/// Corrects the coefficients until nothing changes; returns whether it came to that.
fn refine(
    stream: &mut Stream,
    problem: &Problem<'_>,
    system: &System<'_>,
    mean: &mut Means,
    coef: &mut DMatrix<f64>,
    watch: &mut Reporter<'_>,
) -> Result<bool> {
    let outputs = coef.ncols();
    let centred = problem.penalty.intercept;
    let mut before = f64::INFINITY;
    for step in 0..CORRECTIONS {
        let intercept = if centred { mean.intercept(coef) } else { vec![0.0; outputs] };
        let plane = Plane { mean: &mean.x, coef: coef.as_slice(), intercept: &intercept };
        let sums = residual_products(stream, problem.x, problem.y, problem.weights, plane)?;
        let ResidualProducts { xr, residual, offset, .. } = sums;
        let mut right = DMatrix::from_vec(offset.len(), outputs, xr);
        if centred {
            // Σw(x − m)(r − r̄) about the exact mean: what the means still miss is taken out.
            for (column, offset) in offset.iter().enumerate() {
                (0..outputs).for_each(|output| right[(column, output)] -= offset * residual[output] / mean.weight);
            }
            mean.left.iter_mut().zip(&residual).for_each(|(left, residual)| *left += residual / mean.weight);
        }
        right -= &*coef * problem.penalty.alpha;
        let correction = system.solve(right.transpose().as_slice(), outputs);
        let size = system.size(&correction);
        if size.is_infinite() || size > 0.5 * before {
            return Ok(size <= TOLERATED * system.size(coef));
        }
        if centred {
            // The plane turns about the mean as it is known; the exact one is off by this.
            for (output, left) in mean.left.iter_mut().enumerate() {
                let moved: f64 = offset.iter().zip(correction.column(output).iter()).map(|(a, b)| a * b).sum();
                *left -= moved / mean.weight;
            }
        }
        *coef += correction;
        if size <= SETTLED * system.size(coef) {
            return Ok(true);
        }
        before = size;
        watch.check_stopped(step + 2, 0.5 + 0.5 * (step + 1) as f64 / CORRECTIONS as f64)?;
    }
    Ok(before <= TOLERATED * system.size(coef))
}
