//! Models inside models: the steps of a pipeline, the members of an ensemble.
//!
//! In the file the arrays of an inner model are named `<model>/<array>`, and `parameters.models.<model>` holds its
//! kind, parameters and version.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::Persist;
use super::container::{Container, MODELS};
use super::tensor::Tensor;
use crate::error::Result;

/// How many models may be inside one another: a pipeline in a stack in a pipeline is three.
const DEEPEST: usize = 16;

/// How a model inside another is described in the outer one's parameters.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    kind: String,
    parameters: Map<String, Value>,
    version: u32,
}

impl Container {
    /// Puts a model into this one.
    pub fn insert_model<M: Persist>(&mut self, name: &str, model: &M) -> Result<()> {
        self.insert_container(name, model.to_container()?)
    }

    /// Takes out a model of a known kind.
    pub fn take_model<M: Persist>(&mut self, name: &str) -> Result<M> {
        M::from_container(self.take_container(name)?)
    }

    /// Puts in a model whose kind is known only at run time.
    pub fn insert_container(&mut self, name: &str, model: Container) -> Result<()> {
        self.check_name(name)?;
        if self.models.contains_key(name) {
            return Err(self.refuse(format!("there are two models named {name}")));
        }
        self.models.insert(name.to_string(), model);
        Ok(())
    }

    /// Takes out a model whose kind is known only at run time.
    pub fn take_container(&mut self, name: &str) -> Result<Container> {
        self.models.remove(name).ok_or_else(|| {
            self.refuse(format!("model {name}, which belongs inside a {} model, is not there", self.kind))
        })
    }

    /// The models inside by name, sorted.
    pub fn models(&self) -> impl Iterator<Item = (&str, &Container)> {
        self.models.iter().map(|(name, model)| (name.as_str(), model))
    }

    /// The parameters as the file has them, with the models inside.
    pub(super) fn file_parameters(&self) -> Value {
        let mut parameters = self.parameters.clone();
        if !self.models.is_empty() {
            let describe = |model: &Container| {
                let parameters = model.file_parameters();
                json!({"kind": model.kind, "parameters": parameters, "version": model.version})
            };
            let models = self.models.iter().map(|(name, model)| (name.clone(), describe(model))).collect();
            parameters.insert(MODELS.to_string(), Value::Object(models));
        }
        Value::Object(parameters)
    }

    /// All arrays under the names the file has for them.
    pub(super) fn file_tensors<'a>(&'a self, prefix: &str, found: &mut Vec<(String, &'a Tensor)>) {
        found.extend(self.tensors.iter().map(|(name, tensor)| (format!("{prefix}{name}"), tensor)));
        for (name, model) in &self.models {
            model.file_tensors(&format!("{prefix}{name}/"), found);
        }
    }

    /// The reverse of [`file_parameters`](Container::file_parameters): makes the models inside, still without arrays.
    pub(super) fn unfold_models(&mut self, depth: usize) -> Result<()> {
        let Some(models) = self.parameters.remove(MODELS) else { return Ok(()) };
        if depth == DEEPEST {
            return Err(self.refuse(format!("more than {DEEPEST} models are inside one another")));
        }
        let Value::Object(models) = models else {
            return Err(self.refuse(format!("parameters.{MODELS} is not an object")));
        };
        for (name, description) in models {
            let description = serde_json::from_value(description)
                .map_err(|error| self.refuse(format!("model {name} inside is not described as it should: {error}")))?;
            let Description { kind, parameters, version } = description;
            let origin = format!("{}, model {name}", self.origin);
            let mut model = Container::described(origin, &kind, version, parameters)?;
            model.held = self.held;
            model.unfold_models(depth + 1)?;
            self.insert_container(&name, model)?;
        }
        Ok(())
    }

    /// The reverse of [`file_tensors`](Container::file_tensors) for one array.
    pub(super) fn add_from_file(&mut self, file_name: &str, tensor: Tensor) -> Result<()> {
        match file_name.split_once('/') {
            None => self.add(file_name, tensor),
            Some((model, rest)) => match self.models.get_mut(model) {
                Some(model) => model.add_from_file(rest, tensor),
                None => Err(self.refuse(format!(
                    "tensor \"{}\" belongs to a model that is not described",
                    file_name.escape_debug()
                ))),
            },
        }
    }
}
