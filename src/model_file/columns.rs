//! What a model remembers of the columns that it was fitted on.

use super::container::{BELIEVED, Container};
use crate::array::{ColumnInfo, ColumnKind};
use crate::error::Result;

/// The columns that a model was fitted on: their names, if they had any, which of them are categorical, and the names of
/// their categories. What is predicted is held against them.
#[derive(Debug, Clone, Default)]
pub struct FittedColumns {
    pub(crate) count: usize,
    pub(crate) info: ColumnInfo,
    pub(crate) unseen: Unseen,
}

/// The same is known: a file says how many columns there are only where it is needed.
impl PartialEq for FittedColumns {
    fn eq(&self, other: &FittedColumns) -> bool {
        self.info == other.info
    }
}

/// What becomes of a category that was not fitted.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) enum Unseen {
    /// It gets a code of its own behind those that were fitted; the model decides.
    #[default]
    NewCode,
    /// It is missing.
    Missing,
    /// It is an error.
    Refused,
}

impl FittedColumns {
    pub(crate) fn new(count: usize, info: &ColumnInfo) -> FittedColumns {
        FittedColumns { count, info: info.clone(), unseen: Unseen::NewCode }
    }

    /// The names of the columns, if they had any.
    pub fn names(&self) -> Option<&[String]> {
        self.info.names()
    }

    /// Whether a column is categorical.
    pub fn is_categorical(&self, column: usize) -> bool {
        self.info.is_categorical(column)
    }

    /// The names of a column's categories, by code, if it is categorical and they are known.
    pub fn categories(&self, column: usize) -> Option<&[String]> {
        self.info.categories(column)
    }
}

/// The tensors that hold them; the first for columns of which nothing else is known.
const COLUMNS: &str = "input.columns";
const NAMES: &str = "input.names";
const COUNTS: &str = "input.categories.counts";
const CATEGORIES: &str = "input.categories.names";

impl Container {
    /// Puts in what is known of the columns that were fitted.
    pub fn set_columns(&mut self, columns: &FittedColumns) -> Result<()> {
        match columns.names() {
            Some(names) => self.insert_strings(NAMES, names)?,
            // A byte each, which bears out that there are so many.
            None if columns.info.kinds().is_none() && columns.count > BELIEVED => {
                self.insert(COLUMNS, &[columns.count], vec![0_u8; columns.count])?;
            }
            None => {}
        }
        let Some(kinds) = columns.info.kinds() else { return Ok(()) };
        // 0 for numbers, else one more than there are names.
        let counts = kinds.iter().map(|kind| match kind {
            ColumnKind::Number => 0,
            ColumnKind::Category(names) => 1 + names.as_ref().map_or(0, |names| names.len() as u64),
        });
        self.insert(COUNTS, &[kinds.len()], counts.collect::<Vec<u64>>())?;
        let names: Vec<&String> = kinds.iter().filter_map(ColumnKind::categories).flatten().collect();
        self.insert_strings(CATEGORIES, &names)
    }

    /// Takes it out again; a file without it knows nothing of its columns.
    pub fn take_columns(&mut self) -> Result<FittedColumns> {
        let names = match self.contains(&format!("{NAMES}.ends")) {
            true => Some(self.take_strings(NAMES)?),
            false => None,
        };
        let mut count = names.as_ref().map_or(0, Vec::len);
        if names.is_none() && self.contains(COLUMNS) {
            [count] = self.shape(COLUMNS)?;
            self.take::<u8>(COLUMNS, &[count])?;
        }
        let mut kinds = vec![];
        if self.contains(COUNTS) {
            let [columns] = self.shape(COUNTS)?;
            let counts: Vec<u64> = self.take(COUNTS, &[columns])?;
            count = columns;
            let categories = self.take_strings(CATEGORIES)?;
            let unfit = || self.refuse("the categories of its columns do not fit together");
            let mut rest = categories.as_slice();
            for count in counts {
                let (own, behind) = match count.checked_sub(1) {
                    None => (ColumnKind::Number, rest),
                    Some(0) => (ColumnKind::Category(None), rest),
                    Some(count) => {
                        let count = usize::try_from(count).map_err(|_| unfit())?;
                        let (own, behind) = rest.split_at_checked(count).ok_or_else(unfit)?;
                        (ColumnKind::Category(Some(std::sync::Arc::new(own.to_vec()))), behind)
                    }
                };
                kinds.push(own);
                rest = behind;
            }
            if !rest.is_empty() || names.as_ref().is_some_and(|names| names.len() != columns) {
                return Err(unfit());
            }
        }
        Ok(FittedColumns::new(count, &ColumnInfo::of_kinds(names, kinds)))
    }
}
