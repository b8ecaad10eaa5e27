//! Centres that move to the mean of their rows.

/// Moves each of the k centres (k×d) by its sum (k×d) over its count (k), and returns Σ of the squared shifts.
///
/// A centre with a count of 0 stays where it is.
pub fn center_shift(centers: &mut [f32], sums: &[f32], counts: &[f32], d: usize) -> f64 {
    debug_assert_eq!(centers.len(), counts.len() * d);
    debug_assert_eq!(sums.len(), centers.len());
    let mut shift = 0.0;
    for ((center, sum), &count) in centers.chunks_mut(d).zip(sums.chunks(d)).zip(counts) {
        if count > 0.0 {
            for (value, &sum) in center.iter_mut().zip(sum) {
                let moved = *value + sum / count;
                shift += f64::from(moved - *value).powi(2);
                *value = moved;
            }
        }
    }
    shift
}
