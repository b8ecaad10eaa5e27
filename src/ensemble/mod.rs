//! Many models that answer as one.

pub mod boosting;
