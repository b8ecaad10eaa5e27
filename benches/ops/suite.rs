//! What is measured: one file of cases for each kernel, used by criterion and by `gristmill bench`.

pub mod case;
mod cluster;
mod decision;
mod decomposition;
mod distance;
mod gram;
mod linalg;
mod linear;
mod metric_learning;
mod mixture;
mod neighbors;
mod neural;
mod random;
mod reduce;
mod sort;
mod svm;
mod tree;

use case::Case;

/// Every case, family by family, small sizes first.
pub fn cases() -> Vec<Case> {
    [
        cluster::cases(),
        decomposition::cases(),
        decision::cases(),
        distance::cases(),
        gram::cases(),
        linalg::cases(),
        linear::cases(),
        metric_learning::cases(),
        mixture::cases(),
        neighbors::cases(),
        neural::cases(),
        random::cases(),
        reduce::cases(),
        sort::cases(),
        svm::cases(),
        tree::cases(),
    ]
    .concat()
}
