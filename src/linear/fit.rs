//! Which way a plane is fitted.

use nalgebra::DMatrix;

use super::predict::Linear;
use super::{condense, dense, normal, sparse};
use crate::array::{DeviceMatrix, Matrix};
use crate::cost::Cost;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::estimator::{Fit, FitShape, Reporter, Rows, Targets};

/// Operations up to which a table on the CPU is worked on in f64 throughout: a few milliseconds.
const SMALL: usize = 20_000_000;

/// Rows whose products are read back together.
const GROUP: f64 = 65_536.0;

/// What the products of all pairs of columns take; the solve is a small part. Sparse rows never come here.
pub(super) fn products_cost(shape: &FitShape) -> Cost {
    let (n, d) = (shape.rows as f64, shape.columns as f64);
    let upload = Cost::uploading(shape.rows, shape.columns);
    let streamed_bytes = 3.0 * upload.moved_bytes;
    Cost { operations: 2.0 * n * d * d, streamed_bytes, syncs: n / GROUP + 4.0, kernels: 5.0, ..upload }
}

/// What is added to the squares, and whether there is an intercept.
#[derive(Debug, Clone, Copy)]
pub(super) struct Penalty {
    pub(super) alpha: f64,
    pub(super) intercept: bool,
}

/// Rows and targets, checked.
pub(super) struct Problem<'a> {
    pub(super) x: &'a DeviceMatrix,
    pub(super) y: &'a Matrix,
    pub(super) weights: Option<&'a [f32]>,
    pub(super) penalty: Penalty,
}

impl Problem<'_> {
    /// How much a row counts.
    #[inline(always)]
    pub(super) fn weight(&self, row: usize) -> f64 {
        self.weights.map_or(1.0, |weights| f64::from(weights[row]))
    }

    /// Small on the CPU, or so wide that the products of the columns are more than the rows.
    fn is_for_the_host(&self) -> bool {
        let (rows, columns) = (self.x.rows(), self.x.columns());
        let operations = rows.saturating_mul(columns).saturating_mul(columns);
        rows <= columns || (matches!(self.x.device(), Device::Cpu) && operations <= SMALL)
    }
}

/// A plane and how it was found.
#[derive(Debug, Clone)]
pub(super) struct Found {
    /// d×p.
    pub(super) coef: DMatrix<f64>,
    pub(super) intercept: Vec<f64>,
    pub(super) rank: usize,
    pub(super) singular_values: Option<Vec<f64>>,
}

/// A plane that can be a model, with its rank and singular values.
pub(super) struct Fitted {
    pub(super) linear: Linear,
    pub(super) rank: usize,
    pub(super) singular_values: Option<Vec<f64>>,
}

impl Found {
    fn checked(self) -> Result<Fitted> {
        let linear = Linear::new(self.coef.transpose(), self.intercept)?;
        Ok(Fitted { linear, rank: self.rank, singular_values: self.singular_values })
    }
}

/// Fits f32 rows where they live.
pub(super) fn fit_rows(
    (op, what): (&'static str, &'static str),
    x: Rows<'_>,
    y: Targets<'_>,
    penalty: Penalty,
    options: Fit<'_>,
) -> Result<Fitted> {
    if let Rows::Sparse(x) = x {
        return sparse::fit((op, what), x, y, penalty, options)?.checked();
    }
    let x = x.complete(op)?;
    let y = y.complete(op, x.rows())?;
    let weights = options.weights(op, x.rows())?;
    let problem = Problem { x: &x, y: &y, weights, penalty };
    options.watched(what, |watch| solve(&problem, watch))?.checked()
}

fn solve(problem: &Problem<'_>, watch: &mut Reporter<'_>) -> Result<Found> {
    watch.check_stopped(0, 0.0)?;
    let mut stream = problem.x.device().stream();
    if problem.is_for_the_host() {
        let x = problem.x.to_matrix(&mut stream)?.to_dmatrix();
        let weights: Option<Vec<f64>> = problem.weights.map(|weights| weights.iter().copied().map(f64::from).collect());
        let tolerance = f64::from(f32::EPSILON);
        return dense::solve(&x, &problem.y.to_dmatrix(), weights.as_deref(), problem.penalty, tolerance);
    }
    match normal::solve(&mut stream, problem, watch)? {
        Some(found) => Ok(found),
        None => condense::solve(&mut stream, problem),
    }
}

/// Fits f64 rows on the host.
pub(super) fn fit_f64(op: &'static str, x: &DMatrix<f64>, y: &DMatrix<f64>, penalty: Penalty) -> Result<Fitted> {
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
    dense::solve(x, y, None, penalty, 0.0)?.checked()
}
