//! Models by name, pipelines, and choosing among them.

mod baselines;
mod choosing;
mod entries;
mod pipelines;
