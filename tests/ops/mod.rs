//! Every op on the CPU, on the GPU with its own limits, and on the GPU at baseline limits, against an f64 oracle.

mod cluster;
mod decision;
mod decomposition;
mod distance;
mod elementary;
mod gram;
mod linalg;
mod linear;
mod metric_learning;
mod mixture;
mod neighbors;
mod neural;
mod random;
mod reduce;
mod sort;
mod svm;
mod tree;
