//! What needs no GPU: files and tables, transformers, scores, pictures, host linear algebra, the CPU twins, trees beneath
//! their estimators.

mod array;
mod cpu;
mod data;
mod datasets;
mod ensemble;
mod linalg;
mod losses;
mod metrics;
mod model;
mod plot;
mod preprocessing;
mod sparse;
mod support;
mod svm;
mod theory;
mod tree;
