//! Quantiles of the residuals of each leaf's rows.

use rayon::prelude::*;

use super::ordered;

/// A row's target less its score, in f32; 0 where that is below its normal numbers, as some devices make it.
#[inline(always)]
pub fn residual(target: f32, score: f32) -> f32 {
    let difference = target - score;
    if difference.is_subnormal() { 0.0 } else { difference }
}

/// Where the quantile of so many numbers, all of one weight, lies in their order: its place, and whether it is midway to
/// the next one. Of no numbers it is the first.
pub fn quantile_place(share: f64, count: usize) -> (usize, bool) {
    let wanted = share * count as f64;
    let place = (wanted.ceil() as usize).clamp(1, count.max(1)) - 1;
    (place, place + 1 < count && wanted == (place + 1) as f64)
}

/// The residual at a place in the order of each leaf's residuals, and the one at the next place; the same once more
/// where that is the last. 0 for leaves without rows.
///
/// Costs about two reads of the residuals of a leaf's rows, leaves in parallel.
pub fn leaf_quantiles(leaves: &[(&[u32], usize)], targets: &[f32], scores: &[f32]) -> Vec<[f32; 2]> {
    let of_leaf = |(rows, place): &(&[u32], usize)| {
        let key = |row: &u32| ordered(residual(targets[*row as usize], scores[*row as usize]));
        let mut keys: Vec<u32> = rows.iter().map(key).collect();
        if *place >= keys.len() {
            return [0.0; 2];
        }
        let (_, found, above) = keys.select_nth_unstable(*place);
        let found = *found;
        [found, above.iter().copied().min().unwrap_or(found)].map(number)
    };
    leaves.par_iter().map(of_leaf).collect()
}

/// The number that an integer of `ordered` stands for.
pub fn number(key: u32) -> f32 {
    f32::from_bits(if key >> 31 == 1 { key & !(1 << 31) } else { !key })
}
