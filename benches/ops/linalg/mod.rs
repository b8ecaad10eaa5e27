mod affine;
mod dot;
mod gemm;
mod gemv;
mod map;
mod syrk;
mod transpose;

use super::case::Case;

pub fn cases() -> Vec<Case> {
    [affine::cases(), dot::cases(), gemm::cases(), gemv::cases(), map::cases(), syrk::cases(), transpose::cases()]
        .concat()
}
