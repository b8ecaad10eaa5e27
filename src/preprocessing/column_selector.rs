//! Some of the columns.

use super::columns::Columns;
use super::table::{restore_columns, store_columns};
use super::transformer::{Transformer, to_fit, to_transform};
use crate::array::Matrix;
use crate::error::{Error, Result};
use crate::estimator::{Abilities, Estimator, Fit, FittedWith, OwnedRows, Rows, Save, parameters};
use crate::model_file::Container;

parameters! {
    /// Keeps some columns, in the order they are named, or leaves them out. Categorical columns stay categorical.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// use gristmill::preprocessing::ColumnSelector;
    /// let x = Matrix::from_rows(&[[1.0, 2.0, 3.0]])?.with_names(["a", "b", "c"])?;
    /// let kept = ColumnSelector::default().columns(["c", "a"]).fit(&x)?.transform(&x)?;
    /// assert_eq!(kept.as_slice(), [3.0, 1.0]);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub struct ColumnSelector: transformer("column-selector") -> ColumnSelectorModel;
    about "keeps or drops some columns";
    {
        /// The columns, by name or by number from 0; none: all.
        #[into]
        columns: Columns = Columns::chosen();
        /// Whether to drop these columns instead of keeping them.
        drop: bool = false;
    }
}

impl Estimator for ColumnSelector {
    fn abilities(&self) -> Abilities {
        Abilities { missing: true, categories: true, ..Abilities::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, _: (), options: Fit<'_>) -> Result<ColumnSelectorModel> {
        let x = to_fit(self, x, &options)?;
        let named =
            self.columns.find(&x)?.unwrap_or_else(|| if self.drop { vec![] } else { (0..x.columns()).collect() });
        let selected: Vec<usize> = match self.drop {
            true => (0..x.columns()).filter(|column| !named.contains(column)).collect(),
            false => named,
        };
        if selected.is_empty() {
            return Err(Error::param("columns", "such that a column is left at least", "none"));
        }
        Ok(ColumnSelectorModel { params: self.clone().into(), columns: x.columns(), selected })
    }
}

/// The columns that [`ColumnSelector`] keeps.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnSelectorModel {
    params: FittedWith<ColumnSelector>,
    columns: usize,
    selected: Vec<usize>,
}

impl ColumnSelectorModel {
    /// The numbers of the columns that are kept, in their new order.
    pub fn selected(&self) -> &[usize] {
        &self.selected
    }
}

impl Transformer for ColumnSelectorModel {
    fn columns(&self) -> usize {
        self.columns
    }

    fn new_columns(&self, names: Vec<String>) -> Vec<(String, Option<usize>)> {
        self.selected.iter().map(|column| (names[*column].clone(), Some(*column))).collect()
    }

    fn transform_matrix(&self, x: &Matrix) -> Result<Matrix> {
        x.select_columns(&self.selected)
    }

    /// Without names where a column is selected twice.
    fn transform_there(&self, x: Rows<'_>) -> Result<OwnedRows> {
        OwnedRows::beside(x, self.transform_matrix(&to_transform(self, x)?)?)
    }
}

impl Save for ColumnSelectorModel {
    type Estimator = ColumnSelector;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        store_columns(container, self.columns)?;
        container.insert_list("selected", &self.selected.iter().map(|at| *at as u64).collect::<Vec<u64>>())
    }

    fn load_fitted(params: FittedWith<ColumnSelector>, container: &mut Container) -> Result<ColumnSelectorModel> {
        let columns = restore_columns(container)?;
        let selected: Vec<u64> = container.take_list("selected")?;
        if selected.is_empty() || selected.iter().any(|column| *column >= columns as u64) {
            return Err(container.refuse(format!("a selected column is not among {columns}")));
        }
        let selected = selected.into_iter().map(|column| column as usize).collect();
        Ok(ColumnSelectorModel { params, columns, selected })
    }
}
