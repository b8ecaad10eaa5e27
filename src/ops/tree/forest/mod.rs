//! What trees of classes or numbers are made of.
//!
//! | file | what is in it |
//! |---|---|
//! | `bootstrap` | the rows that trees draw, and the order that they begin with |
//! | `target_histogram` | histograms of classes and numbers |
//! | `target_split` | the best splits of nodes |
//! | `target_tasks`, `target_winners` | what such a search sends to a device, and what comes back |
//! | `target_squares` | sums of squares of the rows of nodes, for their variances |

pub mod bootstrap;
pub mod target_histogram;
pub mod target_split;
pub mod target_squares;
mod target_tasks;
mod target_winners;
