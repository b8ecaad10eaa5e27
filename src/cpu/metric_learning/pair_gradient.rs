//! Losses of pairs of rows, and what each row adds to the gradient.

use pulp::{Simd, WithSimd};
use rayon::prelude::*;

use crate::cpu::simd::arch;

/// What pairs cost, d their squared distances.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PairLoss {
    /// pull·d(near) of each row to be near, and push·max(0, margin + d(near) − d(far)) of each of these with each to be far.
    Triplets {
        /// Weight of the first term.
        pull: f32,
        /// Weight of the second.
        push: f32,
        /// How much farther the far rows must be.
        margin: f32,
    },
    /// max(0, d − near) of rows to be near, push·max(0, far − d) of rows to be far.
    Pairs {
        /// Weight of the second term.
        push: f32,
        /// Rows to be near may be so far apart.
        near: f32,
        /// Rows to be far must be so far apart.
        far: f32,
    },
}

/// The pairs of each row: `pulls` others that it is to be near to, then those that it is to be far from, `width` in all. A row that is its
/// own other stands for none.
#[derive(Debug, Clone, Copy)]
pub struct PairRows<'a> {
    /// Others to be near to.
    pub pulls: usize,
    /// Others in all.
    pub width: usize,
    /// n×width.
    pub others: &'a [u32],
    /// Where the entries of each row begin, n + 1 numbers.
    pub begins: &'a [u32],
    /// The pairs in which a row is the other, by their place in `others`.
    pub entries: &'a [u32],
}

/// The loss of the pairs among the rows of `z` (n×p), and for each row Σ weight·(z − other), n×p: the weights are the
/// derivatives of the loss by the squared distances.
pub fn pair_gradient(z: &[f32], columns: usize, pairs: PairRows<'_>, loss: PairLoss, sums: &mut [f32]) -> f64 {
    let mut weights = vec![0.0_f32; pairs.others.len()];
    let anchors = weights.par_chunks_mut(pairs.width.max(1)).enumerate();
    let losses: Vec<f64> = anchors
        .map(|(row, weights)| {
            let others = &pairs.others[row * pairs.width..(row + 1) * pairs.width];
            let mut distances = vec![0.0_f32; others.len()];
            arch().dispatch(Distances { z, columns, row, others, distances: &mut distances });
            let there = |at: usize| others[at] as usize != row;
            weigh(loss, pairs.pulls, &distances, there, weights)
        })
        .collect();
    sums.par_chunks_mut(columns).enumerate().for_each(|(row, sums)| {
        arch().dispatch(Gather { z, columns, row, pairs, weights: &weights, sums });
    });
    losses.iter().sum()
}

/// The derivatives of the loss of one row by its distances; returns the loss.
fn weigh(loss: PairLoss, pulls: usize, distances: &[f32], there: impl Fn(usize) -> bool, weights: &mut [f32]) -> f64 {
    let mut total = 0.0;
    match loss {
        PairLoss::Triplets { pull, push, margin } => {
            for near in (0..pulls).filter(|near| there(*near)) {
                weights[near] += pull;
                total += f64::from(pull * distances[near]);
                for far in (pulls..distances.len()).filter(|far| there(*far)) {
                    let short = margin + distances[near] - distances[far];
                    if short > 0.0 {
                        weights[near] += push;
                        weights[far] -= push;
                        total += f64::from(push * short);
                    }
                }
            }
        }
        PairLoss::Pairs { push, near, far } => {
            for at in (0..distances.len()).filter(|at| there(*at)) {
                if at < pulls && distances[at] > near {
                    weights[at] = 1.0;
                    total += f64::from(distances[at] - near);
                } else if at >= pulls && distances[at] < far {
                    weights[at] = -push;
                    total += f64::from(push * (far - distances[at]));
                }
            }
        }
    }
    total
}

struct Distances<'a> {
    z: &'a [f32],
    columns: usize,
    row: usize,
    others: &'a [u32],
    distances: &'a mut [f32],
}

impl WithSimd for Distances<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let own = &self.z[self.row * self.columns..][..self.columns];
        let (head, tail) = S::as_simd_f32s(own);
        for (other, distance) in self.others.iter().zip(self.distances) {
            let other = &self.z[*other as usize * self.columns..][..self.columns];
            let (other_head, other_tail) = S::as_simd_f32s(other);
            let mut sums = [simd.splat_f32s(0.0); 2];
            for (at, (own, other)) in head.iter().zip(other_head).enumerate() {
                let apart = simd.sub_f32s(*own, *other);
                sums[at % 2] = simd.mul_add_e_f32s(apart, apart, sums[at % 2]);
            }
            let rest: f32 = tail.iter().zip(other_tail).map(|(own, other)| (own - other) * (own - other)).sum();
            *distance = simd.reduce_sum_f32s(simd.add_f32s(sums[0], sums[1])) + rest;
        }
    }
}

struct Gather<'a> {
    z: &'a [f32],
    columns: usize,
    row: usize,
    pairs: PairRows<'a>,
    weights: &'a [f32],
    sums: &'a mut [f32],
}

impl Gather<'_> {
    #[inline(always)]
    fn add<S: Simd>(&mut self, simd: S, other: usize, weight: f32) {
        if weight == 0.0 {
            return;
        }
        let (own, other) =
            (&self.z[self.row * self.columns..][..self.columns], &self.z[other * self.columns..][..self.columns]);
        let (own, own_tail) = S::as_simd_f32s(own);
        let (other, other_tail) = S::as_simd_f32s(other);
        let (sums, sums_tail) = S::as_mut_simd_f32s(self.sums);
        let factor = simd.splat_f32s(weight);
        for (sum, (own, other)) in sums.iter_mut().zip(own.iter().zip(other)) {
            *sum = simd.mul_add_e_f32s(factor, simd.sub_f32s(*own, *other), *sum);
        }
        for (sum, (own, other)) in sums_tail.iter_mut().zip(own_tail.iter().zip(other_tail)) {
            *sum += weight * (own - other);
        }
    }
}

impl WithSimd for Gather<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        self.sums.fill(0.0);
        let pairs = self.pairs;
        for pair in self.row * pairs.width..(self.row + 1) * pairs.width {
            self.add(simd, pairs.others[pair] as usize, self.weights[pair]);
        }
        let entries = pairs.begins[self.row] as usize..pairs.begins[self.row + 1] as usize;
        for &pair in &pairs.entries[entries] {
            self.add(simd, pair as usize / pairs.width, self.weights[pair as usize]);
        }
    }
}
