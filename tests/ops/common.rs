//! The support that all test binaries share.

#[path = "../support/mod.rs"]
mod support;

pub use support::*;
