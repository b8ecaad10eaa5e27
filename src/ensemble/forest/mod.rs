//! Random forests (Breiman 2001): trees of bootstrap samples that look at a few features in each node, and their mean.
//! Extra trees (Geurts, Ernst and Wehenkel 2006): the same with thresholds drawn at random.
//!
//! Trees are grown side by side on all cores. What a tree draws depends on the seed and its number alone, so a forest
//! is the same to the bit on any number of threads, and the first trees of a larger forest are those of a smaller one.

/// Declares a forest: classes and numbers, random forests and extra trees share most of their parameters, and how they
/// are fitted.
macro_rules! forest_parameters {
    ($(#[$doc:meta])* $name:ident: classifier($label:literal) -> $model:ty; $($rest:tt)*) => {
        forest_parameters! {
            @declare $(#[$doc])* $name: classifier($label) -> $model, crate::data::Labels;
            fit_classes(criterion, class_weight);
            {
                /// The impurity that splits reduce: gini, entropy or misclassification.
                criterion: Criterion = Criterion::Gini;
                /// Weights of the classes: balanced, or a JSON object such as {"spam": 2}; none: all 1.
                class_weight: ClassWeight = ClassWeight::Uniform;
            }
            $($rest)*
        }
    };
    ($(#[$doc:meta])* $name:ident: regressor($label:literal) -> $model:ty; $($rest:tt)*) => {
        forest_parameters! {
            @declare $(#[$doc])* $name: regressor($label) -> $model, crate::array::Matrix;
            fit_numbers(criterion);
            {
                /// The error that splits reduce: squared_error, or absolute_error, which takes longer.
                criterion: RegressionCriterion = RegressionCriterion::SquaredError;
            }
            $($rest)*
        }
    };
    (
        @declare $(#[$doc:meta])* $name:ident: $kind:ident($label:literal) -> $model:ty, $output:ty;
        $fit:ident($criterion:ident $(, $class_weight:ident)?);
        { $($own:tt)* }
        about $about:literal; observed as $observed:literal;
        bootstrap = $bootstrap:expr; max_features = $max_features:expr; random_cuts = $random_cuts:expr;
    ) => {
        crate::tree::with_tree_limits! {
            $(#[$doc])*
            pub struct $name: $kind($label) -> $model;
            about $about;
            new(n_estimators: usize);
            { $($own)* }
            shared ForestSettings {
                /// Number of trees.
                n_estimators: usize = 100, at_least(1.0);
                /// How many features each split considers: sqrt, log2, a number, a share such as 0.5; none: all.
                max_features: MaxFeatures = $max_features;
                /// Maximum number of bins of a feature; none: exact splits at every value, which takes longer.
                max_bins: Option<usize> = Some(255), from_to(2.0, 255.0);
                /// Whether each tree learns from a bootstrap sample: as many rows as there are, drawn with replacement.
                bootstrap: bool = $bootstrap;
                /// The share of the rows that a bootstrap sample draws; none: as many as there are.
                max_samples: Option<f64> = None, above_to(0.0, 1.0);
                /// Whether to compute the out-of-bag score: each row is predicted by the trees that did not draw it.
                oob_score: bool = false;
                /// Seed of all random draws.
                seed: u64 = 0;
            }
        }

        impl Estimator for $name {
            fn abilities(&self) -> Abilities {
                Abilities { missing: true, categories: true, ..Abilities::default() }
            }

            /// Exact splits are found on the CPU.
            fn cost(&self, shape: &crate::estimator::FitShape) -> Option<crate::cost::Cost> {
                let drawn = self.max_features.of(shape.columns).unwrap_or(shape.columns);
                let limits = (self.max_depth, self.max_leaf_nodes.is_some());
                self.max_bins.is_some().then(|| crate::tree::cost::growing(shape, self.n_estimators, drawn, limits))
            }

            /// About n·m steps for each level of each tree, m features to a node.
            /// [`Flow::StopEarly`](crate::estimator::Flow::StopEarly) ends the forest with the trees it has.
            fn fit_rows(&self, x: Rows<'_>, y: <$name as Parameters>::Target<'_>, options: Fit<'_>) -> Result<$model> {
                let learnt = (self.$criterion $(, &self.$class_weight)?);
                $fit(self, (self.into(), self.into()), learnt, (x, y), options)
            }
        }

        impl TreeEstimator for $name {
            type Output = $output;
            const IS_FOREST: bool = true;
        }

        impl Forest for $name {
            const OBSERVED: &'static str = $observed;
            const RANDOM_CUTS: bool = $random_cuts;
        }
    };
}

mod bootstrap;
mod classifier;
mod growth;
mod out_of_bag;
mod regressor;

#[doc(hidden)]
pub use bootstrap::Bootstrap;
pub use classifier::{
    ExtraTreesClassifier, ExtraTreesClassifierModel, RandomForestClassifier, RandomForestClassifierModel,
};
pub use regressor::{ExtraTreesRegressor, ExtraTreesRegressorModel, RandomForestRegressor, RandomForestRegressorModel};

use crate::tree::{Tree, TreeEstimator, TreeModel};

/// How forests differ besides their defaults.
#[doc(hidden)]
pub trait Forest: TreeEstimator {
    /// Its name in the reports to an observer.
    const OBSERVED: &'static str;
    /// Whether thresholds are random, as in extra trees.
    const RANDOM_CUTS: bool;
}

impl<E: Forest> TreeModel<E> {
    /// The trees.
    pub fn trees(&self) -> &[Tree] {
        self.trees.trees()
    }

    /// The share of right classes, or R², among the rows that some tree did not draw, each by those trees alone; none if
    /// it was not asked for, or there are no such rows (for R² fewer than two).
    pub fn oob_score(&self) -> Option<f64> {
        self.oob_score
    }
}
