//! Random numbers by counter: any number of a stream is computed from its index alone, on any device.

pub mod permutation;
pub mod philox;
