//! Random numbers by counter: number `i` of a seed and a stream is the same whoever asks for it, on every device.

pub mod permutation;
pub mod philox;
