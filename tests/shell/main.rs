//! Models by name, pipelines, and choosing among them.

mod choosing;
mod pipelines;
mod registry;
