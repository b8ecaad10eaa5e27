//! Which columns a transformer works on.

use serde::{Deserialize, Serialize};

use crate::array::Matrix;
use crate::error::{Error, Result};

/// Columns by name, or by number from 0; or those that the transformer chooses by itself.
///
/// ```
/// use gristmill::preprocessing::{Columns, OneHotEncoder};
/// let encoder = OneHotEncoder::default().columns(["colour", "3"]);
/// assert_eq!(encoder.columns, Columns::from(vec!["colour", "3"]));
/// assert_eq!(OneHotEncoder::default().columns, Columns::chosen());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Columns(Option<Vec<String>>);

impl Columns {
    /// Those that the transformer chooses.
    pub const fn chosen() -> Columns {
        Columns(None)
    }

    /// Whether the transformer chooses.
    pub(super) fn are_chosen(&self) -> bool {
        self.0.is_none()
    }

    /// The numbers of the columns of `x` that are named, in the order they are named; nothing where the transformer
    /// chooses.
    pub(super) fn find(&self, x: &Matrix) -> Result<Option<Vec<usize>>> {
        let one = |column: &String| {
            let by_name = x.names().and_then(|names| names.iter().position(|name| name == column));
            let by_number = || column.parse().ok().filter(|number| *number < x.columns());
            by_name.or_else(by_number).ok_or_else(|| {
                Error::param("columns", format!("names of columns or numbers below {}", x.columns()), column.clone())
            })
        };
        self.0.as_ref().map(|names| names.iter().map(one).collect()).transpose()
    }
}

impl<S: Into<String>> From<Vec<S>> for Columns {
    fn from(columns: Vec<S>) -> Columns {
        Columns(Some(columns.into_iter().map(Into::into).collect()))
    }
}

impl<S: Into<String>, const N: usize> From<[S; N]> for Columns {
    fn from(columns: [S; N]) -> Columns {
        Columns(Some(columns.into_iter().map(Into::into).collect()))
    }
}
