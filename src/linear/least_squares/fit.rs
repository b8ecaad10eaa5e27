//! Which way a plane is fitted.

use nalgebra::DMatrix;

use super::statistics::Statistics;
use super::{condense, dense, normal, sparse};
use crate::array::{DeviceMatrix, Matrix};
use crate::cost::Cost;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::estimator::{Fit, FitShape, Reporter, Rows, Targets};
use crate::linear::predict::Linear;
use crate::ops::linalg::residual_products::{Plane, residual_products};

/// Operations up to which a table on the CPU is worked on in f64 throughout: a few milliseconds.
const SMALL: usize = 20_000_000;

/// Rows whose products are read back together.
const GROUP: f64 = 65_536.0;

/// Columns up to which the covariance of the coefficients is kept: 8 MiB.
const WIDEST_COVARIANCE: usize = 1024;

/// What the products of all pairs of columns take; the solve is a small part. Sparse rows never come here.
pub(in crate::linear) fn products_cost(shape: &FitShape) -> Cost {
    let (n, d) = (shape.rows as f64, shape.columns as f64);
    let upload = Cost::uploading(shape.rows, shape.columns);
    let streamed_bytes = 3.0 * upload.moved_bytes;
    Cost { operations: 2.0 * n * d * d, streamed_bytes, syncs: n / GROUP + 4.0, kernels: 5.0, ..upload }
}

/// What is added to the squares, and whether there is an intercept.
#[derive(Debug, Clone, Copy)]
pub(in crate::linear) struct Penalty {
    pub(in crate::linear) alpha: f64,
    pub(in crate::linear) intercept: bool,
    /// Whether the certainty of the coefficients is wanted.
    pub(in crate::linear) statistics: bool,
}

/// Rows and targets, checked.
pub(in crate::linear) struct Problem<'a> {
    pub(in crate::linear) x: &'a DeviceMatrix,
    pub(in crate::linear) y: &'a Matrix,
    pub(in crate::linear) weights: Option<&'a [f32]>,
    pub(in crate::linear) penalty: Penalty,
}

impl Problem<'_> {
    /// How much a row counts.
    #[inline(always)]
    pub(in crate::linear) fn weight(&self, row: usize) -> f64 {
        self.weights.map_or(1.0, |weights| f64::from(weights[row]))
    }

    /// The weights in f64, if there are any.
    pub(in crate::linear) fn weights_f64(&self) -> Option<Vec<f64>> {
        self.weights.map(|weights| weights.iter().copied().map(f64::from).collect())
    }

    /// Small on the CPU, or so wide that the products of the columns are more than the rows.
    pub(in crate::linear) fn is_for_the_host(&self) -> bool {
        let (rows, columns) = (self.x.rows(), self.x.columns());
        let operations = rows.saturating_mul(columns).saturating_mul(columns);
        rows <= columns || (matches!(self.x.device(), Device::Cpu) && operations <= SMALL)
    }
}

/// A plane and how it was found.
#[derive(Debug, Clone)]
pub(in crate::linear) struct Found {
    /// d×p.
    pub(in crate::linear) coef: DMatrix<f64>,
    pub(in crate::linear) intercept: Vec<f64>,
    pub(in crate::linear) rank: usize,
    pub(in crate::linear) singular_values: Option<Vec<f64>>,
    /// The mean of each column; zeros without an intercept.
    pub(in crate::linear) x_mean: Vec<f64>,
    /// (XᵀX)⁺ of the centred rows, d×d, if it was asked for.
    pub(in crate::linear) inverse: Option<DMatrix<f64>>,
    /// `Σ w·r²` of each output, if it is known.
    pub(in crate::linear) squares: Option<Vec<f64>>,
    /// The ratio of the extreme singular values of the centred rows, if it is known.
    pub(in crate::linear) condition: Option<f64>,
}

/// A plane that can be a model, with its rank and singular values.
pub(in crate::linear) struct Fitted {
    pub(in crate::linear) linear: Linear,
    pub(in crate::linear) rank: usize,
    pub(in crate::linear) singular_values: Option<Vec<f64>>,
    pub(in crate::linear) statistics: Option<Statistics>,
}

impl Found {
    /// The model, fitted to so many rows that count, of this weight in all.
    fn checked(self, penalty: Penalty, rows: usize, weight: f64) -> Result<Fitted> {
        let Found { coef, intercept, rank, singular_values, x_mean, inverse, squares, condition } = self;
        let linear = Linear::new(coef.transpose(), intercept)?;
        let condition = condition.unwrap_or_else(|| match &singular_values {
            Some(values) if rank == linear.coef().ncols() => values[0] / values[rank - 1],
            _ => f64::INFINITY,
        });
        let finite = |inverse: &DMatrix<f64>| inverse.iter().all(|value| value.is_finite());
        let statistics = inverse.filter(finite).zip(squares).map(|(inverse, residual_squares)| Statistics {
            inverse,
            mean: x_mean,
            weight: penalty.intercept.then_some(weight),
            residual_squares,
            degrees: rows.saturating_sub(rank + usize::from(penalty.intercept)),
            condition,
        });
        Ok(Fitted { linear, rank, singular_values, statistics })
    }
}

/// How many rows count, and their weight in all.
pub(in crate::linear) fn counted(rows: usize, weights: Option<&[f32]>) -> (usize, f64) {
    match weights {
        None => (rows, rows as f64),
        Some(weights) => {
            let count = weights.iter().filter(|weight| **weight > 0.0).count();
            (count, weights.iter().copied().map(f64::from).sum())
        }
    }
}

/// Fits f32 rows where they live.
pub(in crate::linear) fn fit_rows(
    (op, what): (&'static str, &'static str),
    x: Rows<'_>,
    y: Targets<'_>,
    mut penalty: Penalty,
    options: Fit<'_>,
) -> Result<Fitted> {
    let rows = x.rows();
    penalty.statistics &= x.column_info().1 <= WIDEST_COVARIANCE;
    let weights = options.weights(op, rows)?;
    let found = if let Rows::Sparse(x) = x {
        sparse::fit((op, what), x, y, penalty, options)?
    } else {
        let x = x.complete(op)?;
        let y = y.complete(op, rows)?;
        let problem = Problem { x: &x, y: &y, weights, penalty };
        options.watched(what, |watch| solve(&problem, watch))?
    };
    let (count, weight) = counted(rows, weights);
    found.checked(penalty, count, weight)
}

fn solve(problem: &Problem<'_>, watch: &mut Reporter<'_>) -> Result<Found> {
    watch.check_stopped(0, 0.0)?;
    let mut stream = problem.x.device().stream();
    if problem.is_for_the_host() {
        let x = problem.x.to_matrix(&mut stream)?.to_dmatrix();
        let weights = problem.weights_f64();
        let tolerance = f64::from(f32::EPSILON);
        return dense::solve(&x, &problem.y.to_dmatrix(), weights.as_deref(), problem.penalty, tolerance);
    }
    let mut found = match normal::solve(&mut stream, problem, watch)? {
        Some(found) => found,
        None => condense::solve(&mut stream, problem)?,
    };
    if problem.penalty.statistics {
        if found.inverse.is_none() {
            found.inverse = condense::solve(&mut stream, problem)?.inverse;
        }
        let plane = Plane { mean: &found.x_mean, coef: found.coef.as_slice(), intercept: &found.intercept };
        found.squares = Some(residual_products(&mut stream, problem.x, problem.y, problem.weights, plane)?.squares);
    }
    Ok(found)
}

/// Fits f64 rows on the host.
pub(in crate::linear) fn fit_f64(
    op: &'static str,
    x: &DMatrix<f64>,
    y: &DMatrix<f64>,
    penalty: Penalty,
) -> Result<Fitted> {
    let got = || format!("{}×{} and {}×{}", x.nrows(), x.ncols(), y.nrows(), y.ncols());
    if x.is_empty() || y.is_empty() || x.nrows() != y.nrows() {
        return Err(Error::shape(op, "at least one row and one column, and as many rows of targets", got()));
    }
    for matrix in [x, y] {
        for row in 0..matrix.nrows() {
            if let Some(column) = (0..matrix.ncols()).find(|&column| !matrix[(row, column)].is_finite()) {
                return Err(Error::NotFinite { row, column, value: matrix[(row, column)] });
            }
        }
    }
    let penalty = Penalty { statistics: penalty.statistics && x.ncols() <= WIDEST_COVARIANCE, ..penalty };
    dense::solve(x, y, None, penalty, 0.0)?.checked(penalty, x.nrows(), x.nrows() as f64)
}
