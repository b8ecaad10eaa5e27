//! Decision processes against linear algebra and known policies, and learning against both.

mod environments;
mod files;
mod learning;
mod process;
