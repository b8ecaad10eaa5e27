//! Choosing columns.
//!
//! | function | what it does |
//! |---|---|
//! | [`best_subset`] | for every size the columns with the least residual sum of squares, exactly, up to 30 columns |
//! | [`forward_subsets`], [`backward_subsets`] | the same greedily: one column at a time in, or out |
//! | [`forward_selection`], [`backward_elimination`] | for any estimator, by cross-validation |
//! | [`recursive_elimination`] | for any estimator: the columns that matter least to the fitted model go first |
//!
//! The first three are of least squares, which [`Criterion`] compares between sizes without further fits.

mod branch_and_bound;
mod criteria;
mod sequential;
mod subsets;
mod system;

pub use criteria::{Criterion, SubsetFit};
pub use sequential::{ColumnPath, ColumnStep, backward_elimination, forward_selection, recursive_elimination};
pub use subsets::{Subset, SubsetPath, backward_subsets, best_subset, forward_subsets};
