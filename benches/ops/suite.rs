//! What is measured: one file of cases for each kernel, used by criterion and by `gristmill bench`.

pub mod case;
mod cluster;
mod decision;
mod distance;
mod gram;
mod linalg;
mod linear;
mod neighbors;
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
        decision::cases(),
        distance::cases(),
        gram::cases(),
        linalg::cases(),
        linear::cases(),
        neighbors::cases(),
        random::cases(),
        reduce::cases(),
        sort::cases(),
        svm::cases(),
        tree::cases(),
    ]
    .concat()
}
