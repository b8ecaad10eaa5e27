//! The sums of a GPU, about the means, as those of whitened rows.

use nalgebra::DMatrix;

use crate::array::Matrix;
use crate::cpu::mixture::expectation::{Gaussians, Moments, Shape};

/// What came back from a GPU, added in f64: for each Gaussian a (d + 1)×(d + 1) matrix of Σ r·(x − mean, 1)(x − mean, 1)ᵀ.
pub(super) struct DeviceSums {
    pub(super) likelihood: f64,
    /// d + 1.
    pub(super) width: usize,
    pub(super) products: Vec<f64>,
}

impl DeviceSums {
    /// Adds what a matrix holds: so many rows of products, then so many sums of log-densities.
    pub(super) fn add(&mut self, out: &Matrix, sums: usize, blocks: usize) {
        let columns = out.columns();
        let (products, likelihoods) = out.as_slice().split_at(sums * columns);
        let group_rows = self.products.len() / self.width;
        for (row, values) in products.chunks_exact(columns).enumerate() {
            let own = &mut self.products[row % group_rows * self.width..][..self.width];
            own.iter_mut().zip(values).for_each(|(sum, value)| *sum += f64::from(*value));
        }
        self.likelihood += likelihoods[..blocks].iter().copied().map(f64::from).sum::<f64>();
    }

    /// The sums of z = W·(x − centre) − offset, with W, the offset and the mean as the kernels had them.
    pub(super) fn whitened(&self, gaussians: &Gaussians) -> Moments {
        let (d, k) = (gaussians.columns, gaussians.count());
        let width = d + 1;
        let mut moments = Moments::zero(gaussians);
        moments.log_likelihood = self.likelihood;
        for at in 0..k {
            let products = &self.products[at * width * width..][..width * width];
            let whitening = whitening_of(gaussians, at);
            let column = |values: &[f32]| DMatrix::from_iterator(d, 1, values.iter().map(|value| f64::from(*value)));
            let apart =
                &whitening * column(&gaussians.means[at * d..][..d]) - column(&gaussians.offsets[at * d..][..d]);
            let weight = products[d * width + d];
            let first = &whitening * DMatrix::from_fn(d, 1, |i, _| products[d * width + i]);
            let second = &whitening * DMatrix::from_fn(d, d, |i, j| products[i * width + j]) * whitening.transpose();
            let cross = &first * apart.transpose();
            let second = second + &cross + cross.transpose() + weight * &apart * apart.transpose();
            moments.weight[at] = weight;
            let first = first + weight * &apart;
            moments.first[at * d..][..d].copy_from_slice(first.as_slice());
            match gaussians.shape {
                Shape::Full => moments.second[at * d * d..][..d * d].copy_from_slice(second.as_slice()),
                Shape::Diagonal => moments.second[at * d..][..d].copy_from_slice(second.diagonal().as_slice()),
                Shape::Tied => {}
            }
        }
        moments
    }
}

/// The whitening of a Gaussian, d×d.
fn whitening_of(gaussians: &Gaussians, at: usize) -> DMatrix<f64> {
    let d = gaussians.columns;
    let factor = |i: usize, j: usize| match gaussians.shape {
        Shape::Full => gaussians.factors[(at * d + i) * d + j],
        Shape::Tied => gaussians.factors[i * d + j],
        Shape::Diagonal if i == j => gaussians.factors[at * d + i],
        Shape::Diagonal => 0.0,
    };
    DMatrix::from_fn(d, d, |i, j| f64::from(factor(i, j)))
}
