mod gemm;
mod transpose;

use super::case::Case;

pub fn cases() -> Vec<Case> {
    [gemm::cases(), transpose::cases()].concat()
}
