//! How much the classes count.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::labels::Labels;
use crate::error::{Error, Result};

/// How much the rows of a class count, beside their sample weights.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(try_from = "WrittenWeight", into = "WrittenWeight")]
pub enum ClassWeight {
    /// All classes alike.
    #[default]
    Uniform,
    /// n / (k·nₖ): every class counts as much as the others, whatever its rows.
    Balanced,
    /// By the class's name; one that is not named counts 1.
    Given(BTreeMap<String, f64>),
}

/// The same as it is written: null, `balanced`, or an object of weights by class.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum WrittenWeight {
    Uniform(()),
    Name(String),
    Given(BTreeMap<String, f64>),
}

impl From<ClassWeight> for WrittenWeight {
    fn from(weight: ClassWeight) -> WrittenWeight {
        match weight {
            ClassWeight::Uniform => WrittenWeight::Uniform(()),
            ClassWeight::Balanced => WrittenWeight::Name("balanced".to_string()),
            ClassWeight::Given(weights) => WrittenWeight::Given(weights),
        }
    }
}

impl TryFrom<WrittenWeight> for ClassWeight {
    type Error = Error;

    fn try_from(written: WrittenWeight) -> Result<ClassWeight> {
        match written {
            WrittenWeight::Uniform(()) => Ok(ClassWeight::Uniform),
            WrittenWeight::Given(weights) => Ok(ClassWeight::Given(weights)),
            WrittenWeight::Name(name) if name == "balanced" => Ok(ClassWeight::Balanced),
            WrittenWeight::Name(got) => {
                Err(Error::param("class_weight", "none, balanced, or an object of weights by class", got))
            }
        }
    }
}

impl ClassWeight {
    /// The weight of each row: its sample weight times that of its class; `None` when all are 1.
    #[doc(hidden)]
    pub fn row_weights(&self, y: &Labels, weights: Option<&[f32]>) -> Result<Option<Vec<f64>>> {
        let by_class = self.by_class(y)?;
        let sample_weight = |row: usize| weights.map_or(1.0, |weights| f64::from(weights[row]));
        if by_class.is_none() && weights.is_none() {
            return Ok(None);
        }
        let class_weight = |code: u32| by_class.as_ref().map_or(1.0, |by_class| by_class[code as usize]);
        let of_rows: Vec<f64> =
            y.codes().iter().enumerate().map(|(row, code)| sample_weight(row) * class_weight(*code)).collect();
        if of_rows.iter().all(|weight| *weight == 0.0) {
            return Err(Error::param("class_weight", "above 0 for a class that has rows", "0 for all of them"));
        }
        Ok(Some(of_rows))
    }

    fn by_class(&self, y: &Labels) -> Result<Option<Vec<f64>>> {
        match self {
            ClassWeight::Uniform => Ok(None),
            ClassWeight::Balanced => {
                let counts = y.counts();
                let present = counts.iter().filter(|count| **count > 0).count();
                let weight = |count: &usize| y.len() as f64 / (present * count).max(1) as f64;
                Ok(Some(counts.iter().map(weight).collect()))
            }
            ClassWeight::Given(given) => {
                let refuse = |rule: &str, got: String| Error::param("class_weight", rule.to_string(), got);
                if let Some(name) = given.keys().find(|name| !y.names().contains(name)) {
                    return Err(refuse("given for classes that there are", format!("one for {name}")));
                }
                if let Some((name, weight)) = given.iter().find(|(_, weight)| !(**weight >= 0.0 && weight.is_finite()))
                {
                    return Err(refuse("finite numbers of at least 0", format!("{weight} for {name}")));
                }
                Ok(Some(y.names().iter().map(|name| given.get(name).copied().unwrap_or(1.0)).collect()))
            }
        }
    }
}
