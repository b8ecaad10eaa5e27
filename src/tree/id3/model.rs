//! A fitted ID3 tree.

use serde::{Deserialize, Serialize};

use super::nominal_tree::NominalTree;
use super::{Id3Classifier, OP, likeliest};
use crate::array::Matrix;
use crate::data::Labels;
use crate::error::{Error, Result};
use crate::estimator::{
    FitReport, FittedWith, InputColumns, Model, Observer, PictureInput, Predict, PredictProba, Prediction, Rows, Save,
};
use crate::model_file::Container;
use crate::plot::Figure;
use crate::tree::model::draw_lines;

/// A fitted tree of categories.
#[derive(Debug, Clone)]
pub struct Id3ClassifierModel {
    pub(super) params: FittedWith<Id3Classifier>,
    /// The classes; no rows.
    classes: Labels,
    tree: NominalTree,
    columns: usize,
    names: Option<Vec<String>>,
}

impl Id3ClassifierModel {
    pub(super) fn new(
        params: FittedWith<Id3Classifier>,
        classes: Labels,
        tree: NominalTree,
        x: &Matrix,
    ) -> Id3ClassifierModel {
        Id3ClassifierModel { params, classes, tree, columns: x.columns(), names: x.names().map(<[String]>::to_vec) }
    }

    /// The tree.
    pub fn tree(&self) -> &NominalTree {
        &self.tree
    }

    /// The classes, by code.
    pub fn classes(&self) -> &[String] {
        self.classes.names()
    }

    /// The names of the columns, if they had any.
    pub fn column_names(&self) -> Option<&[String]> {
        self.names.as_deref()
    }

    /// The information that each column gave, by the weight of the nodes it splits: shares with the sum 1, or zeros.
    pub fn feature_importances(&self) -> Vec<f64> {
        let mut gains = vec![0.0; self.columns];
        for node in self.tree.nodes() {
            if let Some(column) = node.column {
                gains[column as usize] += node.weight * node.gain;
            }
        }
        let total: f64 = gains.iter().sum();
        if total > 0.0 {
            gains.iter_mut().for_each(|gain| *gain /= total);
        }
        gains
    }

    /// The tree as lines of text. `categories` has the names of each column's categories, by code, as a
    /// [`Dataset`](crate::Dataset) does; codes that have none are written as numbers.
    pub fn to_text(&self, categories: &[Option<Vec<String>>]) -> String {
        self.text_with(&[], categories)
    }

    /// The same with names for columns that have none of their own.
    fn text_with(&self, columns: &[String], categories: &[Option<Vec<String>>]) -> String {
        draw_lines(|number| {
            let node = &self.tree.nodes()[number as usize];
            let label = match node.column {
                None => format!("{}  [{} rows]", self.answer(number), node.count),
                Some(column) => format!("{}? ({:.3} bits)", self.column_name(column, columns), node.gain),
            };
            let name = |(category, child)| (category_name(categories, node.column, category), child);
            (label, node.children().map(name).collect())
        })
    }

    /// The name of a column: its own, that in `columns`, or its number.
    pub(crate) fn column_name(&self, column: u32, columns: &[String]) -> String {
        let name = self.names.as_deref().unwrap_or(columns).get(column as usize).cloned();
        name.unwrap_or_else(|| format!("feature {column}"))
    }

    /// The commonest class of a node and its share.
    pub(crate) fn answer(&self, node: u32) -> String {
        let class = self.commonest(node);
        format!("{} ({:.3})", self.classes.names()[class], self.tree.probabilities(node)[class])
    }

    /// The code of the commonest class of a node; the lowest of equals.
    pub(crate) fn commonest(&self, node: u32) -> usize {
        likeliest(self.tree.probabilities(node), self.classes.classes())[0] as usize
    }

    /// The nodes where rows end.
    fn ends(&self, x: Rows<'_>) -> Result<Vec<u32>> {
        let x = x.on_host()?;
        if x.columns() != self.columns {
            let expected = format!("{} columns, as in the data that was fitted", self.columns);
            return Err(Error::shape(OP, expected, format!("{} columns", x.columns())));
        }
        Ok((0..x.rows()).map(|row| self.tree.node_of(x.row(row))).collect())
    }
}

/// The name of a category, or its code.
pub(crate) fn category_name(categories: &[Option<Vec<String>>], column: Option<u32>, category: u32) -> String {
    let names = column.and_then(|column| categories.get(column as usize)).and_then(Option::as_ref);
    names.and_then(|names| names.get(category as usize)).cloned().unwrap_or_else(|| category.to_string())
}

impl Predict for Id3ClassifierModel {
    type Output = Labels;
}

impl PredictProba for Id3ClassifierModel {}

impl Model for Id3ClassifierModel {
    /// The commonest class where each row ends; the lowest of equally common ones.
    fn predict_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<Prediction> {
        let codes = self.ends(x)?.into_iter().map(|node| self.commonest(node) as u32).collect();
        Ok(self.classes.with_codes(codes)?.into())
    }

    /// The share of each class where each row ends, by weight, n×k, smoothed
    /// ([`NominalTree::smoothed_probabilities`]).
    fn predict_proba_rows(&self, x: Rows<'_>) -> Result<Option<Matrix>> {
        let (ends, classes) = (self.ends(x)?, self.classes.classes());
        let smoothed = self.tree.smoothed_probabilities();
        let of_node = |node: &u32| &smoothed[*node as usize * classes..][..classes];
        Matrix::from_vec(ends.len(), classes, ends.iter().flat_map(of_node).map(|own| *own as f32).collect()).map(Some)
    }

    fn classes(&self) -> &[String] {
        self.classes.names()
    }

    fn report(&self) -> FitReport {
        FitReport::default().with_row("importances", self.feature_importances())
    }

    fn text(&self, columns: &InputColumns) -> Option<String> {
        Some(self.text_with(&columns.names, &columns.categories))
    }

    fn figures(&self, input: &PictureInput<'_>) -> Result<Vec<Figure>> {
        Ok(crate::tree::pictures::nominal_figures(self, input))
    }
}

#[derive(Serialize, Deserialize, PartialEq)]
struct Fitted {
    columns: usize,
}

impl Save for Id3ClassifierModel {
    type Estimator = Id3Classifier;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        container.set_fitted(&Fitted { columns: self.columns })?;
        container.insert_strings("class_names", self.classes.names())?;
        if let Some(names) = &self.names {
            container.insert_strings("column_names", names)?;
        }
        self.tree.store(container)
    }

    fn load_fitted(params: FittedWith<Id3Classifier>, container: &mut Container) -> Result<Id3ClassifierModel> {
        let Fitted { columns } = container.fitted()?;
        let classes = container.take_strings("class_names")?;
        let names = match container.contains("column_names.ends") {
            true => Some(container.take_strings("column_names")?),
            false => None,
        };
        if names.as_ref().is_some_and(|names| names.len() != columns) || classes.is_empty() {
            return Err(container.refuse(format!("there are no classes, or not {columns} names of columns")));
        }
        let tree = NominalTree::restore(container, columns, classes.len())?;
        let classes = Labels::from_codes(vec![], classes)?;
        Ok(Id3ClassifierModel { params, classes, tree, columns, names })
    }
}
