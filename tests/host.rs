//! What needs no GPU: files and tables, transformers, scores, pictures, host linear algebra, the CPU twins, trees beneath
//! their estimators.

mod array;
mod choosing;
mod cpu;
mod data;
mod datasets;
mod decision;
mod decomposition;
mod density;
mod ensemble;
mod lecture;
mod linalg;
mod linear_classifiers;
mod losses;
mod metrics;
mod model;
mod plot;
mod preprocessing;
mod sequence;
mod solvers;
mod sparse;
mod support;
mod svm;
mod theory;
mod tree;
