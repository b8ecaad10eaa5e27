//! The pictures that a model has of its own.

use gristmill::ensemble::{
    AdaBoostClassifierModel, BaggingClassifierModel, ExtraTreesClassifierModel, ExtraTreesRegressorModel,
    GradientBoostingClassifierModel, GradientBoostingRegressorModel, RandomForestClassifierModel,
    RandomForestRegressorModel,
};
use gristmill::model::Persist;
use gristmill::plot::{Figure, PictureInput};
use gristmill::tree::{DecisionTreeClassifierModel, DecisionTreeRegressorModel, Id3ClassifierModel};
use gristmill::{Model, Result};

/// The model's own pictures.
pub fn figures_of(kind: &str, model: &Model, input: &PictureInput<'_>) -> Result<Vec<Figure>> {
    macro_rules! by_kind {
        ($($model:ty),*) => {
            match kind {
                $( <$model>::KIND => <$model>::from_container(model.container()?)?.figures(input), )*
                _ => Ok(vec![]),
            }
        };
    }
    by_kind!(
        DecisionTreeClassifierModel,
        DecisionTreeRegressorModel,
        Id3ClassifierModel,
        RandomForestClassifierModel,
        RandomForestRegressorModel,
        ExtraTreesClassifierModel,
        ExtraTreesRegressorModel,
        AdaBoostClassifierModel,
        BaggingClassifierModel,
        GradientBoostingClassifierModel,
        GradientBoostingRegressorModel
    )
}
