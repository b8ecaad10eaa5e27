//! Products and layouts of matrices.

pub mod gemm;
pub mod gemv;
pub mod normal_equations;
pub mod syrk;
pub mod transpose;
