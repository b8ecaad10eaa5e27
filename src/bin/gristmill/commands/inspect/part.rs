//! The models of a file, one inside the other: parameters, numbers that were learnt, arrays.

use std::collections::BTreeMap;

use gristmill::model_file::Container;
use serde::Serialize;
use serde_json::{Map, Value};

use super::shortened;
use crate::commands::models;
use crate::report::{Table, bytes};

/// A model, or one inside another.
#[derive(Serialize)]
pub struct Part {
    pub kind: String,
    pub version: u32,
    /// What it was fitted with.
    parameters: Map<String, Value>,
    /// Numbers that it learnt.
    #[serde(skip_serializing_if = "Map::is_empty")]
    fitted: Map<String, Value>,
    arrays: Vec<Array>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<Inner>,
}

#[derive(Serialize)]
pub struct Inner {
    pub name: String,
    #[serde(flatten)]
    pub part: Part,
}

#[derive(Serialize)]
pub struct Array {
    name: String,
    element: &'static str,
    shape: Vec<usize>,
    bytes: u64,
}

/// What is in a container.
pub fn part_of(container: &Container) -> Part {
    let array = |(name, tensor): (&str, &gristmill::model_file::Tensor)| {
        let shape = tensor.shape().to_vec();
        let bytes = shape.iter().product::<usize>() as u64 * tensor.element().size() as u64;
        Array { name: name.to_string(), element: tensor.element().name(), shape, bytes }
    };
    let models = container.models().map(|(name, model)| Inner { name: name.to_string(), part: part_of(model) });
    let (parameters, fitted) = parameters_of(container);
    Part {
        kind: container.kind().to_string(),
        version: container.version(),
        parameters,
        fitted,
        arrays: container.tensors().map(array).collect(),
        models: models.collect(),
    }
}

/// The parameters that a model was fitted with, and the numbers that it learnt.
fn parameters_of(container: &Container) -> (Map<String, Value>, Map<String, Value>) {
    let mut all = container.raw_parameters().clone();
    let mut take = |name: &str| match all.remove(name) {
        Some(Value::Object(map)) => map,
        _ => Map::new(),
    };
    let (parameters, mut fitted) = (take("estimator"), take("fitted"));
    fitted.extend(all);
    (parameters, fitted)
}

/// The parameters and, if asked for, the arrays of models of one kind with the same parameters, then those of the models inside.
pub fn add(shown: &mut Table, alike: &[&Part], place: &str, tensors: bool) {
    let Some(first) = alike.first() else { return };
    for (name, value) in first.numbers() {
        let varies = alike.iter().any(|part| part.numbers().get(&name) != Some(&value));
        let value = if varies { "varies".to_string() } else { shortened(&models::short(&value)) };
        shown.add_row([place.to_string(), name, value, String::new()]);
    }
    for array in first.arrays.iter().filter(|_| tensors) {
        let all: Vec<&Array> =
            alike.iter().filter_map(|part| part.arrays.iter().find(|other| other.name == array.name)).collect();
        let shape = format!("{} {}", array.element, shape_of(&all));
        shown.add_row([place.to_string(), array.name.clone(), shape, bytes(all.iter().map(|array| array.bytes).sum())]);
    }
    for group in groups(alike.iter().flat_map(|part| &part.models)) {
        let place = match (&group[..], alike.len()) {
            ([one], 1) => format!("{}: {}", one.name, one.part.kind),
            (many, _) => format!("{} × {}", many.len(), many[0].part.kind),
        };
        add(shown, &group.iter().map(|inner| &inner.part).collect::<Vec<_>>(), &place, tensors);
    }
}

impl Part {
    /// Parameters, and numbers that were learnt.
    fn numbers(&self) -> BTreeMap<String, Value> {
        flat(&self.parameters).into_iter().chain(flat(&self.fitted)).collect()
    }
}

/// Parameters by name; those of an estimator inside, unless it is given by name, as `estimator.max_depth`.
fn flat(parameters: &Map<String, Value>) -> BTreeMap<String, Value> {
    let mut all = BTreeMap::new();
    for (name, value) in parameters {
        match value {
            Value::Object(inner) if !inner.contains_key("model") => {
                all.extend(flat(inner).into_iter().map(|(inner, value)| (format!("{name}.{inner}"), value)));
            }
            _ => {
                all.insert(name.clone(), value.clone());
            }
        }
    }
    all
}

/// Models that differ in their seeds and arrays alone, such as the members of an ensemble, together.
fn groups<'a>(models: impl Iterator<Item = &'a Inner>) -> Vec<Vec<&'a Inner>> {
    let key_of = |inner: &Inner| {
        let mut parameters = inner.part.numbers();
        parameters.retain(|name, _| name != "seed" && !name.ends_with(".seed"));
        let arrays: Vec<String> = inner.part.arrays.iter().map(|array| array.name.clone()).collect();
        (inner.part.kind.clone(), parameters, arrays)
    };
    let mut found: Vec<(_, Vec<&Inner>)> = vec![];
    for inner in models {
        let key = key_of(inner);
        match found.iter_mut().find(|(known, _)| *known == key) {
            Some((_, group)) => group.push(inner),
            None => found.push((key, vec![inner])),
        }
    }
    found.into_iter().map(|(_, group)| group).collect()
}

/// The shape of an array; of several with other shapes the range of each axis, `3–15×2`.
fn shape_of(arrays: &[&Array]) -> String {
    let axes = arrays.iter().map(|array| array.shape.len()).min().unwrap_or(0);
    let axis = |at: usize| {
        let sizes = || arrays.iter().map(|array| array.shape[at]);
        match (sizes().min().unwrap_or(0), sizes().max().unwrap_or(0)) {
            (min, max) if min == max => min.to_string(),
            (min, max) => format!("{min}–{max}"),
        }
    };
    (0..axes).map(axis).collect::<Vec<_>>().join("×")
}
