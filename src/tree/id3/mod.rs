//! Trees of nominal columns that split by all categories at once (Quinlan, "Induction of decision trees", 1986).

mod grow;
mod model;
mod nominal_tree;

pub use model::Id3ClassifierModel;
pub(crate) use model::category_name;
pub use nominal_tree::{NominalNode, NominalTree};

use super::{check_classes, likeliest, rows_to_learn};
use crate::array::{MAX_CATEGORIES, Matrix};
use crate::data::Labels;
use crate::error::{Error, Result};
use crate::estimator::{Abilities, Estimator, Fit, Rows, parameters};

const OP: &str = "Id3Classifier";

parameters! {
    /// ID3: a decision tree classifier whose columns are categories, such as colours, each a code 0, 1, 2, …
    ///
    /// A node splits its rows by the column of the largest information gain, a branch for each category: the entropy of
    /// the classes less that within the categories, in bits.
    ///
    /// ```
    /// use gristmill::prelude::*;
    /// use gristmill::tree::Id3Classifier;
    /// let days = datasets::play_tennis()?;
    /// let model = Id3Classifier::default().fit(&days.x, days.labels()?)?;
    /// let root = &model.tree().nodes()[0];
    /// assert_eq!(root.column, Some(0)); // the outlook
    /// assert!((root.gain - 0.247).abs() < 5e-4);
    /// let text = model.to_text(&days.categories());
    /// assert!(text.starts_with("outlook? (0.247 bits)\n├─ Overcast: Yes (1.000)  [4 rows]\n├─ Rain: wind? (0.971 bits)"));
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    ///
    /// # What to expect
    /// - All columns are taken as categories; a number that is no code is an error. [`Dataset`](crate::Dataset) and the
    ///   command line make codes of columns of text.
    /// - Of equally good columns the lowest wins. A node of several classes is split even by a column that gains
    ///   nothing, as long as one has two categories there.
    /// - At a category that a node has not seen, or a missing one (NaN), the prediction is the node's own: its
    ///   commonest class. Rows without a category are left out of a split by that column, and its gain counts
    ///   for the others alone.
    /// - Columns of many categories have a large gain by chance; a column of row numbers would have the largest of all.
    /// - The same bits on any number of threads. Costs n·d steps a level of the tree.
    pub struct Id3Classifier: classifier("id3-classifier") -> Id3ClassifierModel;
    about "a decision tree over text columns, with a branch for each category (ID3)";
    {
        /// Maximum depth: splits on the way to a leaf; none: no limit.
        max_depth: Option<usize> = None;
        /// Minimum number of rows of a node that is split.
        min_samples_split: usize = 2, at_least(2.0);
        /// Minimum information gain of a split, in bits.
        min_gain: f64 = 0.0, at_least(0.0);
    }
}

impl Estimator for Id3Classifier {
    fn abilities(&self) -> Abilities {
        Abilities { missing: true, categories: true, ..Abilities::default() }
    }

    /// With sample weights. Rows of weight 0 are as good as absent.
    fn fit_rows(&self, x: Rows<'_>, y: &Labels, options: Fit<'_>) -> Result<Id3ClassifierModel> {
        let (x, _) = rows_to_learn(OP, x)?;
        check_classes(OP, &x, y)?;
        check_codes(&x)?;
        let weights = options.weights(OP, x.rows())?;
        let tree = grow::grow(self, &x, y, weights);
        Ok(Id3ClassifierModel::new(self.clone().into(), y.with_codes(vec![])?, tree, &x))
    }
}

/// Refuses numbers that are no codes.
fn check_codes(x: &Matrix) -> Result<()> {
    let most = MAX_CATEGORIES as f32;
    let code = |value: f32| value.is_nan() || (0.0..most).contains(&value) && value.fract() == 0.0;
    match x.as_slice().iter().position(|value| !code(*value)) {
        None => Ok(()),
        Some(at) => {
            let (row, column) = (at / x.columns(), at % x.columns());
            let name = x.names().map_or_else(|| (column + 1).to_string(), |names| names[column].clone());
            let expected = "codes of categories: 0, 1, 2, … (numbers can be put into a few classes first)".to_string();
            Err(Error::shape(OP, expected, format!("{} in row {row}, column {name}", x.as_slice()[at])))
        }
    }
}
