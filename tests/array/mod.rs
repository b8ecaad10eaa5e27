//! Matrices: the marks of their columns, the padding of their rows.

mod categories;
mod padding;
mod show;
mod sparse;
