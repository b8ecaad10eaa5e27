//! Products and layouts of matrices.

pub mod gemm;
pub mod transpose;
