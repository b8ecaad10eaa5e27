//! What can be said of a model before it meets new rows: bounds on its error, how rich a class of models is, and the
//! limits that no learner passes. Pure arithmetic on the host, in f64.
//!
//! Every bound is a module with the same names: `gap` (how far the error on new rows can be above the training error),
//! `sample_size` (rows that make the gap small enough) and `delta` (the probability that the bound fails). Each is the
//! inverse of the others. [`catalog`] has all of them by name, as `gristmill bound NAME --set …` shows them.
//!
//! | module | what is bounded |
//! |---|---|
//! | [`realisable`], [`agnostic`], [`hoeffding`] | a finite class with and without a perfect hypothesis; one hypothesis |
//! | [`binomial`] | the exact probability of few errors on a test set |
//! | [`vapnik`], [`pac`], [`margin`] | classes of finite VC dimension: the gap, the sample size, the dimension by a margin |
//! | [`tree`] | decision trees by the length of their description |
//! | [`neighbors`] | Cover and Hart's bound of the nearest neighbour, the expected error of k neighbours |
//! | [`voting`], [`boosting`] | majorities, correlated means, Breiman's bound of forests; AdaBoost's training error |
//!
//! | type or function | what it shows |
//! |---|---|
//! | [`HypothesisCount`] | sizes of finite classes, also those beyond all numbers: W^d, 3^M, 2^(2^M), sparse vectors |
//! | [`VC_DIMENSIONS`], [`Shattering`] | the table of VC dimensions; which labelings of points a class realises |
//! | [`VersionSpace`] | every conjunction that agrees with all rows |
//! | [`off_training_accuracy`], [`worst_concept`] | no free lunch, by enumeration |
//! | [`dimension`] | the curse of dimensionality |
//! | [`MarginLoss`], [`minkowski_minimiser`], [`cross_entropy`] | losses and what they estimate |
//! | [`JointTable`], [`bayes_error`], [`RiskSplit`] | the least possible error; approximation and estimation error |
//!
//! ```
//! use gristmill::theory::{HypothesisCount, realisable};
//! // How many rows make every conjunction of 10 literals that fits them right on 90 % of new ones, in 95 % of draws?
//! let rows = realisable::sample_size(HypothesisCount::conjunctions(10), 0.1, 0.05)?;
//! assert_eq!(rows.whole(), 140);
//! # Ok::<(), gristmill::Error>(())
//! ```

mod bayes;
mod bounds;
pub mod catalog;
mod check;
mod conjunction;
pub mod dimension;
mod hypotheses;
mod hypothesis_count;
mod losses;
mod no_free_lunch;
mod separable;
mod shattering;
mod vc_dimensions;

pub use bayes::{Density, JointTable, bayes_error, normal_cdf, two_gaussians_error};
pub use bounds::{
    SampleSize, agnostic, binomial, boosting, hoeffding, margin, neighbors, pac, realisable, tree, vapnik, voting,
};
pub use conjunction::{Conjunction, VersionSpace};
pub use hypotheses::RiskSplit;
pub use hypothesis_count::HypothesisCount;
pub use losses::{MarginLoss, cross_entropy, minkowski, minkowski_figure, minkowski_minimiser};
pub use no_free_lunch::{OffTraining, WorstConcept, off_training_accuracy, worst_concept};
pub use separable::{linearly_separable, rectangle_separable};
pub use shattering::{Shattering, most_shattered};
pub use vc_dimensions::{VC_DIMENSIONS, VcDimension, VcEntry};
