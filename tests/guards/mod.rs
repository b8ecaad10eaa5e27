//! Guards that need no GPU: every shader is read with naga and held to the shader rules of `docs/kernels.md`.
//!
//! A guard is a function from a kernel to its faults; its own tests feed it shaders that break the rule.

mod barriers;
mod bindings;
mod dxc;
mod forbidden;
mod imports;
mod limits;
mod module;
mod registry;
mod tint;
mod translate;
pub mod tree;
mod uniformity;
