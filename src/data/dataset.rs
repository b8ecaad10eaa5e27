//! Features with a target.

use super::Labels;
use crate::array::Matrix;
use crate::error::{Error, Result};

/// Features and what is to be learned from them.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    /// The features, n×d, with the names of the columns.
    pub x: Matrix,
    /// What is to be predicted.
    pub target: Target,
    /// One entry a column: the names of its levels, by code, where it is categorical.
    pub levels: Vec<Option<Vec<String>>>,
}

/// What is to be predicted.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// Nothing.
    None,
    /// A class for each row.
    Classes(Labels),
    /// Numbers for each row, n×p, with names.
    Numbers(Matrix),
}

impl Dataset {
    /// The classes, or an error if the target is something else.
    pub fn labels(&self) -> Result<&Labels> {
        match &self.target {
            Target::Classes(labels) => Ok(labels),
            _ => Err(no_such_target("classes", &self.target)),
        }
    }

    /// The numbers, or an error if the target is something else.
    pub fn values(&self) -> Result<&Matrix> {
        match &self.target {
            Target::Numbers(values) => Ok(values),
            _ => Err(no_such_target("numbers", &self.target)),
        }
    }
}

fn no_such_target(wanted: &str, target: &Target) -> Error {
    let got = match target {
        Target::None => "nothing; say which column is the target",
        Target::Classes(_) => "classes",
        Target::Numbers(_) => "numbers",
    };
    Error::Param { name: "target", rule: wanted.to_string(), got: got.to_string() }
}
