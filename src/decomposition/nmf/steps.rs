//! Steps to both factors, where the rows are.

use super::{BetaLoss, Nmf, NmfSolver, start};
use crate::array::{DeviceMatrix, Matrix};
use crate::device::Stream;
use crate::error::Result;
use crate::estimator::Reporter;
use crate::ops::decomposition::row_descent::{StepPenalty, row_descent};
use crate::ops::{self, Combine, Layout};

/// What a divisor is at least.
const FLOOR: f32 = 1.192_092_9e-7;

/// W (n×k) and Hᵀ (d×k).
pub(super) struct Factors {
    pub(super) w: DeviceMatrix,
    pub(super) h: DeviceMatrix,
}

impl Factors {
    pub(super) fn start(nmf: &Nmf, stream: &mut Stream, x: &DeviceMatrix) -> Result<Factors> {
        let (w, h) = start::factors(nmf, stream, x)?;
        Ok(Factors { w: w.to(stream.device())?, h: h.to(stream.device())? })
    }

    /// Steps to W and H in turn, until H stays where it is: their number, and whether it did.
    pub(super) fn search(
        &mut self,
        nmf: &Nmf,
        stream: &mut Stream,
        x: &DeviceMatrix,
        reporter: &mut Reporter<'_>,
    ) -> Result<(usize, bool)> {
        let penalty = |alpha: f64, terms: usize| {
            let size = alpha * terms as f64;
            let (l1, l2) = ((size * nmf.l1_ratio) as f32, (size * (1.0 - nmf.l1_ratio)) as f32);
            StepPenalty { l1, l2, positive: true }
        };
        let (for_w, for_h) = (penalty(nmf.alpha_w, x.columns()), penalty(nmf.alpha_h, x.rows()));
        let mut before = self.h.to_matrix(stream)?;
        for iteration in 1..=nmf.max_iter {
            match (nmf.solver, nmf.beta_loss) {
                (NmfSolver::Cd, _) => {
                    descend(stream, (x, Layout::NN), &self.h, &mut self.w, for_w, (1, 0.0))?;
                    descend(stream, (x, Layout::TN), &self.w, &mut self.h, for_h, (1, 0.0))?;
                }
                (NmfSolver::Mu, BetaLoss::Frobenius) => {
                    multiply(stream, (x, Layout::NN), &self.h, &mut self.w)?;
                    multiply(stream, (x, Layout::TN), &self.w, &mut self.h)?;
                }
                (NmfSolver::Mu, BetaLoss::KullbackLeibler) => {
                    let ratio = self.ratio(stream, x)?;
                    spread(stream, (&ratio, Layout::NN), &self.h, &mut self.w)?;
                    let ratio = self.ratio(stream, x)?;
                    spread(stream, (&ratio, Layout::TN), &self.w, &mut self.h)?;
                }
            }
            let now = self.h.to_matrix(stream)?;
            let change = change(&before, &now);
            before = now;
            if change <= nmf.tol {
                return Ok((iteration, true));
            }
            if reporter.report(iteration, Some(change), iteration as f64 / nmf.max_iter as f64)? {
                return Ok((iteration, false));
            }
        }
        Ok((nmf.max_iter, false))
    }

    /// X over W·H, number by number.
    pub(super) fn ratio(&self, stream: &mut Stream, x: &DeviceMatrix) -> Result<DeviceMatrix> {
        let mut made = ops::gemm(stream, Layout::NT, &self.w, &self.h)?;
        ops::combine_matrices(stream, Combine::Quotient(FLOOR), x, &mut made)?;
        Ok(made)
    }

    /// The parts H, k×d.
    pub(super) fn parts(&self, stream: &mut Stream) -> Result<Matrix> {
        ops::transpose(stream, &self.h)?.to_matrix(stream)
    }

    /// ‖X − W·H‖, or √(2·KL), as scikit-learn reports it.
    pub(super) fn error(&self, loss: BetaLoss, stream: &mut Stream, x: &DeviceMatrix) -> Result<f64> {
        let made = ops::gemm(stream, Layout::NT, &self.w, &self.h)?.to_matrix(stream)?;
        let x = x.to_matrix(stream)?;
        let pairs = x.as_slice().iter().zip(made.as_slice()).map(|(x, y)| (f64::from(*x), f64::from(*y)));
        Ok(match loss {
            BetaLoss::Frobenius => pairs.map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt(),
            BetaLoss::KullbackLeibler => {
                let term = |(x, y): (f64, f64)| {
                    let y = y.max(f64::from(FLOOR));
                    if x > 0.0 { x * (x / y).ln() - x + y } else { y }
                };
                (2.0 * pairs.map(term).sum::<f64>()).max(0.0).sqrt()
            }
        })
    }
}

/// The change of a matrix as a share of its size.
fn change(before: &Matrix, now: &Matrix) -> f64 {
    let square = |(a, b): (&f32, &f32)| (f64::from(*a) - f64::from(*b)).powi(2);
    let apart: f64 = before.as_slice().iter().zip(now.as_slice()).map(square).sum();
    let size: f64 = now.as_slice().iter().map(|value| f64::from(*value).powi(2)).sum();
    (apart / size.max(1e-300)).sqrt()
}

/// Coordinate descent for one factor, with the other as it is; X as it is (NN) or transposed (TN).
pub(super) fn descend(
    stream: &mut Stream,
    (x, layout): (&DeviceMatrix, Layout),
    other: &DeviceMatrix,
    own: &mut DeviceMatrix,
    penalty: StepPenalty,
    how: (usize, f32),
) -> Result<()> {
    let products = ops::gemm(stream, layout, x, other)?;
    let gram = ops::gemm(stream, Layout::TN, other, other)?;
    row_descent(stream, &gram, &products, own, penalty, how)
}

/// own ← own · (X·other) / (own·otherᵀ·other).
pub(super) fn multiply(
    stream: &mut Stream,
    (x, layout): (&DeviceMatrix, Layout),
    other: &DeviceMatrix,
    own: &mut DeviceMatrix,
) -> Result<()> {
    let products = ops::gemm(stream, layout, x, other)?;
    let gram = ops::gemm(stream, Layout::TN, other, other)?;
    let mut factor = ops::gemm(stream, Layout::NN, own, &gram)?;
    ops::combine_matrices(stream, Combine::Quotient(FLOOR), &products, &mut factor)?;
    ops::combine_matrices(stream, Combine::Product, &factor, own)
}

/// own ← own · (X/(W·H)·other) / (sums of other's columns).
pub(super) fn spread(
    stream: &mut Stream,
    (ratio, layout): (&DeviceMatrix, Layout),
    other: &DeviceMatrix,
    own: &mut DeviceMatrix,
) -> Result<()> {
    let sums = ops::column_moments(stream, other, None)?.mean;
    let count = other.rows() as f64;
    let lines = sums.iter().map(|mean| (0.0, 1.0 / (mean * count).max(f64::from(FLOOR)), 0.0)).collect();
    let products = ops::gemm(stream, layout, ratio, other)?;
    let factor = ops::affine(stream, &products, &lines)?;
    ops::combine_matrices(stream, Combine::Product, &factor, own)
}
