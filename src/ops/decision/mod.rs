//! Decision processes.

pub mod bellman;
