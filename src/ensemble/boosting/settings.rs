//! What classifier and regressor have in common, checked.

use serde::{Deserialize, Serialize};

use crate::array::Matrix;
use crate::cost::Cost;
use crate::cpu::tree::best_split::GradientRules;
use crate::cpu::tree::splitters::FeatureDraw;
use crate::error::{Error, Result};
use crate::estimator::FitShape;
use crate::tree::grow::{GrowLimits, GrowOrder};

/// The order in which a tree grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Growth {
    /// The leaf with the largest gain is split next, as LightGBM does.
    #[default]
    LeafWise,
    /// All leaves of a level, then those of the next, as XGBoost does. Where `max_leaf_nodes` ends it, the leaves with
    /// the largest gains of the last level were split.
    DepthWise,
}

/// Operations of a tile in the time in which a row is added to the histogram of one column, in one level. 100 trees of 63 leaves
/// on 1M×28 take 2.9 s on two cores: 35 where a product of theirs runs with AVX2, 66 with AVX-512; the middle of the two.
const PER_VALUE: f64 = 48.0;
/// Bytes that are streamed for each row of a tree: scores, gradients, the order, leaf values.
const ROW_BYTES: f64 = 400.0;
/// Bytes for each row of a tree that a GPU gets and gives back, where scores do not stay on it.
const MOVED_BYTES: f64 = 16.0;
/// Bytes for a tree that a GPU gets and gives back: tables of nodes and pieces, splits, sums of leaves.
const TREE_BYTES: f64 = 1e5;
/// Waits of a tree beyond its levels: what its gradients add up to, the sums of its leaves, and what looking ahead missed.
const MORE_WAITS: f64 = 2.0;
/// Levels of a tree that nothing limits.
const UNLIMITED: f64 = 12.0;
const KERNELS: f64 = 14.0;

/// What so many boosted trees take; `stays` says whether scores and gradients are kept where the trees grow.
pub(super) fn cost(shape: &FitShape, trees: usize, settings: &Settings, stays: bool) -> Cost {
    let (n, d, trees) = (shape.rows as f64, shape.columns as f64, trees as f64);
    let leaves = settings.max_leaf_nodes.map(|leaves| (leaves as f64).log2());
    let levels = [leaves, settings.max_depth.map(|depth| depth as f64)];
    let levels = levels.into_iter().flatten().fold(UNLIMITED, f64::min).max(1.0);
    let (of_device, of_host) = if stays { (ROW_BYTES, 0.0) } else { (0.0, ROW_BYTES) };
    // The scores of rows that are held out come back; where rows are drawn, the values of all go up once.
    let held = if settings.n_iter_no_change.is_some() { 4.0 * settings.validation_fraction * n } else { 0.0 };
    let moved = if stays { held } else { MOVED_BYTES * n };
    let values = if stays && settings.subsample < 1.0 { 4.0 * n * d } else { 0.0 };
    Cost {
        operations: PER_VALUE * trees * n * d * levels,
        streamed_bytes: of_device * trees * n,
        host_bytes: of_host * trees * n,
        moved_bytes: n * (d + MOVED_BYTES) + values + trees * (moved + TREE_BYTES),
        syncs: trees * (levels + MORE_WAITS),
        kernels: KERNELS,
        ..Cost::default()
    }
}

/// The parameters of a fit.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    pub n_estimators: usize,
    pub learning_rate: f64,
    pub growth: Growth,
    pub max_leaf_nodes: Option<usize>,
    pub max_depth: Option<usize>,
    pub max_bins: usize,
    pub min_samples_leaf: usize,
    pub min_child_weight: f64,
    pub l1_regularization: f64,
    pub l2_regularization: f64,
    pub subsample: f64,
    pub max_features: f64,
    pub monotonic_cst: Option<Vec<i8>>,
    pub n_iter_no_change: Option<usize>,
    pub validation_fraction: f64,
    pub tol: f64,
    pub seed: u64,
}

impl Settings {
    /// The direction of each feature of `x`; none where all may do as they like. Categories have no order to follow.
    pub fn directions(&self, x: &Matrix) -> Result<Option<&[i8]>> {
        let Some(directions) = self.monotonic_cst.as_deref() else { return Ok(None) };
        let features = x.columns();
        let rule = format!("-1, 0 or 1 for each of {features} features");
        if directions.len() != features {
            return Err(Error::param("monotonic_cst", rule, format!("{} numbers", directions.len())));
        }
        if let Some(feature) = (0..features).find(|feature| directions[*feature] != 0 && x.is_categorical(*feature)) {
            let rule = "0 for categorical features, whose categories have no order".to_string();
            return Err(Error::param("monotonic_cst", rule, format!("{} for feature {feature}", directions[feature])));
        }
        match directions.iter().find(|direction| !(-1..=1).contains(*direction)) {
            Some(wrong) => Err(Error::param("monotonic_cst", rule, wrong)),
            None => Ok(Some(directions).filter(|directions| directions.iter().any(|direction| *direction != 0))),
        }
    }

    /// When a tree is large enough.
    pub fn limits(&self) -> GrowLimits {
        let order = match self.growth {
            Growth::LeafWise => GrowOrder::BestFirst,
            Growth::DepthWise => GrowOrder::LevelByLevel,
        };
        let most = usize::MAX;
        GrowLimits { order, max_depth: self.max_depth.unwrap_or(most), max_leaves: self.max_leaf_nodes.unwrap_or(most) }
    }

    /// What is asked of a split, but for the units of the gradients.
    pub fn gradient_rules(&self) -> GradientRules {
        GradientRules {
            units: [1.0; 2],
            l1: self.l1_regularization,
            l2: self.l2_regularization,
            min_hessian: self.min_child_weight,
            min_count: self.min_samples_leaf as u64,
            min_gain: 0.0,
        }
    }

    /// The features that nodes look at, of `features`.
    pub fn feature_draw(&self, features: usize) -> FeatureDraw {
        let count = ((self.max_features * features as f64).round() as usize).clamp(1, features.max(1));
        FeatureDraw::new(self.seed, 0, features, count)
    }
}
