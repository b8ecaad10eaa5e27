//! What opens a GPU, a real one or Mesa's software driver: the engine, every op, every estimator, and what stands on them.

mod engine;
mod estimators;
mod neural;
mod ops;
mod registry;
mod selection;
mod support;
