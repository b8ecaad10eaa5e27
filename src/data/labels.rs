//! Class targets.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::error::{Error, Result};

/// The classes of rows: a code for each row, from 0, and the name of each class.
///
/// ```
/// use gristmill::Labels;
/// let y = Labels::from_names(&["rose", "lily", "rose"]);
/// assert_eq!(y.codes(), [1, 0, 1]);
/// assert_eq!(y.names(), ["lily", "rose"]);
/// let digits = Labels::from(&[7_u32, 3, 7][..]); // the names are the numbers, in their order
/// assert_eq!((digits.codes(), digits.name(0)), (&[1, 0, 1][..], "7"));
/// ```
#[derive(Debug, Clone)]
pub struct Labels {
    codes: Vec<u32>,
    names: Arc<Vec<String>>,
}

impl Labels {
    /// Labels from names; the classes are the distinct names in alphabetical order.
    pub fn from_names<S: AsRef<str>>(names: &[S]) -> Labels {
        Labels::from_sorted(names.iter().map(AsRef::as_ref))
    }

    /// Labels from codes into a list of names; a code without a name is an error.
    pub fn from_codes(codes: Vec<u32>, names: Vec<String>) -> Result<Labels> {
        Labels { codes: vec![], names: Arc::new(names) }.with_codes(codes)
    }

    /// Other rows with the same classes.
    pub fn with_codes(&self, codes: Vec<u32>) -> Result<Labels> {
        if let Some(&code) = codes.iter().find(|code| **code as usize >= self.names.len()) {
            return Err(Error::param("codes", format!("below the number of classes, {}", self.names.len()), code));
        }
        Ok(Labels { codes, names: self.names.clone() })
    }

    /// The rows at these indices, with the same classes.
    pub fn select(&self, rows: &[usize]) -> Result<Labels> {
        let code = |&row: &usize| {
            let (expected, got) = (format!("rows below {}", self.len()), format!("row {row}"));
            self.codes.get(row).copied().ok_or(Error::shape("Labels::select", expected, got))
        };
        Ok(Labels { codes: rows.iter().map(code).collect::<Result<_>>()?, names: self.names.clone() })
    }

    /// The code of each row.
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// The names of the classes, by code.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The name of a row's class.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn name(&self, row: usize) -> &str {
        &self.names[self.codes[row] as usize]
    }

    /// Number of rows, n.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// Number of classes, k: those that have a name, even if no row has that class.
    pub fn classes(&self) -> usize {
        self.names.len()
    }

    /// Rows of each class.
    pub fn counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.classes()];
        self.codes.iter().for_each(|code| counts[*code as usize] += 1);
        counts
    }

    /// The classes are the distinct values, in their order.
    fn from_sorted<T: Ord + ToString>(values: impl Iterator<Item = T> + Clone) -> Labels {
        let distinct: BTreeMap<T, u32> = values.clone().map(|value| (value, 0)).collect();
        let names = distinct.keys().map(T::to_string).collect();
        let order: BTreeMap<T, u32> = distinct.into_keys().zip(0..).collect();
        Labels { codes: values.map(|value| order[&value]).collect(), names: Arc::new(names) }
    }
}

/// Equal when every row has a class of the same name, whatever the codes.
impl PartialEq for Labels {
    fn eq(&self, other: &Labels) -> bool {
        if self.names == other.names {
            return self.codes == other.codes;
        }
        self.len() == other.len() && (0..self.len()).all(|row| self.name(row) == other.name(row))
    }
}

/// The classes are the distinct numbers, in their order.
impl From<&[u32]> for Labels {
    fn from(values: &[u32]) -> Labels {
        Labels::from_sorted(values.iter().copied())
    }
}

/// The classes are the distinct numbers, in their order.
impl From<&[i64]> for Labels {
    fn from(values: &[i64]) -> Labels {
        Labels::from_sorted(values.iter().copied())
    }
}

impl From<&[&str]> for Labels {
    fn from(names: &[&str]) -> Labels {
        Labels::from_names(names)
    }
}
