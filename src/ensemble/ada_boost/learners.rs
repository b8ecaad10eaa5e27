//! Fitting one weak model a round.

use serde_json::Value;

use crate::array::Matrix;
use crate::data::{Labels, Target};
use crate::device::Device;
use crate::ensemble::members::classes_of;
use crate::error::Result;
use crate::estimator::{AnyEstimator, AnyModel, Fit, Predict as _, Rows};
use crate::model_file::Persist;
use crate::tree::grow::TreeTable;
use crate::tree::{DecisionTreeClassifier, DecisionTreeClassifierModel};

/// A weak classifier, fitted again and again on the same rows with other weights.
pub(super) enum WeakLearner<'a> {
    /// A tree: its rows are put into bins once for all rounds.
    Tree(Box<(DecisionTreeClassifier, TreeTable<'a>)>),
    /// Any other classifier.
    Any(AnyEstimator),
}

impl<'a> WeakLearner<'a> {
    /// The estimator for rows of which those of weight 0 never count.
    pub(super) fn new(estimator: &AnyEstimator, x: &'a Matrix, y: &Labels, weights: &[f64]) -> Result<WeakLearner<'a>> {
        let tree = (estimator.name() == DecisionTreeClassifierModel::KIND)
            .then(|| estimator.parameters())
            .transpose()?
            .and_then(|parameters| serde_json::from_value(Value::Object(parameters)).ok());
        match tree {
            Some(tree) => {
                let tree: DecisionTreeClassifier = tree;
                let table = tree.table(x, y, weights)?;
                Ok(WeakLearner::Tree(Box::new((tree, table))))
            }
            None => Ok(WeakLearner::Any(estimator.clone())),
        }
    }

    /// The classifier of these weights, and its prediction for every row.
    pub(super) fn weighted(
        &self,
        x: &Matrix,
        device: &Device,
        y: &Labels,
        weights: &[f64],
        seed: u64,
    ) -> Result<(AnyModel, Labels)> {
        match self {
            WeakLearner::Tree(binned) => {
                let (tree, table) = &**binned;
                let model = tree.clone().seed(seed).fit_table(table, x, y, weights)?;
                let said = model.predict(x)?;
                Ok((AnyModel::new(model), said))
            }
            WeakLearner::Any(estimator) => {
                let weights = super::weights::for_fit(weights);
                let options = Fit::default().sample_weight(&weights);
                let rows = x.to(device)?;
                let model = seeded(estimator, seed)?.fit_inside(&rows, &Target::Classes(y.clone()), options)?;
                let said = classes_of(&model, (&rows).into())?;
                Ok((model, said))
            }
        }
    }
}

/// The model of some rows, and its prediction for every row.
pub(super) fn model_of_rows<P>(
    estimator: &AnyEstimator,
    (x, device): (&Matrix, &Device),
    target: &Target,
    rows: &[usize],
    seed: u64,
    predict: impl FnOnce(&AnyModel, Rows<'_>) -> Result<P>,
) -> Result<(AnyModel, P)> {
    let drawn = x.select(rows)?.to(device)?;
    let model = seeded(estimator, seed)?.fit_inside(&drawn, &target.select(rows)?, Fit::default())?;
    let said = predict(&model, (&x.to(device)?).into())?;
    Ok((model, said))
}

fn seeded(estimator: &AnyEstimator, seed: u64) -> Result<AnyEstimator> {
    if estimator.has("seed") { estimator.set("seed", seed.into()) } else { Ok(estimator.clone()) }
}
