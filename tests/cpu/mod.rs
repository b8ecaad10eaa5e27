//! The CPU twins against f64 oracles, at edge sizes, with any number of threads.
mod band;
mod cluster;
mod distance;
mod elementary;
mod gemm;
mod gram;
mod labels;
mod linalg;
mod neighbor_index;
mod neighbors;
mod neighbors_by_product;
mod random;
mod reduce;
mod simd;
mod sort;
mod tree;

/// Sizes at which blocks, vectors and workgroups end.
pub const SIZES: [usize; 10] = [0, 1, 2, 63, 64, 65, 255, 256, 257, 1000];
/// The unit roundoff of f32.
pub const U: f64 = 1.0 / 16_777_216.0;

/// Numbers in [−1, 1) that depend on the seed alone.
pub fn numbers(count: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1);
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / 8_388_608.0 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

/// Whole numbers of 32 bits.
pub fn words(count: usize, seed: u64) -> Vec<u32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1);
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 32) as u32
    };
    (0..count).map(|_| next()).collect()
}

/// Runs `work` in pools of 1, 2, 3 and 8 threads, asserts that all give the same, and returns it.
pub fn in_pools<T: PartialEq + Send>(work: impl Fn() -> T + Sync) -> T {
    let run = |threads: usize| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(&work);
    let one = run(1);
    for threads in [2, 3, 8] {
        assert!(run(threads) == one, "{threads} threads give another result");
    }
    one
}

pub fn bits(x: &[f32]) -> Vec<u32> {
    x.iter().map(|x| x.to_bits()).collect()
}

/// |got − want| ≤ bound·U·terms + tiny.
#[track_caller]
pub fn close(got: f64, want: f64, bound: f64, terms: f64) {
    let limit = bound * U * terms + 1e-44;
    assert!((got - want).abs() <= limit, "got {got}, want {want}, off by {:e}, allowed {limit:e}", (got - want).abs());
}
