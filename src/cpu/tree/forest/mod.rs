//! What trees of classes or numbers are made of.
//!
//! | file | what is in it |
//! |---|---|
//! | `bootstrap` | which rows trees draw |
//! | `target_histogram` | histograms of classes and numbers |
//! | `target_split` | the best split from such a histogram |
//! | `target_squares` | sums of squares of the rows of nodes, for their variances |

pub mod bootstrap;
pub mod target_histogram;
pub mod target_split;
pub mod target_squares;
