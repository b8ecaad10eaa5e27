//! Quantiles of the residuals of each leaf's rows, and what Huber's loss needs of them.
//!
//! Weights are integers here, of thirty bits for the largest, so that no order of the rows changes a bit.

use rayon::prelude::*;

use super::fixed_point::FixedPoint;
use super::ordered;
use crate::cpu::sort::numbers::number;

/// Rows of one task.
const BLOCK: usize = 1 << 12;

/// The residuals of rows, and how much each row counts in quantiles.
#[derive(Debug, Clone, Copy)]
pub struct Residuals<'a> {
    targets: &'a [f32],
    scores: &'a [f32],
    weights: Option<RowWeights<'a>>,
}

/// The weights of rows that differ.
#[derive(Debug, Clone, Copy)]
pub struct RowWeights<'a> {
    weights: &'a [f32],
    largest: f32,
    scale: f32,
}

impl<'a> RowWeights<'a> {
    /// None where all weights above 0 are the same, and all rows count alike.
    pub fn new(weights: Option<&'a [f32]>) -> Option<RowWeights<'a>> {
        let weights = weights?;
        let mut counted = weights.iter().filter(|weight| **weight > 0.0);
        let first = counted.next();
        if counted.all(|weight| Some(weight) == first) {
            return None;
        }
        let largest = weights.par_iter().copied().reduce(|| 0.0, f32::max);
        Some(RowWeights { weights, largest, scale: FixedPoint::new(largest, 0.0, 1).fine_scales()[0] })
    }

    /// The largest of them.
    pub fn largest(&self) -> f32 {
        self.largest
    }

    /// How much a row counts: at least 1.
    #[inline(always)]
    fn units(&self, row: u32) -> u32 {
        ((self.weights[row as usize] * self.scale) as u32).max(1)
    }

    /// The weight of a row; 0 where that is below the normal numbers, as some devices make it.
    #[inline(always)]
    fn weight(&self, row: u32) -> f32 {
        normal(self.weights[row as usize])
    }
}

impl<'a> Residuals<'a> {
    /// Targets less scores, of rows with these weights.
    pub fn new(targets: &'a [f32], scores: &'a [f32], weights: Option<&'a [f32]>) -> Residuals<'a> {
        Residuals { targets, scores, weights: RowWeights::new(weights) }
    }

    /// The largest weight, where weights differ; else each row counts as 1.
    pub fn largest_weight(&self) -> Option<f32> {
        self.weights.map(|weights| weights.largest)
    }

    /// The residual of a row.
    #[inline(always)]
    fn of(&self, row: u32) -> f32 {
        normal(self.targets[row as usize] - self.scores[row as usize])
    }

    /// The two numbers between which a share of the rows' weight ends, by their keys: twice the same, unless it ends between
    /// two. 0 where there are no rows.
    fn quantile(&self, rows: &[u32], share: f64, key: impl Fn(u32) -> u32 + Sync) -> [f32; 2] {
        if rows.is_empty() {
            return [0.0; 2];
        }
        match &self.weights {
            None => {
                let mut keys: Vec<u32> = rows.par_iter().with_min_len(BLOCK).map(|row| key(*row)).collect();
                let (place, is_midway) = quantile_place(share, keys.len() as u64);
                let (_, found, above) = keys.select_nth_unstable(place as usize);
                let found = *found;
                let next = above.iter().copied().filter(|_| is_midway).min();
                [found, next.unwrap_or(found)].map(number)
            }
            Some(weights) => {
                let pair = |row: &u32| u64::from(key(*row)) << 32 | u64::from(weights.units(*row));
                let mut pairs: Vec<u64> = rows.par_iter().with_min_len(BLOCK).map(pair).collect();
                pairs.par_sort_unstable();
                let units = |pair: u64| pair & u64::from(u32::MAX);
                let (place, is_midway) = quantile_place(share, pairs.iter().map(|pair| units(*pair)).sum());
                let (mut at, mut end) = (0, units(pairs[0]));
                while end <= place {
                    at += 1;
                    end += units(pairs[at]);
                }
                let next = pairs.get(at + 1).filter(|_| is_midway && end == place + 1);
                [pairs[at], *next.unwrap_or(&pairs[at])].map(|pair| number((pair >> 32) as u32))
            }
        }
    }
}

/// A number, or 0 where it is below the normal numbers of f32, as some devices make it.
#[inline(always)]
fn normal(number: f32) -> f32 {
    if number.is_subnormal() { 0.0 } else { number }
}

/// Where the quantile of a number of units lies in their order: its place, and whether it is midway to the next one. Of no
/// units it is the first.
pub fn quantile_place(share: f64, units: u64) -> (u64, bool) {
    let wanted = share * units as f64;
    let end = (wanted.ceil() as u64).clamp(1, units.max(1));
    (end - 1, end < units && wanted == end as f64)
}

/// The two numbers between which the quantile of each leaf's residuals lies: twice the same, unless the share of the rows,
/// or of their weights, ends between two. 0 for leaves without rows.
///
/// Costs about two reads of the residuals of a leaf's rows, or a sort of them where rows weigh differently; leaves in
/// parallel.
pub fn leaf_quantiles(leaves: &[&[u32]], share: f64, residuals: &Residuals<'_>) -> Vec<[f32; 2]> {
    leaves.par_iter().map(|rows| residuals.quantile(rows, share, |row| ordered(residuals.of(row)))).collect()
}

/// Midway between two residuals, as f32.
pub fn midway([low, high]: [f32; 2]) -> f32 {
    let middle = f64::midpoint(f64::from(low), f64::from(high));
    if middle.abs() < f64::from(f32::MIN_POSITIVE) { 0.0 } else { middle as f32 }
}

/// Huber's δ: the quantile of the sizes of the residuals of these rows. Where it is 0 the smallest above 0, as with a δ of
/// 0 no error would count; 0 where all are.
pub fn huber_delta(rows: &[u32], share: f64, residuals: &Residuals<'_>) -> f32 {
    let size = |row: u32| residuals.of(row).abs();
    match midway(residuals.quantile(rows, share, |row| ordered(size(row)))) {
        0.0 => rows.iter().map(|row| size(*row)).filter(|size| *size > 0.0).min_by(f32::total_cmp).unwrap_or(0.0),
        delta => delta,
    }
}

/// How the sums of [`huber_sums`] become integers.
fn huber_scale(largest_weight: Option<f32>, delta: f32) -> FixedPoint {
    FixedPoint::new(largest_weight.unwrap_or(1.0) * delta, 0.0, 1)
}

/// What a unit of [`huber_sums`] stands for, from the largest weight where weights differ.
pub fn huber_unit(largest_weight: Option<f32>, delta: f32) -> f64 {
    huber_scale(largest_weight, delta).fine_units()[0]
}

/// What weight times residual less median, held within ±δ, adds up to over the rows of each leaf, given with its median:
/// integers of thirty bits for the largest weight times δ. Where all rows count alike the weight is 1.
pub fn huber_sums(leaves: &[(&[u32], f32)], residuals: &Residuals<'_>, delta: f32) -> Vec<i64> {
    let scale = huber_scale(residuals.largest_weight(), delta).fine_scales()[0];
    let of_row = |row: u32, median: f32| {
        let difference = residuals.of(row) - median;
        let low = if difference < -delta { -delta } else { difference };
        let step = normal(if low > delta { delta } else { low });
        let weighted = residuals.weights.map_or(step, |weights| normal(step * weights.weight(row)));
        (weighted * scale) as i64
    };
    let of_leaf = |(rows, median): &(&[u32], f32)| {
        let block = |rows: &[u32]| rows.iter().map(|row| of_row(*row, *median)).sum::<i64>();
        rows.par_chunks(BLOCK).map(block).sum()
    };
    leaves.par_iter().map(of_leaf).collect()
}
