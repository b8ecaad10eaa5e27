//! Fitting one weak model a round.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::array::{DeviceMatrix, DeviceVec, Matrix};
use crate::data::{Labels, Target};
use crate::device::Device;
use crate::ensemble::members::{classes_of, numbers_of};
use crate::error::{Error, Result};
use crate::estimator::{AnyEstimator, AnyModel, Fit, Predict as _, Rows};
use crate::model_file::Persist;
use crate::ops::sort::gather_rows::gather_known_rows;
use crate::tree::grow::{BatchedForest, TreeTable};
use crate::tree::{
    DecisionTreeClassifier, DecisionTreeClassifierModel, DecisionTreeRegressor, DecisionTreeRegressorModel, RedrawnRows,
};

/// A weak classifier, fitted again and again on the same rows with other weights.
pub(super) enum WeakLearner<'a> {
    /// A tree: its rows are put into bins once for all rounds.
    Tree(Box<(DecisionTreeClassifier, TreeTable<'a>)>),
    /// Any other classifier.
    Any(AnyEstimator),
}

impl<'a> WeakLearner<'a> {
    /// The estimator for rows of which those of weight 0 never count.
    pub(super) fn new(
        estimator: &AnyEstimator,
        (x, device): (&'a Matrix, &Device),
        y: &Labels,
        weights: &[f64],
    ) -> Result<WeakLearner<'a>> {
        match parameters_of::<DecisionTreeClassifier>(estimator, DecisionTreeClassifierModel::KIND)? {
            Some(tree) => {
                let table = tree.table(x, y, weights)?.on(device.clone());
                Ok(WeakLearner::Tree(Box::new((tree, table))))
            }
            None => Ok(WeakLearner::Any(estimator.clone())),
        }
    }

    /// The binned rows on a GPU, for the trees of all rounds, where they grow on one.
    pub(super) fn on_gpu(&self) -> Result<Option<BatchedForest<'_>>> {
        match self {
            WeakLearner::Tree(binned) => binned.1.on_gpu(),
            WeakLearner::Any(_) => Ok(None),
        }
    }

    /// The classifier of these weights, and its prediction for every row; `there` has the binned rows of a tree.
    pub(super) fn weighted(
        &self,
        (x, device): (&Matrix, &Device),
        there: Option<&mut BatchedForest<'_>>,
        y: &Labels,
        weights: &[f64],
        seed: u64,
    ) -> Result<(AnyModel, Labels)> {
        match self {
            WeakLearner::Tree(binned) => {
                let (tree, table) = &**binned;
                let model = tree.clone().seed(seed).fit_table((table, there), x, y, weights)?;
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

/// A weak regressor, fitted again and again on other draws of the same rows.
pub(super) enum WeakRegressor<'a> {
    /// A tree: its rows are put into bins once for all rounds, and drawn by counting them more than once.
    Tree(Box<(DecisionTreeRegressor, RedrawnRows<'a>)>),
    /// Any other regressor.
    Any(AnyEstimator),
}

impl<'a> WeakRegressor<'a> {
    /// The estimator for rows of which those of weight 0 are never drawn.
    pub(super) fn new(
        estimator: &AnyEstimator,
        (x, device): (&'a Matrix, &Device),
        y: &'a Matrix,
        weights: &[f64],
    ) -> Result<WeakRegressor<'a>> {
        match parameters_of::<DecisionTreeRegressor>(estimator, DecisionTreeRegressorModel::KIND)? {
            Some(tree) => {
                let kept: Vec<f32> = weights.iter().map(|weight| f32::from(u8::from(*weight > 0.0))).collect();
                let rows = RedrawnRows::new(&tree, (x, device.clone()), y, &kept)?;
                Ok(WeakRegressor::Tree(Box::new((tree, rows))))
            }
            None => Ok(WeakRegressor::Any(estimator.clone())),
        }
    }

    /// The binned rows on a GPU, for the trees of all rounds, where they grow on one.
    pub(super) fn on_gpu(&self) -> Result<Option<BatchedForest<'_>>> {
        match self {
            WeakRegressor::Tree(binned) => binned.1.on_gpu(),
            WeakRegressor::Any(_) => Ok(None),
        }
    }

    /// The regressor of these rows, in ascending order, and its prediction for every row. `there` has the binned rows of a tree;
    /// `known`: with the targets, from a round before.
    pub(super) fn drawn(
        &self,
        rows: &DrawnRows<'_>,
        (there, known): (Option<&mut BatchedForest<'_>>, bool),
        target: &Target,
        drawn: &[usize],
        seed: u64,
    ) -> Result<(AnyModel, Matrix)> {
        match self {
            WeakRegressor::Tree(binned) => {
                let (tree, table) = &**binned;
                let mut times = vec![0; rows.x.rows()];
                drawn.iter().for_each(|row| times[*row] += 1);
                let model = table.fit(&tree.clone().seed(seed), (there, known), &times)?;
                let said = model.predict(rows.x)?;
                Ok((AnyModel::new(model), said))
            }
            WeakRegressor::Any(estimator) => rows.model(estimator, target, drawn, seed, numbers_of),
        }
    }
}

/// Rows of which each round draws some: on the host, and on the device where they came from.
pub(super) struct DrawnRows<'a> {
    x: &'a Matrix,
    on_device: &'a DeviceMatrix,
}

impl<'a> DrawnRows<'a> {
    /// The same rows twice.
    pub(super) fn new(x: &'a Matrix, on_device: &'a DeviceMatrix) -> DrawnRows<'a> {
        DrawnRows { x, on_device }
    }

    /// The model of some rows, and its prediction for every row. On a GPU the rows are taken there from those that it has.
    pub(super) fn model<P>(
        &self,
        estimator: &AnyEstimator,
        target: &Target,
        drawn: &[usize],
        seed: u64,
        predict: impl FnOnce(&AnyModel, Rows<'_>) -> Result<P>,
    ) -> Result<(AnyModel, P)> {
        let (own, device) = (self.x.select(drawn)?, self.on_device.device());
        let rows = match device {
            Device::Cpu => own.to(device)?,
            Device::Gpu(_) => self.taken_there(&own, drawn)?,
        };
        let model = seeded(estimator, seed)?.fit_inside(&rows, &target.select(drawn)?, Fit::default())?;
        let said = predict(&model, self.on_device.into())?;
        Ok((model, said))
    }
}

impl DrawnRows<'_> {
    /// The drawn rows on a GPU, taken from those that it has; sent where they are more than one buffer holds.
    fn taken_there(&self, own: &Matrix, drawn: &[usize]) -> Result<DeviceMatrix> {
        let device = self.on_device.device();
        let places: Vec<u32> = drawn.iter().map(|row| *row as u32).collect();
        let places = DeviceVec::from_slice(&places, device)?;
        match gather_known_rows(&mut device.stream(), self.on_device, &places) {
            Ok(taken) => Ok(taken.with_column_info(own.column_info().clone()).known_as(own)),
            Err(Error::Limit { .. }) => own.to(device),
            Err(error) => Err(error),
        }
    }
}

/// An estimator's parameters as those of a tree, if it is one of that kind.
fn parameters_of<P: DeserializeOwned>(estimator: &AnyEstimator, kind: &str) -> Result<Option<P>> {
    let own = (estimator.name() == kind).then(|| estimator.parameters()).transpose()?;
    Ok(own.and_then(|parameters| serde_json::from_value(Value::Object(parameters)).ok()))
}

fn seeded(estimator: &AnyEstimator, seed: u64) -> Result<AnyEstimator> {
    if estimator.has("seed") { estimator.set("seed", seed.into()) } else { Ok(estimator.clone()) }
}
