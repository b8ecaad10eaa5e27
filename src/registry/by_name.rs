//! Estimators and models from their names: what files, JSON and the command line hold.

use std::path::Path;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::error::{Error, Result};
use crate::estimator::{AnyEstimator, AnyModel, MODEL, Task};
use crate::model_file::Container;
use crate::pipeline::PipelineModel;

impl AnyModel {
    /// Reads a model file of any kind.
    pub fn load(path: impl AsRef<Path>) -> Result<AnyModel> {
        AnyModel::from_container(Container::load(path)?)
    }

    /// The model in the bytes of a model file.
    pub fn from_bytes(bytes: &[u8]) -> Result<AnyModel> {
        AnyModel::from_container(Container::from_bytes(bytes)?)
    }

    /// What the model is for: the task of the estimator that it was fitted by, for a pipeline that of its last one.
    pub fn task(&self) -> Result<Task> {
        match self.downcast_ref::<PipelineModel>() {
            Some(pipeline) => pipeline.model().task(),
            None => super::find(self.kind()).map(|entry| entry.task),
        }
    }

    /// The model that a container holds.
    pub fn from_container(container: Container) -> Result<AnyModel> {
        match super::find_kind(container.kind()) {
            Ok(entry) => entry.restore(container),
            Err(Error::Param { rule, .. }) => {
                let kind = container.kind().to_string();
                Err(container.refuse(format!("it holds \"{kind}\", which is not {rule}; is it of a newer version?")))
            }
            Err(other) => Err(other),
        }
    }
}

impl<'de> Deserialize<'de> for AnyEstimator {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<AnyEstimator, D::Error> {
        let (name, settings) = match Value::deserialize(deserializer)? {
            Value::String(name) => (name, Map::new()),
            Value::Object(mut settings) => match settings.remove(MODEL) {
                Some(Value::String(name)) => (name, settings),
                _ => return Err(D::Error::custom("an estimator inside another needs the name of its model")),
            },
            other => return Err(D::Error::custom(format!("expected the name of a model, got {other}"))),
        };
        let mut estimator = super::find_kind(&name).map_err(D::Error::custom)?.estimator();
        for (name, value) in settings {
            estimator = estimator.set(&name, value).map_err(D::Error::custom)?;
        }
        Ok(estimator)
    }
}
