//! Metrics learnt from classes: a linear map after which near rows are of one class. Each is a transformer, for k-NN behind it.

mod contrastive;
mod learned;
mod lmnn;
mod near_rows;
mod neighborhood_components;

pub use contrastive::{ContrastiveMetric, ContrastiveMetricModel};
pub use learned::{LearnedMetric, MetricLearner};
pub use lmnn::{Lmnn, LmnnModel};
pub use neighborhood_components::{NeighborhoodComponents, NeighborhoodComponentsModel};
