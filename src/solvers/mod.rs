//! Iterative algorithms on device arrays, which estimators share: above the ops that they record, below the estimators.

pub(crate) mod lbfgs;
pub(crate) mod lloyd;
pub(crate) mod sdca;
pub(crate) mod smo;
