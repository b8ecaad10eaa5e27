//! Moves the centres to the means of their rows.

use rayon::prelude::*;

/// Numbers of centres in a task at least.
const TASK_NUMBERS: usize = 1 << 14;

/// Moves centre `c` by `sums[c]/counts[c]`, rounded once; one without weight stays. Returns `Σ |shift|²` in f64.
///
/// `centers` and `sums` are `k×d`, as `centroid_sum` gives them. The shift that counts is the one of the rounded centres.
/// The same bits with any number of threads.
///
/// ```
/// use gristmill::cpu::cluster::center_shift::center_shift;
///
/// let mut centers = [1.0, 2.0, 5.0, 5.0];
/// let moved = center_shift(&mut centers, &[6.0, -2.0, 0.0, 0.0], &[2.0, 0.0], 2, 2);
/// assert_eq!((centers, moved), ([4.0, 1.0, 5.0, 5.0], 10.0));
/// ```
pub fn center_shift(centers: &mut [f32], sums: &[f64], counts: &[f64], k: usize, d: usize) -> f64 {
    debug_assert!(centers.len() == k * d && sums.len() == k * d && counts.len() == k);
    if d == 0 {
        return 0.0;
    }
    let shifts: Vec<f64> = centers
        .par_chunks_exact_mut(d)
        .zip(sums.par_chunks_exact(d))
        .zip(counts)
        .with_min_len(TASK_NUMBERS.div_ceil(d))
        .map(|((center, sums), &count)| if count > 0.0 { shift(center, sums, count) } else { 0.0 })
        .collect();
    shifts.iter().sum()
}

/// Moves one centre and returns its squared shift.
fn shift(center: &mut [f32], sums: &[f64], count: f64) -> f64 {
    let mut total = 0.0;
    for (value, &sum) in center.iter_mut().zip(sums) {
        let old = f64::from(*value);
        *value = (old + sum / count) as f32;
        total += (f64::from(*value) - old).powi(2);
    }
    total
}
