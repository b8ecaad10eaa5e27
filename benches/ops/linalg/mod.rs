mod affine;
mod gemm;
mod gemv;
mod syrk;
mod transpose;

use super::case::Case;

pub fn cases() -> Vec<Case> {
    [affine::cases(), gemm::cases(), gemv::cases(), syrk::cases(), transpose::cases()].concat()
}
