//! Some of the columns.

use super::columns::Columns;
use super::table::{codes_to_fit, to_transform};
use crate::error::{Error, Result};
use crate::estimator::{Abilities, Estimator, Fit, InputColumns, Model, OwnedRows, Rows, Save, Transform, parameters};
use crate::model_file::Container;

const OP: &str = "ColumnSelector";

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
        options.refuse_weights(OP)?;
        let x = codes_to_fit(OP, x)?;
        let named =
            self.columns.find(&x)?.unwrap_or_else(|| if self.drop { vec![] } else { (0..x.columns()).collect() });
        let selected: Vec<usize> = match self.drop {
            true => (0..x.columns()).filter(|column| !named.contains(column)).collect(),
            false => named,
        };
        if selected.is_empty() {
            let rule = "such that a column is left at least".to_string();
            return Err(Error::Param { name: "columns", rule, got: "none".to_string() });
        }
        Ok(ColumnSelectorModel { params: self.clone(), columns: x.columns(), selected })
    }
}

/// The columns that [`ColumnSelector`] keeps.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnSelectorModel {
    params: ColumnSelector,
    columns: usize,
    selected: Vec<usize>,
}

impl ColumnSelectorModel {
    /// The numbers of the columns that are kept, in their new order.
    pub fn selected(&self) -> &[usize] {
        &self.selected
    }
}

impl Transform for ColumnSelectorModel {}

impl Model for ColumnSelectorModel {
    fn transform_rows(&self, x: Rows<'_>) -> Result<OwnedRows> {
        OwnedRows::beside(x, to_transform(OP, x, self.columns)?.select_columns(&self.selected)?)
    }

    fn transformed_columns(&self, input: &InputColumns) -> Option<InputColumns> {
        Some(input.select(&self.selected))
    }
}

impl Save for ColumnSelectorModel {
    type Estimator = ColumnSelector;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.insert("columns", &[1], vec![self.columns as u64])?;
        container.insert("selected", &[self.selected.len()], self.selected.iter().map(|at| *at as u64).collect())
    }

    fn load_fitted(params: ColumnSelector, container: &mut Container) -> Result<ColumnSelectorModel> {
        let columns = container.take::<u64>("columns", &[1])?[0];
        let [count] = container.shape("selected")?;
        let selected: Vec<u64> = container.take("selected", &[count])?;
        if selected.is_empty() || selected.iter().any(|column| *column >= columns) {
            return Err(container.refuse(format!("a selected column is not among {columns}")));
        }
        let selected = selected.into_iter().map(|column| column as usize).collect();
        Ok(ColumnSelectorModel { params, columns: columns as usize, selected })
    }
}
