//! How much each neighbour counts.

use serde::{Deserialize, Serialize};

/// How much each neighbour counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Weights {
    /// All alike.
    #[default]
    Uniform,
    /// By 1 / distance; neighbours at distance 0, where there are any, count alone and alike.
    Distance,
}

impl Weights {
    /// The weight of each neighbour of one row from their distances.
    pub(super) fn of(self, distances: &[f32], weights: &mut Vec<f64>) {
        weights.clear();
        match self {
            Weights::Uniform => weights.resize(distances.len(), 1.0),
            Weights::Distance if distances.contains(&0.0) => {
                weights.extend(distances.iter().map(|distance| f64::from(u8::from(*distance == 0.0))));
            }
            Weights::Distance => weights.extend(distances.iter().map(|distance| 1.0 / f64::from(*distance))),
        }
    }
}
