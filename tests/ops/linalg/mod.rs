mod gemm;
mod transpose;
