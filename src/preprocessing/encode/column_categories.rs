//! The categories of one categorical column.

use crate::cpu::sort::numbers::sort_numbers;
use crate::error::{Error, Result};
use crate::model_file::Container;

/// The values that a column takes, ascending and all different, with their names.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ColumnCategories {
    pub(super) values: Vec<f32>,
    pub(super) names: Vec<String>,
}

impl ColumnCategories {
    /// The categories with these names, coded 0, 1, 2, …; without names, the values that occur, named as numbers.
    pub(super) fn of(names: Option<&[String]>, mut values: Vec<f32>) -> ColumnCategories {
        if let Some(names) = names {
            let values = (0..names.len()).map(|code| code as f32).collect();
            return ColumnCategories { values, names: names.to_vec() };
        }
        // Zero has two signs and one category.
        values.iter_mut().for_each(|value| *value += 0.0);
        sort_numbers(&mut values);
        values.dedup();
        let names = values.iter().map(f32::to_string).collect();
        ColumnCategories { values, names }
    }

    /// The number of the category that `value` is.
    pub(super) fn find(&self, value: f32) -> Option<usize> {
        // Codes are their own numbers; anything else is searched.
        let guess = value as usize;
        if self.values.get(guess) == Some(&value) {
            return Some(guess);
        }
        self.values.binary_search_by(|category| category.total_cmp(&(value + 0.0))).ok()
    }

    /// The error of a value that is none of the categories.
    pub(super) fn unknown(&self, value: f32, row: usize, column: usize) -> Error {
        let (column, value) = (column.to_string(), value.to_string());
        Error::Category { row, column, value, known: self.names.clone() }
    }
}

/// The names of the categories of each column; none for one that is not encoded.
pub(super) fn category_names(columns: &[Option<ColumnCategories>]) -> Vec<Option<&[String]>> {
    columns.iter().map(|own| own.as_ref().map(|own| own.names.as_slice())).collect()
}

/// Puts the categories of all columns into a container; a column without categories is not encoded.
pub(super) fn store_categories(container: &mut Container, columns: &[Option<ColumnCategories>]) -> Result<()> {
    let counts: Vec<u64> = columns.iter().map(|own| own.as_ref().map_or(0, |own| own.values.len() as u64)).collect();
    let values: Vec<f32> = columns.iter().flatten().flat_map(|categories| categories.values.iter().copied()).collect();
    let names: Vec<&String> = columns.iter().flatten().flat_map(|categories| &categories.names).collect();
    container.insert_list("categories.counts", &counts)?;
    container.insert_list("categories.values", &values)?;
    container.insert_strings("categories.names", &names)
}

/// Takes them out again.
pub(super) fn restore_categories(container: &mut Container) -> Result<Vec<Option<ColumnCategories>>> {
    let counts: Vec<u64> = container.take_list("categories.counts")?;
    let values: Vec<f32> = container.take_list("categories.values")?;
    let names = container.take_strings("categories.names")?;
    let unfit = || container.refuse("the categories do not fit together");
    let (mut values, mut names) = (values.as_slice(), names.as_slice());
    let mut categories = Vec::with_capacity(counts.len());
    for count in counts {
        let count = usize::try_from(count).map_err(|_| unfit())?;
        let (head, behind) = values.split_at_checked(count).ok_or_else(unfit)?;
        let (head_names, names_behind) = names.split_at_checked(count).ok_or_else(unfit)?;
        if !head.is_sorted_by(|left, right| left < right) {
            return Err(unfit());
        }
        categories.push((count > 0).then(|| ColumnCategories { values: head.to_vec(), names: head_names.to_vec() }));
        (values, names) = (behind, names_behind);
    }
    if values.is_empty() && names.is_empty() && !categories.is_empty() { Ok(categories) } else { Err(unfit()) }
}
