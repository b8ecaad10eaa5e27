//! Products and layouts of matrices.

pub mod affine;
pub mod band;
pub mod cholesky;
pub mod corrected;
pub mod dot;
pub mod gemm;
pub mod gemv;
pub mod linear_predictor;
pub mod map;
pub mod normal_equations;
pub mod residual_products;
pub mod symmetric;
pub mod syrk;
pub mod transpose;
