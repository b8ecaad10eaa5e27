//! What ensembles are made of.

mod averaging;
mod margins;
mod robust;
mod sampling;
