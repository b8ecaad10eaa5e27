//! How far two clusterings of the same rows agree, whatever their clusters are called.

use std::collections::BTreeMap;

use super::check::same_rows;
use crate::error::Result;

/// Rows by the cluster of the one and of the other clustering; only pairs that occur.
struct Contingency {
    rows: usize,
    /// ((place in `left`, place in `right`), rows).
    cells: Vec<((usize, usize), u64)>,
    left: Vec<u64>,
    right: Vec<u64>,
}

impl Contingency {
    fn new(op: &'static str, a: &[u32], b: &[u32]) -> Result<Contingency> {
        let rows = same_rows(op, a.len(), b.len())?;
        let mut pairs: Vec<(u32, u32)> = a.iter().copied().zip(b.iter().copied()).collect();
        pairs.sort_unstable();
        let place = |labels: &[u32]| -> BTreeMap<u32, usize> {
            let distinct: BTreeMap<u32, usize> = labels.iter().map(|label| (*label, 0)).collect();
            distinct.into_keys().zip(0..).collect()
        };
        let (left_place, right_place) = (place(a), place(b));
        let (mut left, mut right) = (vec![0; left_place.len()], vec![0; right_place.len()]);
        let mut cells = vec![];
        for same in pairs.chunk_by(|one, other| one == other) {
            let (at, count) = ((left_place[&same[0].0], right_place[&same[0].1]), same.len() as u64);
            left[at.0] += count;
            right[at.1] += count;
            cells.push((at, count));
        }
        Ok(Contingency { rows, cells, left, right })
    }
}

/// The adjusted Rand index: the share of pairs of rows on which both clusterings agree, scaled so that random
/// clusterings have 0 on average and equal ones 1. `O(n log n)`.
///
/// ```
/// use gristmill::metrics;
/// assert_eq!(metrics::adjusted_rand_score(&[0, 0, 1, 1], &[7, 7, 3, 3])?, 1.0);
/// assert!((metrics::adjusted_rand_score(&[0, 0, 1, 2], &[0, 0, 1, 1])? - 0.5714286).abs() < 1e-6);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn adjusted_rand_score(a: &[u32], b: &[u32]) -> Result<f64> {
    let table = Contingency::new("adjusted_rand_score", a, b)?;
    let squares = |counts: &[u64]| counts.iter().map(|count| *count as u128 * *count as u128).sum::<u128>();
    let rows = table.rows as u128;
    let both: u128 = table.cells.iter().map(|(_, count)| *count as u128 * *count as u128).sum();
    let (left, right) = (squares(&table.left), squares(&table.right));
    // Ordered pairs that are together in both, only in the one, only in the other, in neither.
    let together = (both - rows) as f64;
    let (only_left, only_right) = ((left - both) as f64, (right - both) as f64);
    let neither = (rows * rows + both - left - right) as f64;
    if only_left == 0.0 && only_right == 0.0 {
        return Ok(1.0);
    }
    let expected = (together + only_left) * (only_left + neither) + (together + only_right) * (only_right + neither);
    Ok(2.0 * (together * neither - only_left * only_right) / expected)
}

/// The mutual information of two clusterings over the mean of their entropies: 1 for the same, 0 for independent ones.
/// `O(n log n)`.
///
/// ```
/// use gristmill::metrics;
/// assert!((metrics::normalized_mutual_info_score(&[0, 0, 1, 1], &[1, 1, 0, 0])? - 1.0).abs() < 1e-12);
/// assert_eq!(metrics::normalized_mutual_info_score(&[0, 0, 0, 0], &[0, 1, 2, 3])?, 0.0);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn normalized_mutual_info_score(a: &[u32], b: &[u32]) -> Result<f64> {
    let table = Contingency::new("normalized_mutual_info_score", a, b)?;
    let rows = table.rows as f64;
    match (table.left.len(), table.right.len()) {
        (1, 1) => return Ok(1.0),
        (1, _) | (_, 1) => return Ok(0.0),
        _ => {}
    }
    let term = |((left, right), count): &((usize, usize), u64)| {
        let expected = table.left[*left] as f64 * table.right[*right] as f64 / rows;
        *count as f64 / rows * (*count as f64 / expected).ln()
    };
    let information = table.cells.iter().map(term).sum::<f64>().max(0.0);
    let entropy = |counts: &[u64]| -> f64 {
        let share = |count: &u64| *count as f64 / rows;
        counts.iter().map(|count| -share(count) * share(count).ln()).sum()
    };
    let mean = (entropy(&table.left) + entropy(&table.right)) / 2.0;
    Ok((information / mean).min(1.0))
}
