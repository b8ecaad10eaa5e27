//! The tables that ship with the crate, and the generators.

mod classics;
mod generators;
mod notes;
mod shapes;
