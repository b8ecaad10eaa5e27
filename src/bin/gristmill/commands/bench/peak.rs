//! What this machine could do at best: fused multiply-adds from registers, and reading memory.

use std::time::Instant;

use gristmill::cpu::simd;
use pulp::{Simd, WithSimd};
use rayon::prelude::*;
use serde::Serialize;

/// The measured peaks of the CPU, all threads together.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Peak {
    /// The instruction set in use.
    pub simd: &'static str,
    pub peak_gflops: f64,
    pub peak_gb_s: f64,
}

/// Measures both, in about half a second.
pub fn measure() -> Peak {
    let threads = rayon::current_num_threads();
    let best = |mut run: Box<dyn FnMut() -> f64>| (0..10).map(|_| run()).fold(0.0, f64::max);
    let arithmetic = move || {
        let start = Instant::now();
        let operations: f64 = (0..threads).into_par_iter().map(|_| simd::arch().dispatch(MultiplyAdd)).sum();
        operations / start.elapsed().as_secs_f64() / 1e9
    };
    // Four times a large last-level cache.
    let values: Vec<f32> = (0..32 << 20).map(|value| value as f32).collect();
    let reading = move || {
        let start = Instant::now();
        std::hint::black_box(gristmill::cpu::reduce::sum::sum(&values));
        4.0 * values.len() as f64 / start.elapsed().as_secs_f64() / 1e9
    };
    Peak { simd: simd::name(), peak_gflops: best(Box::new(arithmetic)), peak_gb_s: best(Box::new(reading)) }
}

/// Twelve independent chains, enough to fill the pipelines of current cores. Returns the operations done.
struct MultiplyAdd;

impl WithSimd for MultiplyAdd {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f64 {
        const STEPS: usize = 4_000_000;
        let factor = std::hint::black_box(simd.splat_f32s(0.999));
        let mut sums = [simd.splat_f32s(1.0); 12];
        for _ in 0..STEPS {
            for sum in &mut sums {
                *sum = simd.mul_add_e_f32s(*sum, factor, factor);
            }
        }
        std::hint::black_box(sums);
        (STEPS * sums.len() * S::F32_LANES * 2) as f64
    }
}
