//! Models by name, pipelines, and choosing among them.

mod choosing;
mod entries;
mod pipelines;
