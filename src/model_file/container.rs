//! What is in a model file, between the model and the bytes.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::tensor::{Element, Tensor};
use crate::error::{Error, Result};

/// The parameter under which the models inside a model are described.
pub(super) const MODELS: &str = "models";

/// Sizes up to this are believed whatever a file holds: they allocate little.
pub(super) const BELIEVED: usize = 1 << 16;

/// A model taken apart: its kind, its parameters as JSON, its arrays by name, and the models inside it.
///
/// Arrays are put in and taken out whole. Every error names the file that the container came from.
///
/// ```
/// use gristmill::model_file::Container;
/// let mut container = Container::new("kmeans", 1)?;
/// container.insert("centers", &[2, 3], vec![0.0_f32, 1.0, 2.0, 3.0, 4.0, 5.0])?;
///
/// let mut again = Container::from_bytes(&container.to_bytes()?)?;
/// let [clusters, columns] = again.shape("centers")?;
/// let centers: Vec<f32> = again.take("centers", &[clusters, columns])?;
/// assert_eq!((clusters, columns, centers[5]), (2, 3, 5.0));
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Container {
    /// The file, or what stands for it in messages; no part of what is saved.
    pub(super) origin: String,
    pub(super) kind: String,
    pub(super) version: u32,
    pub(super) parameters: Map<String, Value>,
    pub(super) tensors: BTreeMap<String, Tensor>,
    pub(super) models: BTreeMap<String, Container>,
    /// How many values there are in the file it came from; no limit for one that came from none.
    pub(super) held: usize,
}

impl Container {
    /// An empty container. `kind` is made of lower-case letters, digits and hyphens; `version` starts at 1.
    pub fn new(kind: &str, version: u32) -> Result<Container> {
        Container::described(format!("a new {kind} model"), kind, version, Map::new())
    }

    /// An empty container with its description checked.
    pub(super) fn described(
        origin: String,
        kind: &str,
        version: u32,
        parameters: Map<String, Value>,
    ) -> Result<Container> {
        let container = Container {
            origin,
            kind: kind.to_string(),
            version,
            parameters,
            tensors: BTreeMap::new(),
            models: BTreeMap::new(),
            held: usize::MAX,
        };
        let letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if kind.is_empty() || kind.len() > 64 || !kind.bytes().all(letter) {
            return Err(container.refuse(format!("\"{}\" is not the name of a kind of model", kind.escape_debug())));
        }
        if version == 0 {
            return Err(container.refuse("versions start at 1, this one is 0"));
        }
        Ok(container)
    }

    /// What kind of model this is, such as `ridge`.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The version of what its kind stores, from 1.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// An error that names the file this came from. For a model whose parts do not fit together.
    pub fn refuse(&self, why: impl Into<String>) -> Error {
        refusal(&self.origin, &why.into())
    }

    /// A size that a file claims, in its parameters, a shape or an array: refused where it is larger than what the file
    /// holds, before anything is allocated or indexed by it. What is fitted on more columns than are believed names them,
    /// or stores a byte for each.
    pub fn size(&self, what: &str, claimed: u64) -> Result<usize> {
        let most = self.held.max(BELIEVED);
        match usize::try_from(claimed) {
            Ok(size) if size <= most => Ok(size),
            _ => {
                Err(self
                    .refuse(format!("{claimed} {what}, and the file holds {} values: not as it was saved", self.held)))
            }
        }
    }

    /// Sets the parameters from a struct with named fields.
    ///
    /// JSON has no NaN and no infinity, and serde writes both as null. So the parameters are read back and compared.
    pub fn set_parameters<T: Serialize + DeserializeOwned + PartialEq>(&mut self, parameters: &T) -> Result<()> {
        match self.to_json(parameters)? {
            Value::Object(map) if !map.contains_key(MODELS) => self.parameters = map,
            _ => return Err(self.refuse(format!("parameters are named fields, none of them \"{MODELS}\""))),
        }
        Ok(())
    }

    /// A value as JSON that gives the same value again.
    fn to_json<T: Serialize + DeserializeOwned + PartialEq>(&self, value: &T) -> Result<Value> {
        let unfit = |error: serde_json::Error| self.refuse(format!("the parameters do not fit into JSON: {error}"));
        let json = serde_json::to_value(value).map_err(unfit)?;
        let again: T = T::deserialize(&json).map_err(unfit)?;
        if again != *value {
            return Err(self.refuse("the parameters change when written as JSON; is one of them NaN or infinite?"));
        }
        Ok(json)
    }

    /// The parameters as a struct.
    pub fn parameters<T: DeserializeOwned>(&self) -> Result<T> {
        serde_json::from_value(Value::Object(self.parameters.clone()))
            .map_err(|error| self.refuse(format!("the parameters are not those of a {} model: {error}", self.kind)))
    }

    /// Sets the parameters of the estimator that was fitted, under `estimator`.
    pub fn set_estimator<T: Serialize + DeserializeOwned + PartialEq>(&mut self, estimator: &T) -> Result<()> {
        self.set_part("estimator", estimator)
    }

    /// The estimator that was fitted.
    pub fn estimator<T: DeserializeOwned>(&self) -> Result<T> {
        self.part("estimator")
    }

    /// Sets the single numbers of a fitted model, under `fitted`: a struct with named fields.
    pub fn set_fitted<T: Serialize + DeserializeOwned + PartialEq>(&mut self, fitted: &T) -> Result<()> {
        self.set_part("fitted", fitted)
    }

    /// The single numbers of a fitted model.
    pub fn fitted<T: DeserializeOwned>(&self) -> Result<T> {
        self.part("fitted")
    }

    fn set_part<T: Serialize + DeserializeOwned + PartialEq>(&mut self, name: &str, part: &T) -> Result<()> {
        let value = self.to_json(part)?;
        self.parameters.insert(name.to_string(), value);
        Ok(())
    }

    fn part<T: DeserializeOwned>(&self, name: &str) -> Result<T> {
        let part = self.parameters.get(name).cloned().unwrap_or(Value::Null);
        serde_json::from_value(part)
            .map_err(|error| self.refuse(format!("parameters.{name} is not that of a {} model: {error}", self.kind)))
    }

    /// The parameters as they are.
    pub fn raw_parameters(&self) -> &Map<String, Value> {
        &self.parameters
    }

    /// The arrays by name, sorted; without those of the models inside.
    pub fn tensors(&self) -> impl Iterator<Item = (&str, &Tensor)> {
        self.tensors.iter().map(|(name, tensor)| (name.as_str(), tensor))
    }

    /// Whether there is an array of this name.
    pub fn contains(&self, name: &str) -> bool {
        self.tensors.contains_key(name)
    }

    /// Puts in an array of finite values, row by row. Names are letters, digits, `_`, `-` and `.`.
    pub fn insert<T: Element>(&mut self, name: &str, shape: &[usize], values: Vec<T>) -> Result<()> {
        let tensor = self.tensor(name, shape, values)?;
        self.check_none_missing(name, &tensor)?;
        self.add(name, tensor)
    }

    /// Puts in an array in which NaN means missing. Infinity is still refused.
    pub fn insert_with_missing<T: Element>(&mut self, name: &str, shape: &[usize], values: Vec<T>) -> Result<()> {
        let tensor = self.tensor(name, shape, values)?;
        self.add(name, tensor)
    }

    /// The shape of an array that has `N` axes: `let [rows, columns] = container.shape("centers")?`.
    pub fn shape<const N: usize>(&self, name: &str) -> Result<[usize; N]> {
        let tensor = self.tensors.get(name).ok_or_else(|| self.absent(name))?;
        <[usize; N]>::try_from(tensor.shape()).map_err(|_| {
            self.refuse(format!("tensor {name} has the shape {:?}; {N} axes were expected", tensor.shape()))
        })
    }

    /// Takes out an array of this type and shape, all finite.
    pub fn take<T: Element>(&mut self, name: &str, shape: &[usize]) -> Result<Vec<T>> {
        if let Some(tensor) = self.tensors.get(name) {
            self.check_none_missing(name, tensor)?;
        }
        self.take_with_missing(name, shape)
    }

    /// Takes out an array of this type and shape, in which NaN means missing.
    pub fn take_with_missing<T: Element>(&mut self, name: &str, shape: &[usize]) -> Result<Vec<T>> {
        let tensor = self.tensors.get(name).ok_or_else(|| self.absent(name))?;
        if (tensor.element(), tensor.shape()) != (T::TYPE, shape) {
            return Err(self.refuse(format!(
                "tensor {name} is {} {:?}; expected {} {shape:?}",
                tensor.element().name(),
                tensor.shape(),
                T::TYPE.name()
            )));
        }
        let values = self.tensors.remove(name).and_then(|tensor| T::from_values(tensor.into_values()));
        values.ok_or_else(|| self.absent(name))
    }

    /// Puts in a list of finite values: an array of one axis.
    pub fn insert_list<T: Element>(&mut self, name: &str, values: &[T]) -> Result<()> {
        self.insert(name, &[values.len()], values.to_vec())
    }

    /// Takes out a list, however long it is.
    pub fn take_list<T: Element>(&mut self, name: &str) -> Result<Vec<T>> {
        let [length] = self.shape(name)?;
        self.take(name, &[length])
    }

    /// Puts in a list of texts, such as class names: two arrays, `<name>.text` and `<name>.ends`.
    pub fn insert_strings<S: AsRef<str>>(&mut self, name: &str, strings: &[S]) -> Result<()> {
        let text: String = strings.iter().map(AsRef::as_ref).collect();
        let ends = strings.iter().scan(0u64, |end, string| {
            *end += string.as_ref().len() as u64;
            Some(*end)
        });
        self.insert(&format!("{name}.ends"), &[strings.len()], ends.collect::<Vec<u64>>())?;
        self.insert(&format!("{name}.text"), &[text.len()], text.into_bytes())
    }

    /// Takes out a list of texts.
    pub fn take_strings(&mut self, name: &str) -> Result<Vec<String>> {
        let (ends_name, text_name) = (format!("{name}.ends"), format!("{name}.text"));
        let ([count], [length]) = (self.shape(&ends_name)?, self.shape(&text_name)?);
        let ends: Vec<u64> = self.take(&ends_name, &[count])?;
        let text: Vec<u8> = self.take(&text_name, &[length])?;
        let broken = || self.refuse(format!("the texts in {name} are not UTF-8 or do not end where they should"));
        let text = str::from_utf8(&text).map_err(|_| broken())?;
        let mut start = 0;
        let mut strings = Vec::with_capacity(ends.len());
        for end in ends {
            let end = usize::try_from(end).map_err(|_| broken())?;
            strings.push(text.get(start..end).ok_or_else(broken)?.to_string());
            start = end;
        }
        if start == length { Ok(strings) } else { Err(broken()) }
    }

    /// Refuses a container in which something is left that nobody asked for.
    pub(super) fn check_all_taken(&self) -> Result<()> {
        match self.tensors.keys().chain(self.models.keys()).next() {
            Some(name) => Err(self.refuse(format!("{name} has no place in a {} model", self.kind))),
            None => Ok(()),
        }
    }

    /// Adds a tensor under a new name.
    pub(super) fn add(&mut self, name: &str, tensor: Tensor) -> Result<()> {
        self.check_name(name)?;
        if self.tensors.contains_key(name) {
            return Err(self.refuse(format!("there are two tensors named {name}")));
        }
        self.tensors.insert(name.to_string(), tensor);
        Ok(())
    }

    /// A name needs no escape in JSON and holds no `/`, which stands between a model inside and its arrays.
    pub(super) fn check_name(&self, name: &str) -> Result<()> {
        let letter = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
        if name.is_empty() || name.len() > 255 || name == "__metadata__" || !name.bytes().all(letter) {
            return Err(self.refuse(format!("\"{}\" is not a name for a tensor", name.escape_debug())));
        }
        Ok(())
    }

    fn tensor<T: Element>(&self, name: &str, shape: &[usize], values: Vec<T>) -> Result<Tensor> {
        Tensor::new(shape, T::into_values(values)).map_err(|why| self.refuse(format!("tensor {name}: {why}")))
    }

    fn check_none_missing(&self, name: &str, tensor: &Tensor) -> Result<()> {
        match tensor.first_missing() {
            Some(at) => Err(self.refuse(format!("tensor {name}: value {at} is NaN; a model must be finite"))),
            None => Ok(()),
        }
    }

    fn absent(&self, name: &str) -> Error {
        self.refuse(format!("tensor {name}, which a {} model needs, is not there", self.kind))
    }
}

/// An error about a model. A file may hold names of any length and with any characters in them, so the message is kept
/// short and free of what would steer a terminal.
pub(super) fn refusal(path: &str, why: &str) -> Error {
    const LONGEST: usize = 400;
    let plain = |letter: char| if letter.is_control() { '\u{fffd}' } else { letter };
    let mut short: String = why.chars().take(LONGEST).map(plain).collect();
    if why.chars().nth(LONGEST).is_some() {
        short.push('…');
    }
    Error::Model { path: path.to_string(), why: short }
}

impl PartialEq for Container {
    /// The same contents to the bit, wherever they came from.
    fn eq(&self, other: &Container) -> bool {
        (&self.kind, self.version, &self.parameters, &self.tensors, &self.models)
            == (&other.kind, other.version, &other.parameters, &other.tensors, &other.models)
    }
}
