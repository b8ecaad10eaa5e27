//! Codes of rows by atoms of a dictionary.

use serde::{Deserialize, Serialize};

use crate::array::{DeviceMatrix, Matrix};
use crate::device::Stream;
use crate::error::Result;
use crate::ops::decomposition::row_descent::{StepPenalty, row_descent};
use crate::ops::decomposition::sparse_code::{Pursuit, sparse_code};
use crate::ops::{self, Layout};

/// How codes are found for a dictionary.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CodingAlgorithm {
    /// Orthogonal matching pursuit: few atoms, one after the other, with the coefficients of least squares.
    #[default]
    Omp,
    /// Least squares with a penalty on absolute values, by coordinate descent.
    LassoCd,
    /// The products with the atoms, soft-thresholded.
    Threshold,
}

/// Passes of coordinate descent for the code of a row: at most on the CPU, all of them on a GPU.
const PASSES: usize = 200;
const GPU_PASSES: usize = 100;
/// A row ends when no coordinate moves by more than this share of the largest.
const TOLERANCE: f32 = 1e-5;

/// A way to code rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Coding {
    pub(super) algorithm: CodingAlgorithm,
    /// Atoms of a row at most, for matching pursuit; nothing for a tenth of the columns, or for none with a tolerance.
    pub(super) nonzeros: Option<usize>,
    /// The penalty or threshold; for matching pursuit the squared length of a rest that is small enough.
    pub(super) alpha: Option<f64>,
    pub(super) positive: bool,
}

impl Coding {
    /// The codes (n×k) of rows (n×d) by atoms (k×d). `start` has codes to begin with, where the algorithm takes any.
    pub(super) fn codes(
        &self,
        stream: &mut Stream,
        x: &DeviceMatrix,
        atoms: &DeviceMatrix,
        start: Option<DeviceMatrix>,
    ) -> Result<DeviceMatrix> {
        let products = ops::gemm(stream, Layout::NT, x, atoms)?;
        let (n, k) = (products.rows(), products.columns());
        let alpha = self.alpha.unwrap_or(1.0) as f32;
        let passes = if stream.gpu().is_some() { GPU_PASSES } else { PASSES };
        let penalty = StepPenalty { l1: alpha, l2: 0.0, positive: self.positive };
        match self.algorithm {
            CodingAlgorithm::Omp => {
                let gram = ops::gemm(stream, Layout::NT, atoms, atoms)?;
                let tolerance =
                    if self.nonzeros.is_none() { self.alpha.map_or(0.0, |alpha| alpha as f32) } else { 0.0 };
                let tenth = (x.columns() / 10).max(1);
                let nonzeros = self.nonzeros.unwrap_or(if tolerance > 0.0 { x.columns() } else { tenth }).min(k);
                let squares = if tolerance > 0.0 { Some(squares(stream, x)?) } else { None };
                sparse_code(stream, &products, &gram, squares.as_ref(), Pursuit { nonzeros, tolerance })
            }
            CodingAlgorithm::LassoCd => {
                let gram = ops::gemm(stream, Layout::NT, atoms, atoms)?;
                let mut codes = match start {
                    Some(codes) => codes,
                    None => Matrix::zeros(n, k)?.to(stream.device())?,
                };
                row_descent(stream, &gram, &products, &mut codes, penalty, (passes, TOLERANCE))?;
                Ok(codes)
            }
            CodingAlgorithm::Threshold => {
                // A soft threshold is a lasso whose columns have nothing to do with each other.
                let identity: Vec<f32> = (0..k * k).map(|at| f32::from(at / k == at % k)).collect();
                let identity = Matrix::from_vec(k, k, identity)?.to(stream.device())?;
                let mut codes = Matrix::zeros(n, k)?.to(stream.device())?;
                row_descent(stream, &identity, &products, &mut codes, penalty, (1, 0.0))?;
                Ok(codes)
            }
        }
    }
}

/// The squared length of each row.
fn squares(stream: &mut Stream, x: &DeviceMatrix) -> Result<crate::array::DeviceVec<f32>> {
    let mut squared = x.clone();
    ops::combine_matrices(stream, ops::Combine::Product, x, &mut squared)?;
    ops::row_sums(stream, &squared)
}
