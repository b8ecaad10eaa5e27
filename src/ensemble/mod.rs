//! Ensembles: models made of many models.
//!
//! Forests and gradient boosting are made of trees; AdaBoost, bagging, voting and stacking of any models of the
//! [`registry`](crate::registry), pipelines too.

mod ada_boost;
mod bagging;
#[doc(hidden)]
pub mod boosting;
mod calibrated;
mod ensemble_variance;
#[doc(hidden)]
pub mod forest;
#[doc(hidden)]
pub mod margins;
mod members;
mod model;
mod multiclass;
mod pictures;
mod stacking;
mod voting;

pub use ada_boost::{
    AdaBoostClassifier, AdaBoostClassifierModel, AdaBoostRegressor, AdaBoostRegressorModel, ErrorShape,
};
pub use bagging::{BaggingClassifier, BaggingClassifierModel, BaggingRegressor, BaggingRegressorModel};
pub use boosting::{
    BoostingLoss, ClassificationLoss, GradientBoostingClassifier, GradientBoostingClassifierModel,
    GradientBoostingRegressor, GradientBoostingRegressorModel, Growth, RegressionLoss,
};
pub use calibrated::{Calibrated, CalibratedModel, CalibrationMethod};
pub use ensemble_variance::EnsembleVariance;
pub use forest::{ExtraTreesClassifier, ExtraTreesClassifierModel, ExtraTreesRegressor, ExtraTreesRegressorModel};
pub use forest::{
    RandomForestClassifier, RandomForestClassifierModel, RandomForestRegressor, RandomForestRegressorModel,
};
pub use margins::ForestStrength;
pub use model::EnsembleModel;
pub use multiclass::{
    ClassCodes, NestedDichotomies, NestedDichotomiesModel, OneVsOne, OneVsOneModel, OneVsRest, OneVsRestModel,
    OutputCodes, OutputCodesModel, RestDecision,
};
pub use stacking::{StackingClassifier, StackingClassifierModel, StackingRegressor, StackingRegressorModel};
pub use voting::{Vote, VotingClassifier, VotingClassifierModel, VotingRegressor, VotingRegressorModel};
