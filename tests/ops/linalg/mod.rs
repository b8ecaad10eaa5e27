mod affine;
mod dot;
mod gemm;
mod gemv;
mod map;
mod normal_equations;
mod syrk;
mod transpose;
