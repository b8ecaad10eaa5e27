//! Products and layouts of matrices.

pub mod affine;
pub mod dot;
pub mod gemm;
pub mod gemv;
pub mod linear_predictor;
pub mod map;
pub mod normal_equations;
pub(crate) mod residual_products;
pub mod syrk;
pub mod transpose;
