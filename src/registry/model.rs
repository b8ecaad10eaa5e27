//! A fitted model of any kind.

use std::path::Path;

use crate::array::Matrix;
use crate::error::{Error, Result};
use crate::estimator::{Fitted, Flow, Observer, Outcome, Prediction, Report, Rows};
use crate::model::{Container, Persist};
use crate::pipeline::PipelineModel;

/// A fitted model of any kind, pipelines among them: what [`AnyEstimator::fit`](super::AnyEstimator::fit) returns and
/// what can be loaded without knowing what a file holds.
#[derive(Debug)]
pub struct Model(Box<dyn Fitted>);

impl Model {
    /// A fitted model without its type.
    pub fn new(fitted: Box<dyn Fitted>) -> Model {
        Model(fitted)
    }

    /// Reads a model file of any kind.
    pub fn load(path: impl AsRef<Path>) -> Result<Model> {
        Model::from_container(Container::load(path)?)
    }

    /// The model in the bytes of a model file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Model> {
        Model::from_container(Container::from_bytes(bytes)?)
    }

    /// The model that a container holds.
    pub fn from_container(container: Container) -> Result<Model> {
        if container.kind() == PipelineModel::KIND {
            return Ok(Model(Box::new(PipelineModel::from_container(container)?)));
        }
        match super::find(container.kind()) {
            Ok(entry) => Ok(Model(entry.restore(container)?)),
            Err(Error::Param { rule, .. }) => {
                let kind = container.kind().to_string();
                Err(container.refuse(format!("it holds \"{kind}\", which is not {rule}; is it of a newer version?")))
            }
            Err(other) => Err(other),
        }
    }

    /// Writes the model file. What was there before stays whole until the new file is complete.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        self.0.container()?.save(path)
    }

    /// The bytes of the model file.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.0.container()?.to_bytes()
    }

    /// The model in a container of its kind.
    pub fn container(&self) -> Result<Container> {
        self.0.container()
    }

    /// What the model says of each row of `x`, computed where `x` lives.
    pub fn predict(&self, x: Rows<'_>) -> Result<Prediction> {
        self.0.predict_any(x, &mut |_: &Report| Flow::Continue)
    }

    /// The same, told to an observer.
    pub fn predict_with(&self, x: Rows<'_>, observer: &mut dyn Observer) -> Result<Prediction> {
        self.0.predict_any(x, observer)
    }

    /// The chance of each class for each row of `x`, n×k; nothing for a model that gives none.
    pub fn predict_proba(&self, x: Rows<'_>) -> Result<Option<Matrix>> {
        self.0.chances(x)
    }

    /// What each column adds to each row's prediction (Shapley values): a matrix n×(d + 1) for each output, with what is
    /// expected of any row in the last column; nothing for a model that cannot tell.
    pub fn shapley_values(&self, x: Rows<'_>) -> Result<Option<Vec<Matrix>>> {
        self.0.contributions(x)
    }

    /// The model in LightGBM's text format, for boosted trees; `columns` are the names of its features.
    pub fn lightgbm_text(&self, columns: &[String]) -> Option<String> {
        self.0.lightgbm_text(columns)
    }

    /// The classes by code; none for a model that is no classifier.
    pub fn classes(&self) -> &[String] {
        self.0.class_names()
    }

    /// What the fit can tell of itself.
    pub fn outcome(&self) -> Outcome {
        self.0.outcome()
    }

    /// The model as text, for one that people can read; `columns` are the names of its features.
    pub fn text(&self, columns: &[String]) -> Option<String> {
        self.0.text(columns)
    }

    /// The same with the names of the levels of categorical columns, by code; none of a column of numbers.
    pub fn text_with_levels(&self, columns: &[String], levels: &[Option<Vec<String>>]) -> Option<String> {
        self.0.text_with_levels(columns, levels)
    }
}
