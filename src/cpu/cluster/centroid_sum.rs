//! interim
/// interim
#[allow(clippy::too_many_arguments)]
pub fn centroid_sum(
    x: &[f32],
    n: usize,
    d: usize,
    labels: &[u32],
    weights: Option<&[f32]>,
    centers: &[f32],
    k: usize,
    (sums, counts): (&mut [f32], &mut [f32]),
) {
    let _ = (n, k);
    let mut s = vec![0.0f64; sums.len()];
    let mut c = vec![0.0f64; counts.len()];
    for (row, &label) in labels.iter().enumerate() {
        let w = weights.map_or(1.0, |w| f64::from(w[row]));
        let l = label as usize;
        c[l] += w;
        for j in 0..d {
            s[l * d + j] += w * f64::from(x[row * d + j] - centers[l * d + j]);
        }
    }
    sums.iter_mut().zip(s).for_each(|(a, b)| *a = b as f32);
    counts.iter_mut().zip(c).for_each(|(a, b)| *a = b as f32);
}
