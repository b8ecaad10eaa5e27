//! interim
/// interim
#[allow(clippy::too_many_arguments)]
pub fn closer(
    x: &[f32],
    n: usize,
    d: usize,
    candidates: &[f32],
    t: usize,
    known: Option<(&[f32], usize, usize)>,
    weights: Option<&[f32]>,
    (distances, sums): (&mut [f32], &mut [f32]),
) {
    let mut total = vec![0.0f64; sums.len()];
    for row in 0..n {
        for j in 0..t {
            let mut s = 0.0f32;
            for c in 0..d {
                s += (x[row * d + c] - candidates[j * d + c]).powi(2);
            }
            if let Some((closest, stride, column)) = known {
                s = s.min(closest[row * stride + column]);
            }
            distances[row * t + j] = s;
            total[row / 4096 * t + j] += weights.map_or(1.0, |w| f64::from(w[row])) * f64::from(s);
        }
    }
    sums.iter_mut().zip(total).for_each(|(a, b)| *a = b as f32);
}
