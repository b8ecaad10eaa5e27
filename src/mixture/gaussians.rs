//! k Gaussians with their weights: what mixtures and single densities are made of.

use std::f64::consts::PI;

use nalgebra::DMatrix;

use super::covariance::{CovarianceType, Whitening};
use crate::array::{DeviceMatrix, Matrix};
use crate::cpu::random::philox::Philox;
use crate::device::Stream;
use crate::error::{Error, Result};
use crate::model_file::Container;
use crate::ops::mixture::expectation::{self, Gaussians, MixtureRows, Moments, Shape};
use crate::solvers::scatter::Scatter;

/// Weights, means and covariances of k Gaussians over d columns.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct WeightedGaussians {
    pub(super) kind: CovarianceType,
    /// k numbers that add up to 1.
    pub(super) weights: Vec<f64>,
    /// k×d.
    pub(super) means: Vec<f64>,
    /// One after the other, as the type stores them.
    pub(super) covariances: Vec<f64>,
    /// What is taken off rows before their products, so that data far from 0 lose nothing; d numbers.
    pub(super) center: Vec<f64>,
}

impl WeightedGaussians {
    pub(super) fn count(&self) -> usize {
        self.weights.len()
    }

    pub(super) fn columns(&self) -> usize {
        self.center.len()
    }

    fn mean(&self, at: usize) -> &[f64] {
        &self.means[at * self.columns()..(at + 1) * self.columns()]
    }

    fn whitenings(&self) -> Result<Vec<Whitening>> {
        let [count, length] = self.kind.stored(self.count(), self.columns());
        let of = |at: usize| {
            let stored = &self.covariances[at * length..(at + 1) * length];
            Whitening::of(self.kind.shape(), stored, self.columns(), at)
        };
        (0..count).map(of).collect()
    }

    /// Ready for passes over rows.
    pub(super) fn ready(&self) -> Result<Ready> {
        let (d, whitenings) = (self.columns(), self.whitenings()?);
        let of = |at: usize| &whitenings[at.min(whitenings.len() - 1)];
        let to_f32 = |values: Vec<f64>| values.into_iter().map(|value| value as f32).collect::<Vec<f32>>();
        // The centre is rounded as rows see it.
        let center = to_f32(self.center.clone());
        let apart = |at: usize| -> Vec<f64> {
            self.mean(at).iter().zip(&center).map(|(mean, center)| mean - f64::from(*center)).collect()
        };
        let height = |at: usize| self.weights[at].ln() + of(at).log_determinant - 0.5 * d as f64 * (2.0 * PI).ln();
        let gaussians = Gaussians {
            shape: self.kind.shape(),
            columns: d,
            factors: to_f32(whitenings.iter().flat_map(|whitening| whitening.factors.clone()).collect()),
            offsets: to_f32((0..self.count()).flat_map(|at| of(at).whiten(&apart(at))).collect()),
            means: to_f32((0..self.count()).flat_map(apart).collect()),
            heights: to_f32((0..self.count()).map(height).collect()),
            center,
        };
        if gaussians.factors.iter().chain(&gaussians.offsets).any(|value| !value.is_finite()) {
            let what = "a covariance is so small that rows in its unit are beyond f32: increase reg_covar".to_string();
            return Err(Error::Singular { what, condition: f64::INFINITY });
        }
        Ok(Ready { gaussians, whitenings })
    }

    /// The Gaussians that make the rows of these sums most likely; `total` is the scatter of all rows.
    pub(super) fn next(&self, ready: &Ready, moments: &Moments, total: &Scatter, reg_covar: f64) -> WeightedGaussians {
        let (d, k) = (self.columns(), self.count());
        let rows: f64 = moments.weight.iter().sum();
        let mut next = self.clone();
        let mut pooled = total.matrix.clone();
        for at in 0..k {
            let whitening = &ready.whitenings[at.min(ready.whitenings.len() - 1)];
            // A Gaussian that lost all rows stays where it is, with almost no weight.
            let weight = moments.weight[at].max(10.0 * f64::EPSILON);
            next.weights[at] = weight / rows;
            let shift =
                DMatrix::from_iterator(d, 1, moments.first[at * d..(at + 1) * d].iter().map(|sum| sum / weight));
            let moved = match self.kind.shape() {
                Shape::Diagonal => whitening.unwhitening.component_mul(&shift),
                _ => &whitening.unwhitening * &shift,
            };
            let mean = &mut next.means[at * d..(at + 1) * d];
            mean.iter_mut().zip(moved.iter()).for_each(|(mean, moved)| *mean += moved);
            match self.kind {
                CovarianceType::Tied => {
                    let apart =
                        DMatrix::from_iterator(d, 1, mean.iter().zip(&total.mean).map(|(mean, all)| mean - all));
                    pooled -= moments.weight[at] * &apart * apart.transpose();
                }
                CovarianceType::Full => {
                    let second = DMatrix::from_row_slice(d, d, &moments.second[at * d * d..(at + 1) * d * d]) / weight;
                    let about_mean = second - &shift * shift.transpose();
                    let mut covariance = &whitening.unwhitening * about_mean * whitening.unwhitening.transpose();
                    covariance = (&covariance + covariance.transpose()) * 0.5;
                    (0..d).for_each(|i| covariance[(i, i)] += reg_covar);
                    next.covariances[at * d * d..(at + 1) * d * d].copy_from_slice(covariance.as_slice());
                }
                CovarianceType::Diag | CovarianceType::Spherical => {
                    let second = &moments.second[at * d..(at + 1) * d];
                    let variance = |i: usize| (second[i] / weight - shift[i] * shift[i]).max(0.0);
                    let scaled = |i: usize| variance(i) * whitening.unwhitening[i].powi(2);
                    let mut variances: Vec<f64> = (0..d).map(scaled).collect();
                    if self.kind == CovarianceType::Spherical {
                        let mean = variances.iter().sum::<f64>() / d as f64;
                        variances.fill(mean);
                    }
                    let stored = &mut next.covariances[at * d..(at + 1) * d];
                    stored.iter_mut().zip(variances).for_each(|(stored, variance)| *stored = variance + reg_covar);
                }
            }
        }
        if self.kind == CovarianceType::Tied {
            pooled /= rows;
            (0..d).for_each(|i| pooled[(i, i)] += reg_covar);
            next.covariances.copy_from_slice(pooled.as_slice());
        }
        let sum: f64 = next.weights.iter().sum();
        next.weights.iter_mut().for_each(|weight| *weight /= sum);
        next
    }

    /// The covariance of one Gaussian, d×d.
    pub(super) fn covariance(&self, at: usize) -> DMatrix<f64> {
        let d = self.columns();
        let [count, length] = self.kind.stored(self.count(), d);
        let stored = &self.covariances[at.min(count - 1) * length..][..length];
        match self.kind.shape() {
            Shape::Diagonal => DMatrix::from_fn(d, d, |i, j| if i == j { stored[i] } else { 0.0 }),
            _ => DMatrix::from_row_slice(d, d, stored),
        }
    }

    /// Free numbers: means, covariances, weights.
    pub(super) fn free(&self) -> usize {
        let (k, d) = (self.count(), self.columns());
        self.kind.free(k, d) + k * d + k - 1
    }

    /// So many random rows, and which Gaussian each is of.
    pub(super) fn sample(&self, count: usize, seed: u64) -> Result<(Matrix, Vec<u32>)> {
        let (d, whitenings) = (self.columns(), self.whitenings()?);
        let (which, normals) = (Philox::new(seed, 0x676d_0000), Philox::new(seed, 0x676d_0001));
        let mut rows = Vec::with_capacity(count * d);
        let mut of = Vec::with_capacity(count);
        for row in 0..count {
            let mut left = f64::from(which.uniform(row as u64));
            let at = self.weights.iter().position(|weight| {
                left -= weight;
                left < 0.0
            });
            let at = at.unwrap_or(self.count() - 1);
            of.push(at as u32);
            let z = DMatrix::from_fn(d, 1, |i, _| f64::from(normals.normal((row * d + i) as u64)));
            let whitening = &whitenings[at.min(whitenings.len() - 1)];
            let moved = match self.kind.shape() {
                Shape::Diagonal => whitening.unwhitening.component_mul(&z),
                _ => &whitening.unwhitening * z,
            };
            rows.extend(self.mean(at).iter().zip(moved.iter()).map(|(mean, moved)| mean + moved));
        }
        Ok((Matrix::from_f64(count, d, &rows)?, of))
    }

    pub(super) fn store(&self, container: &mut Container) -> Result<()> {
        let (k, d) = (self.count(), self.columns());
        container.insert_list("weights", &self.weights)?;
        container.insert("means", &[k, d], self.means.clone())?;
        container.insert("covariances", &self.kind.stored(k, d), self.covariances.clone())?;
        container.insert_list("center", &self.center)
    }

    pub(super) fn restore(kind: CovarianceType, container: &mut Container) -> Result<WeightedGaussians> {
        let weights: Vec<f64> = container.take_list("weights")?;
        let center: Vec<f64> = container.take_list("center")?;
        let (k, d) = (weights.len(), center.len());
        let means = container.take("means", &[k, d])?;
        let covariances = container.take("covariances", &kind.stored(k, d))?;
        let found = WeightedGaussians { kind, weights, means, covariances, center };
        if k == 0 || d == 0 || found.weights.iter().any(|weight| !(*weight > 0.0 && *weight <= 1.0 + 1e-9)) {
            return Err(container.refuse("weights that are no shares, or no columns"));
        }
        found.ready().map_err(|error| container.refuse(error.to_string()))?;
        Ok(found)
    }
}

/// Gaussians ready for passes over rows.
pub(super) struct Ready {
    gaussians: Gaussians,
    whitenings: Vec<Whitening>,
}

impl Ready {
    /// The sums of one pass over the rows.
    pub(super) fn moments(&self, stream: &mut Stream, rows: &MixtureRows<'_>) -> Result<Moments> {
        expectation::moments(stream, rows, &self.gaussians)
    }

    /// ln f of each row, and the responsibilities, n×k, if wanted.
    pub(super) fn densities(&self, x: &DeviceMatrix, shares: bool) -> Result<(Vec<f64>, Option<Matrix>)> {
        let (logs, found) = expectation::densities(&mut x.device().stream(), x, &self.gaussians, shares)?;
        Ok((logs.into_iter().map(f64::from).collect(), found))
    }
}
