//! Rows under a mixture of Gaussians: log-densities, responsibilities, and the sums that the next mixture is made of.
//!
//! A Gaussian is known by its whitening: z = W·(x − centre) − offset has the identity for its covariance, and ln f(x) is a
//! constant less ½‖z‖². Sums are of z, about the present mean and in its own unit, so nothing cancels far from zero.

use std::f32::consts::{LN_2, LOG2_E};

use pulp::{Simd, WithSimd};
use rayon::prelude::*;

use crate::cpu::elementary::exp2;
use crate::cpu::simd::arch;
use crate::cpu::tile::{self, Dot, Operand, PANEL_DEPTH, pack_panels, panel_product, panel_width, with_buffer};

/// Rows of a block: their whitened values stay in the cache.
const BLOCK: usize = 256;
/// Rows of a task at least, and tasks at most; they do not hang on the threads, so neither do the sums.
const TASK_ROWS: usize = 4096;
const MOST_TASKS: usize = 64;
/// Numbers that the sums of all tasks may hold.
const MOST_NUMBERS: usize = 1 << 25;
/// A responsibility below 2 to this power counts as 0.
const NEGLIGIBLE: f32 = -60.0;

/// How the whitenings are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A d×d matrix for each Gaussian.
    Full,
    /// One d×d matrix for all.
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
    fn count(&self) -> usize {
        self.heights.len()
    }

    /// Numbers of z for a row.
    fn width(&self) -> usize {
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

/// The sums over the rows of `x` (n×d): 2·n·k·d² operations for the densities, as many for the sums.
pub fn moments(x: &[f32], weights: Option<&[f32]>, gaussians: &Gaussians) -> Moments {
    let d = gaussians.columns;
    let rows = x.len() / d;
    let numbers = gaussians.count() + gaussians.width() + gaussians.second_length();
    let tasks = (MOST_NUMBERS / numbers.max(1)).clamp(1, MOST_TASKS).min(rows.div_ceil(TASK_ROWS)).max(1);
    let task_rows = rows.div_ceil(tasks).next_multiple_of(BLOCK);
    let packed = Packed::new(gaussians);
    let of_task = |(task, x): (usize, &[f32])| {
        let mut sums = Moments::zero(gaussians);
        for (at, x) in x.chunks(BLOCK * d).enumerate() {
            let first = task * task_rows + at * BLOCK;
            let weights = weights.map(|weights| &weights[first..first + x.len() / d]);
            sums.add_block(x, weights, &packed);
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
    let mut none = vec![0.0; log_densities.len().div_ceil(BLOCK)];
    let (shares, share_rows) = shares.map_or((&mut none[..], 1), |shares| (shares, BLOCK * k));
    let wanted = share_rows > 1;
    let blocks =
        x.par_chunks(BLOCK * d).zip(log_densities.par_chunks_mut(BLOCK)).zip(shares.par_chunks_mut(share_rows));
    blocks.for_each(|((x, out), shares)| {
        let rows = x.len() / d;
        with_buffer(BLOCK * (packed.width() + k), |buffer| {
            let (z, own) = buffer.split_at_mut(BLOCK * packed.width());
            packed.whiten(x, z);
            arch().dispatch(Shares { z: &mut z[..rows * packed.width()], packed: &packed, shares: own, logs: out });
            if wanted {
                shares.copy_from_slice(&own[..rows * k]);
            }
        });
    });
}

impl Moments {
    fn zero(gaussians: &Gaussians) -> Moments {
        Moments {
            log_likelihood: 0.0,
            weight: vec![0.0; gaussians.count()],
            first: vec![0.0; gaussians.width()],
            second: vec![0.0; gaussians.second_length()],
        }
    }

    fn plus(mut self, other: Moments) -> Moments {
        let add = |sums: &mut [f64], others: &[f64]| sums.iter_mut().zip(others).for_each(|(sum, other)| *sum += other);
        self.log_likelihood += other.log_likelihood;
        add(&mut self.weight, &other.weight);
        add(&mut self.first, &other.first);
        add(&mut self.second, &other.second);
        self
    }

    fn add_block(&mut self, x: &[f32], weights: Option<&[f32]>, packed: &Packed<'_>) {
        let (d, k) = (packed.gaussians.columns, packed.gaussians.count());
        let rows = x.len() / d;
        let padded = d.next_multiple_of(panel_width());
        with_buffer(BLOCK * (packed.width() + k + 1 + d + padded) + d * d, |buffer| {
            let (z, rest) = buffer.split_at_mut(BLOCK * packed.width());
            let (shares, rest) = rest.split_at_mut(BLOCK * k);
            let (logs, rest) = rest.split_at_mut(BLOCK);
            let (weighted, rest) = rest.split_at_mut(BLOCK * d);
            let (panels, products) = rest.split_at_mut(BLOCK * padded);
            let z = &mut z[..rows * packed.width()];
            packed.whiten(x, z);
            arch().dispatch(Shares { z, packed, shares, logs: &mut logs[..rows] });
            let weight = |row: usize| weights.map_or(1.0, |weights| weights[row]);
            for (row, log) in logs[..rows].iter().enumerate() {
                self.log_likelihood += f64::from(weight(row)) * f64::from(*log);
            }
            for at in 0..k {
                let r: Vec<f32> = (0..rows).map(|row| shares[row * k + at] * weight(row)).collect();
                let total: f64 = r.iter().map(|r| f64::from(*r)).sum();
                if total == 0.0 {
                    continue;
                }
                self.weight[at] += total;
                let own = Operand {
                    data: &z[packed.first(at)..],
                    rows: d,
                    depth: rows,
                    row_stride: 1,
                    depth_stride: packed.width(),
                };
                let weighted = &mut weighted[..rows * d];
                arch().dispatch(Weighted {
                    z: own.data,
                    stride: packed.width(),
                    r: &r,
                    offset: packed.left(at),
                    weighted,
                });
                let first = &mut self.first[at * d..(at + 1) * d];
                for row in weighted.chunks_exact(d) {
                    first.iter_mut().zip(row).for_each(|(sum, value)| *sum += f64::from(*value));
                }
                match packed.gaussians.shape {
                    Shape::Tied => {}
                    Shape::Diagonal => {
                        let second = &mut self.second[at * d..(at + 1) * d];
                        for (row, weighted) in weighted.chunks_exact(d).enumerate() {
                            let z = &own.data[row * packed.width()..][..d];
                            let both = weighted.iter().zip(z);
                            second.iter_mut().zip(both).for_each(|(sum, (rz, z))| *sum += f64::from(rz * z));
                        }
                    }
                    Shape::Full => {
                        let panels = &mut panels[..rows * padded];
                        pack_panels(Operand::from_columns(weighted, rows, d), panels);
                        panel_product(Dot, own, panels, d, products);
                        let second = &mut self.second[at * d * d..(at + 1) * d * d];
                        second.iter_mut().zip(&*products).for_each(|(sum, value)| *sum += f64::from(*value));
                    }
                }
            }
        });
    }
}

/// Gaussians whose whitenings are packed for products.
struct Packed<'a> {
    gaussians: &'a Gaussians,
    panels: Vec<f32>,
    /// Rows of the whitenings.
    rows: usize,
}

impl<'a> Packed<'a> {
    fn new(gaussians: &'a Gaussians) -> Packed<'a> {
        let d = gaussians.columns;
        let rows = gaussians.factors.len() / d;
        let mut panels = vec![];
        if gaussians.shape != Shape::Diagonal && d <= PANEL_DEPTH {
            panels.resize(rows.next_multiple_of(panel_width()) * d, 0.0);
            pack_panels(Operand::from_rows(&gaussians.factors, rows, d), &mut panels);
        }
        Packed { gaussians, panels, rows }
    }

    /// Numbers that are whitened for a row: k·d, or d where one whitening serves all.
    fn width(&self) -> usize {
        match self.gaussians.shape {
            Shape::Tied => self.gaussians.columns,
            _ => self.gaussians.width(),
        }
    }

    /// Where the numbers of a Gaussian begin in a whitened row.
    fn first(&self, at: usize) -> usize {
        match self.gaussians.shape {
            Shape::Tied => 0,
            _ => at * self.gaussians.columns,
        }
    }

    /// The offsets that are still to be taken off the whitened numbers of a Gaussian.
    fn left(&self, at: usize) -> Option<&[f32]> {
        let d = self.gaussians.columns;
        (self.gaussians.shape == Shape::Tied).then(|| &self.gaussians.offsets[at * d..(at + 1) * d])
    }

    /// W·(x − centre) of the rows of a block, without the offsets; of a diagonal nothing but x − centre, for each Gaussian.
    fn whiten(&self, x: &[f32], z: &mut [f32]) {
        let d = self.gaussians.columns;
        let rows = x.len() / d;
        with_buffer(x.len(), |centred| {
            for (centred, x) in centred.chunks_exact_mut(d).zip(x.chunks_exact(d)) {
                let both = x.iter().zip(&self.gaussians.center);
                centred.iter_mut().zip(both).for_each(|(out, (value, center))| *out = value - center);
            }
            let z = &mut z[..rows * self.width()];
            match self.gaussians.shape {
                Shape::Diagonal => {
                    for (z, centred) in z.chunks_exact_mut(self.width()).zip(centred.chunks_exact(d)) {
                        for (z, factors) in z.chunks_exact_mut(d).zip(self.gaussians.factors.chunks_exact(d)) {
                            let both = centred.iter().zip(factors);
                            z.iter_mut().zip(both).for_each(|(z, (value, factor))| *z = value * factor);
                        }
                    }
                }
                _ if self.panels.is_empty() => {
                    let factors = Operand::from_rows(&self.gaussians.factors, self.rows, d);
                    tile::product(Dot, Operand::from_rows(centred, rows, d), factors, 1.0, 0.0, z, self.rows);
                }
                _ => panel_product(Dot, Operand::from_rows(centred, rows, d), &self.panels, self.rows, z),
            }
        });
    }
}

/// Takes the offsets off z, then makes responsibilities and log-densities of it. Where one whitening serves all, z stays.
struct Shares<'a, 'g> {
    z: &'a mut [f32],
    packed: &'a Packed<'g>,
    shares: &'a mut [f32],
    logs: &'a mut [f32],
}

impl WithSimd for Shares<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Shares { z, packed, shares, logs } = self;
        let Gaussians { offsets, heights, columns, .. } = packed.gaussians;
        let (d, k) = (*columns, heights.len());
        let rows = z.chunks_exact_mut(packed.width()).zip(shares.chunks_exact_mut(k));
        for ((z, shares), log) in rows.zip(logs) {
            let mut highest = f32::MIN;
            for (at, share) in shares.iter_mut().enumerate() {
                let offset = &offsets[at * d..(at + 1) * d];
                let square = match packed.gaussians.shape {
                    Shape::Tied => squared_distance(simd, z, offset),
                    _ => moved_square(simd, &mut z[at * d..(at + 1) * d], offset),
                };
                *share = heights[at] - 0.5 * square;
                highest = highest.max(*share);
            }
            let sum = shares_of(simd, shares, highest);
            let scale = 1.0 / sum;
            shares.iter_mut().for_each(|share| *share *= scale);
            *log = highest + LN_2 * sum.log2();
        }
    }
}

/// exp of the numbers less the highest, in their place, and their sum; those that are negligible become 0.
#[inline(always)]
fn shares_of<S: Simd>(simd: S, shares: &mut [f32], highest: f32) -> f32 {
    let (head, tail) = S::as_mut_simd_f32s(shares);
    let high = simd.splat_f32s(highest);
    let (factor, floor, zero) = (simd.splat_f32s(LOG2_E), simd.splat_f32s(NEGLIGIBLE), simd.splat_f32s(0.0));
    let mut sums = zero;
    for share in head {
        let power = simd.mul_f32s(simd.sub_f32s(*share, high), factor);
        let kept = simd.greater_than_f32s(power, floor);
        *share = simd.select_f32s(kept, exp2(simd, power), zero);
        sums = simd.add_f32s(sums, *share);
    }
    let mut sum = simd.reduce_sum_f32s(sums);
    for share in tail {
        let power = (*share - highest) * LOG2_E;
        *share = if power > NEGLIGIBLE { power.exp2() } else { 0.0 };
        sum += *share;
    }
    sum
}

/// Takes the offset off z and returns the squared length of what is left.
#[inline(always)]
fn moved_square<S: Simd>(simd: S, z: &mut [f32], offset: &[f32]) -> f32 {
    let ((z, z_tail), (offset, offset_tail)) = (S::as_mut_simd_f32s(z), S::as_simd_f32s(offset));
    let mut sums = simd.splat_f32s(0.0);
    for (z, offset) in z.iter_mut().zip(offset) {
        *z = simd.sub_f32s(*z, *offset);
        sums = simd.mul_add_f32s(*z, *z, sums);
    }
    let mut sum = simd.reduce_sum_f32s(sums);
    for (z, offset) in z_tail.iter_mut().zip(offset_tail) {
        *z -= offset;
        sum += *z * *z;
    }
    sum
}

#[inline(always)]
fn squared_distance<S: Simd>(simd: S, z: &[f32], offset: &[f32]) -> f32 {
    let ((z, z_tail), (offset, offset_tail)) = (S::as_simd_f32s(z), S::as_simd_f32s(offset));
    let mut sums = simd.splat_f32s(0.0);
    for (z, offset) in z.iter().zip(offset) {
        let apart = simd.sub_f32s(*z, *offset);
        sums = simd.mul_add_f32s(apart, apart, sums);
    }
    let tail = z_tail.iter().zip(offset_tail).map(|(z, offset)| (z - offset) * (z - offset));
    simd.reduce_sum_f32s(sums) + tail.sum::<f32>()
}

/// r·(z − offset) of the rows of a block for one Gaussian.
struct Weighted<'a> {
    z: &'a [f32],
    stride: usize,
    r: &'a [f32],
    offset: Option<&'a [f32]>,
    weighted: &'a mut [f32],
}

impl WithSimd for Weighted<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let d = self.weighted.len() / self.r.len().max(1);
        for ((row, r), out) in self.r.iter().enumerate().zip(self.weighted.chunks_exact_mut(d)) {
            let z = &self.z[row * self.stride..][..d];
            match self.offset {
                Some(offset) => {
                    let both = z.iter().zip(offset);
                    out.iter_mut().zip(both).for_each(|(out, (z, offset))| *out = r * (z - offset));
                }
                None => out.iter_mut().zip(z).for_each(|(out, z)| *out = r * z),
            }
        }
    }
}
