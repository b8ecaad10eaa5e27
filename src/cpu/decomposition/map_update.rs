//! Units of a map at the weighted means of what is near them.

/// `units[i] = sums[i] / counts[i]` for units of `d` numbers; one whose count is not above 0 stays.
pub fn map_update(units: &mut [f32], sums: &[f32], counts: &[f32], d: usize) {
    debug_assert_eq!((units.len(), sums.len()), (counts.len() * d, counts.len() * d));
    for ((unit, sum), count) in units.chunks_exact_mut(d.max(1)).zip(sums.chunks_exact(d.max(1))).zip(counts) {
        if *count > 0.0 {
            unit.iter_mut().zip(sum).for_each(|(value, sum)| *value = sum / count);
        }
    }
}
