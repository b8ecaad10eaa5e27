//! Support vector machines: working sets that a device chooses and solves.

pub mod working_set;
