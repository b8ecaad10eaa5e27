//! interim
use rayon::prelude::*;
/// interim
pub fn assign(x: &[f32], n: usize, centers: &[f32], k: usize, d: usize, labels: &mut [u32], distances: &mut [f32]) {
    let _ = (n, k);
    labels.par_iter_mut().zip(distances).zip(x.par_chunks(d)).for_each(|((label, distance), row)| {
        let mut best = (f32::MAX, 0);
        for (at, center) in centers.chunks(d).enumerate() {
            let mut sum = 0.0_f32;
            for (a, b) in row.iter().zip(center) {
                sum += (a - b) * (a - b);
            }
            if sum < best.0 {
                best = (sum, at as u32);
            }
        }
        *distance = best.0;
        *label = best.1;
    });
}
