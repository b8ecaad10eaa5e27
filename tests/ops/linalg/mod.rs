mod gemm;
mod gemv;
mod syrk;
mod transpose;
