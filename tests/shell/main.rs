//! Models by name, pipelines, and choosing among them.

mod pipelines;
mod registry;
