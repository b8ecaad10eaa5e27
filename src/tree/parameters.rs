//! Parameters that trees and forests share.

/// Adds the limits of a tree to a declaration of parameters.
macro_rules! with_tree_limits {
    ($($declaration:tt)*) => {
        parameters! {
            $($declaration)*
            shared TreeLimits {
                /// Maximum depth: splits on the way to a leaf; 0 makes a single leaf; none: no limit.
                max_depth: Option<usize> = None;
                /// Maximum number of leaves, the best splits first; none: no limit.
                max_leaf_nodes: Option<usize> = None, at_least(2.0);
                /// Minimum number of rows of a node that is split.
                min_samples_split: usize = 2, at_least(2.0);
                /// Minimum number of rows of a leaf; a row counts once whatever its weight.
                min_samples_leaf: usize = 1, at_least(1.0);
                /// Minimum decrease of the impurity by a split, times the node's share of all weights.
                min_impurity_decrease: f64 = 0.0, at_least(0.0);
                /// Cost-complexity pruning: a split stays if its subtree reduces the impurity by more than this for
                /// each leaf it adds, impurities being weighted by the nodes' shares of all weights; at 0 nothing is
                /// pruned.
                ccp_alpha: f64 = 0.0, at_least(0.0);
            }
        }
    };
}

pub(crate) use with_tree_limits;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// Of d features, how many each split looks at; they are drawn anew for every node.
///
/// A node whose drawn features allow no split looks at more of them, one by one, until one does.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(try_from = "WrittenFeatures", into = "WrittenFeatures")]
pub enum MaxFeatures {
    /// All d.
    #[default]
    All,
    /// √d, rounded down.
    Sqrt,
    /// log₂ d, rounded down.
    Log2,
    /// So many, from 1 to d.
    Count(usize),
    /// This share of d, above 0 and up to 1, rounded down.
    Share(f64),
}

/// The same as it is written: null, `sqrt`, `log2`, an integer, or a share.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum WrittenFeatures {
    All(()),
    Count(usize),
    Share(f64),
    Name(String),
}

impl From<MaxFeatures> for WrittenFeatures {
    fn from(features: MaxFeatures) -> WrittenFeatures {
        match features {
            MaxFeatures::All => WrittenFeatures::All(()),
            MaxFeatures::Sqrt => WrittenFeatures::Name("sqrt".to_string()),
            MaxFeatures::Log2 => WrittenFeatures::Name("log2".to_string()),
            MaxFeatures::Count(count) => WrittenFeatures::Count(count),
            MaxFeatures::Share(share) => WrittenFeatures::Share(share),
        }
    }
}

impl TryFrom<WrittenFeatures> for MaxFeatures {
    type Error = Error;

    fn try_from(written: WrittenFeatures) -> Result<MaxFeatures> {
        match written {
            WrittenFeatures::All(()) => Ok(MaxFeatures::All),
            WrittenFeatures::Count(count) => Ok(MaxFeatures::Count(count)),
            WrittenFeatures::Share(share) => Ok(MaxFeatures::Share(share)),
            WrittenFeatures::Name(name) => match name.as_str() {
                "all" => Ok(MaxFeatures::All),
                "sqrt" => Ok(MaxFeatures::Sqrt),
                "log2" => Ok(MaxFeatures::Log2),
                _ => Err(Error::param("max_features", "none, sqrt, log2, an integer, or a share such as 0.5", name)),
            },
        }
    }
}

/// Which of equally good features a node is split by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ties {
    /// The lowest: the same tree for every seed.
    #[default]
    First,
    /// One that the seed draws, as in scikit-learn. Small nodes have many such features; trees of an ensemble are less
    /// alike where each decides by itself.
    Random,
}

impl MaxFeatures {
    /// The number, at least 1.
    #[doc(hidden)]
    pub fn of(self, columns: usize) -> Result<usize> {
        let refuse = |rule: String, got: String| Err(Error::param("max_features", rule, got));
        let count = match self {
            MaxFeatures::All => columns,
            MaxFeatures::Sqrt => columns.isqrt(),
            MaxFeatures::Log2 => columns.max(1).ilog2() as usize,
            MaxFeatures::Count(count) if count == 0 || count > columns => {
                return refuse(format!("from 1 to the number of columns, {columns}"), count.to_string());
            }
            MaxFeatures::Count(count) => count,
            MaxFeatures::Share(share) if !(share > 0.0 && share <= 1.0) => {
                return refuse("a share above 0 and up to 1".to_string(), share.to_string());
            }
            MaxFeatures::Share(share) => (share * columns as f64) as usize,
        };
        Ok(count.max(1))
    }
}

/// When a tree stops growing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TreeLimits {
    pub max_depth: Option<usize>,
    pub max_leaf_nodes: Option<usize>,
    pub min_samples_split: usize,
    pub min_samples_leaf: usize,
    pub min_impurity_decrease: f64,
    /// Grown trees lose the splits that are not worth this much a leaf.
    pub ccp_alpha: f64,
}
