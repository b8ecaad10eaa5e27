//! Codes for the names of classes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::data::Labels;
use crate::error::{Error, Result};
use crate::model_file::{Container, Persist};

/// Gives every class a code, so that new rows get the same codes as the fitted ones.
///
/// ```
/// use gristmill::prelude::*;
/// use gristmill::preprocessing::LabelEncoder;
/// let model = LabelEncoder::default().fit(&["rose", "lily", "rose"])?;
/// let new = model.transform(&["rose", "rose"])?; // alone, "rose" would be class 0
/// assert_eq!(new.codes(), [1, 1]);
/// assert_eq!(model.inverse_transform(&[0, 1])?, ["lily", "rose"]);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LabelEncoder {}

impl LabelEncoder {
    /// The classes are the distinct names, in alphabetical order. O(n·log k).
    pub fn fit<S: AsRef<str>>(&self, names: &[S]) -> Result<LabelEncoderModel> {
        self.fit_labels(&Labels::from_names(names))
    }

    /// The classes are those of `labels`, with their codes.
    pub fn fit_labels(&self, labels: &Labels) -> Result<LabelEncoderModel> {
        LabelEncoderModel::new(labels.names().to_vec())
    }
}

/// The classes that [`LabelEncoder`] found.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelEncoderModel {
    names: Vec<String>,
}

impl LabelEncoderModel {
    fn new(names: Vec<String>) -> Result<LabelEncoderModel> {
        let model = LabelEncoderModel { names };
        if model.names.is_empty() || model.codes().len() < model.names.len() {
            let (expected, got) =
                ("at least one class, and no two of one name", format!("{} names", model.names.len()));
            return Err(Error::shape("LabelEncoder", expected.to_string(), got));
        }
        Ok(model)
    }

    /// The names of the classes, by code.
    pub fn classes(&self) -> &[String] {
        &self.names
    }

    /// The code of each name, with the names of all classes. A name that was not fitted is an error.
    pub fn transform<S: AsRef<str>>(&self, names: &[S]) -> Result<Labels> {
        let known = self.codes();
        let code = |(row, name): (usize, &S)| {
            known.get(name.as_ref()).copied().ok_or_else(|| self.unknown(row, name.as_ref()))
        };
        let codes = names.iter().enumerate().map(code).collect::<Result<Vec<u32>>>()?;
        Labels::from_codes(codes, self.names.clone())
    }

    /// The same classes under the codes of this encoder. A class of a row that was not fitted is an error.
    pub fn recode(&self, labels: &Labels) -> Result<Labels> {
        let known = self.codes();
        let codes: Vec<Option<u32>> = labels.names().iter().map(|name| known.get(name.as_str()).copied()).collect();
        let code =
            |(row, code): (usize, &u32)| codes[*code as usize].ok_or_else(|| self.unknown(row, labels.name(row)));
        let codes = labels.codes().iter().enumerate().map(code).collect::<Result<Vec<u32>>>()?;
        Labels::from_codes(codes, self.names.clone())
    }

    /// The name behind each code.
    pub fn inverse_transform(&self, codes: &[u32]) -> Result<Vec<String>> {
        let name = |code: &u32| {
            let rule = format!("below the number of classes, {}", self.names.len());
            let unknown = || Error::param("codes", rule, code);
            self.names.get(*code as usize).cloned().ok_or_else(unknown)
        };
        codes.iter().map(name).collect()
    }

    fn codes(&self) -> BTreeMap<&str, u32> {
        self.names.iter().map(String::as_str).zip(0..).collect()
    }

    fn unknown(&self, row: usize, name: &str) -> Error {
        let some = self.names.iter().take(10).map(String::as_str).collect::<Vec<&str>>().join(", ");
        let more = if self.names.len() > 10 { ", …" } else { "" };
        Error::param("class", format!("one of {some}{more}"), format!("\"{name}\" in row {row}"))
    }
}

impl Persist for LabelEncoderModel {
    const KIND: &'static str = "label-encoder";

    fn store(&self, container: &mut Container) -> Result<()> {
        container.insert_strings("names", &self.names)
    }

    fn restore(container: &mut Container) -> Result<LabelEncoderModel> {
        let names = container.take_strings("names")?;
        LabelEncoderModel::new(names).map_err(|error| container.refuse(error.to_string()))
    }
}
