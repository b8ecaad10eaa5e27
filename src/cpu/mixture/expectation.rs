//! Rows under a mixture of Gaussians: log-densities, responsibilities, and the sums that the next mixture is made of.
//!
//! A Gaussian is known by its whitening: z = W·(x − centre) − offset has the identity for its covariance, and ln f(x) is a
//! constant less ½‖z‖². Sums are of z, about the present mean and in its own unit, so nothing cancels far from zero.
//! W is lower triangular. Rows lie side by side in the lanes of vectors, so nothing is added across lanes but sums over rows.

mod block;
mod sums;

use rayon::prelude::*;

use block::{Block, Packed};
use sums::LaneSums;

/// Rows of a task at least, and tasks at most; they do not hang on the threads, so neither do the sums.
const TASK_ROWS: usize = 4096;
const MOST_TASKS: usize = 64;
/// Numbers that the sums of all tasks may hold.
const MOST_NUMBERS: usize = 1 << 25;

/// How the whitenings are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A d×d matrix for each Gaussian, lower triangular.
    Full,
    /// One d×d matrix for all, lower triangular.
    Tied,
    /// A factor for each column of each Gaussian.
    Diagonal,
}

/// k Gaussians over d columns.
#[derive(Debug, Clone)]
pub struct Gaussians {
    /// What the whitenings are.
    pub shape: Shape,
    /// Number of columns, d.
    pub columns: usize,
    /// What is taken off the columns first, d numbers.
    pub center: Vec<f32>,
    /// Rows of the whitenings: k·d×d, d×d, or k×d.
    pub factors: Vec<f32>,
    /// The means, whitened: k×d.
    pub offsets: Vec<f32>,
    /// The means less the centre: k×d.
    pub means: Vec<f32>,
    /// ln of the weight times the density at the mean, k numbers.
    pub heights: Vec<f32>,
}

/// The sums of one pass, with r the responsibility of a Gaussian for a row times the weight of the row.
#[derive(Debug, Clone, PartialEq)]
pub struct Moments {
    /// Σ weight·ln f(x).
    pub log_likelihood: f64,
    /// Σ r, k numbers.
    pub weight: Vec<f64>,
    /// Σ r·z, k×d.
    pub first: Vec<f64>,
    /// Σ r·z·zᵀ, k×d×d; Σ r·z², k×d, of a diagonal; nothing where one matrix serves all.
    pub second: Vec<f64>,
}

impl Gaussians {
    /// Number of Gaussians, k.
    pub fn count(&self) -> usize {
        self.heights.len()
    }

    /// Numbers of z for a row.
    pub fn width(&self) -> usize {
        self.count() * self.columns
    }

    fn second_length(&self) -> usize {
        match self.shape {
            Shape::Full => self.width() * self.columns,
            Shape::Tied => 0,
            Shape::Diagonal => self.width(),
        }
    }
}

/// The sums over the rows of `x` (n×d): n·k·d² operations for the densities, as many for the sums.
pub fn moments(x: &[f32], weights: Option<&[f32]>, gaussians: &Gaussians) -> Moments {
    let d = gaussians.columns;
    let rows = x.len() / d;
    let numbers = gaussians.count() + gaussians.width() + gaussians.second_length();
    let tasks = (MOST_NUMBERS / numbers.max(1)).clamp(1, MOST_TASKS).min(rows.div_ceil(TASK_ROWS)).max(1);
    let packed = Packed::new(gaussians);
    let task_rows = rows.div_ceil(tasks).next_multiple_of(packed.block_rows);
    let of_task = |(task, x): (usize, &[f32])| {
        let mut sums = Moments::zero(gaussians);
        let mut lanes = LaneSums::new(&packed);
        for (at, x) in x.chunks(TASK_ROWS * d).enumerate() {
            for (block, x) in x.chunks(packed.block_rows * d).enumerate() {
                let first = task * task_rows + at * TASK_ROWS + block * packed.block_rows;
                let weights = weights.map(|weights| &weights[first..first + x.len() / d]);
                Block::with(&packed, |block| {
                    block.expect(x);
                    sums.log_likelihood += block.weigh(x.len() / d, weights);
                    lanes.add(block, &mut sums);
                });
            }
            lanes.flush(&mut sums);
        }
        sums
    };
    let parts: Vec<Moments> = x.par_chunks(task_rows * d).enumerate().map(of_task).collect();
    parts.into_iter().fold(Moments::zero(gaussians), Moments::plus)
}

/// ln f(x) of each row, and its responsibilities (n×k) if there is room for them.
pub fn densities(x: &[f32], gaussians: &Gaussians, log_densities: &mut [f32], shares: Option<&mut [f32]>) {
    let (d, k) = (gaussians.columns, gaussians.count());
    let packed = Packed::new(gaussians);
    // Without room for them, a number for each block stands in their place.
    let mut none = vec![0.0; log_densities.len().div_ceil(packed.block_rows)];
    let (shares, share_rows) = shares.map_or((&mut none[..], 1), |shares| (shares, packed.block_rows * k));
    let wanted = share_rows > 1;
    let blocks = x
        .par_chunks(packed.block_rows * d)
        .zip(log_densities.par_chunks_mut(packed.block_rows))
        .zip(shares.par_chunks_mut(share_rows));
    blocks.for_each(|((x, logs), shares)| {
        Block::with(&packed, |block| {
            block.expect(x);
            logs.copy_from_slice(&block.logs[..logs.len()]);
            if wanted {
                for (row, shares) in shares.chunks_exact_mut(k).enumerate() {
                    shares.iter_mut().enumerate().for_each(|(at, share)| *share = block.share(at, row));
                }
            }
        });
    });
}

impl Moments {
    /// No rows yet.
    pub fn zero(gaussians: &Gaussians) -> Moments {
        Moments {
            log_likelihood: 0.0,
            weight: vec![0.0; gaussians.count()],
            first: vec![0.0; gaussians.width()],
            second: vec![0.0; gaussians.second_length()],
        }
    }

    /// Of these rows and others.
    pub fn plus(mut self, other: Moments) -> Moments {
        let add = |sums: &mut [f64], others: &[f64]| sums.iter_mut().zip(others).for_each(|(sum, other)| *sum += other);
        self.log_likelihood += other.log_likelihood;
        add(&mut self.weight, &other.weight);
        add(&mut self.first, &other.first);
        add(&mut self.second, &other.second);
        self
    }
}
