mod affine;
mod gemm;
mod gemv;
mod normal_equations;
mod syrk;
mod transpose;
