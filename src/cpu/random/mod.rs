//! Random numbers by counter: any number of a stream is computed from its index alone, on any device.

pub(crate) mod host_rng;
pub mod permutation;
pub mod philox;

pub(crate) use host_rng::HostRng;
