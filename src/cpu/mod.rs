//! The CPU twins: plain slices in, plain slices out, on all cores. No GPU types here.

pub mod cluster;
pub mod decision;
pub mod decomposition;
pub mod distance;
pub mod elementary;
pub mod gram;
pub mod linalg;
pub mod linear;
pub mod metric_learning;
pub mod mixture;
pub mod neighbors;
pub mod neural;
mod prefetch;
pub mod random;
pub mod reduce;
pub use crate::simd;
pub mod sort;
pub mod sparse;
pub mod svm;
mod tile;
pub mod tree;

/// Calls a function as the vector instructions of this processor would have it compiled, and returns what it returns. It
/// must be `#[inline(always)]`, and so what it calls.
macro_rules! vectorised {
    ($call:expr) => {
        $crate::cpu::simd::arch().dispatch($crate::cpu::Vectorised(
            #[inline(always)]
            || $call,
        ))
    };
}

pub(crate) use vectorised;

/// A call to be compiled for vector instructions. The closure is called by reference: called by value, it would go through a shim of
/// the compiler's that is not inlined, and what it calls would be compiled for the oldest processor.
pub(crate) struct Vectorised<F>(pub(crate) F);

impl<R, F: FnMut() -> R> pulp::WithSimd for Vectorised<F> {
    type Output = R;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(mut self, _simd: S) -> R {
        (self.0)()
    }
}

struct VectorLanes;

impl pulp::WithSimd for VectorLanes {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _simd: S) -> usize {
        S::F32_LANES
    }
}

/// Numbers in a vector of this processor.
fn vector_lanes() -> usize {
    simd::arch().dispatch(VectorLanes)
}
