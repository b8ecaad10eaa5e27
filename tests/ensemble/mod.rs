//! What ensembles are made of.

mod ensemble_variance;
mod margins;
mod sampling;
