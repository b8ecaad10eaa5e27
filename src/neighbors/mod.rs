//! Nearest neighbours: the neighbours themselves, classification and regression by them, outliers by local density.
//!
//! Everything here is exact. Distances are computed directly, never as differences of norms, so data far off-centre,
//! duplicates and constant columns are right. Equal distances go to the lowest row, equal votes to the lowest class.

mod classifier;
mod local_outlier_factor;
mod nearest_neighbors;
mod reference;
mod regressor;
mod votes;

pub use classifier::{KNeighborsClassifier, KNeighborsClassifierModel};
pub use local_outlier_factor::{Contamination, LocalOutlierFactor, LocalOutlierFactorModel};
pub use nearest_neighbors::{NearestNeighbors, NearestNeighborsModel};
pub use reference::Neighbors;
pub use regressor::{KNeighborsRegressor, KNeighborsRegressorModel};
pub use votes::Weights;

pub use crate::cpu::neighbors::radius_neighbors::Neighborhoods;
