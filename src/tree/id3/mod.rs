//! Trees of nominal columns that divide by all levels at once (Quinlan, "Induction of decision trees", 1986).

mod grow;
mod model;
mod nominal_tree;

use serde::{Deserialize, Serialize};

pub use model::Id3ClassifierModel;
pub(crate) use model::category_name;
pub use nominal_tree::{NominalNode, NominalTree};

use super::parameters::at_least;
use super::{check_classes, likeliest, rows_to_learn};
use crate::array::{MAX_CATEGORIES, Matrix};
use crate::data::Labels;
use crate::error::{Error, Result};
use crate::estimator::{Estimator, Fit, Rows, Task};

const OP: &str = "Id3Classifier";

/// ID3: a tree for classes whose columns are levels, such as colours, each written as a code 0, 1, 2, …
///
/// A node divides its rows by the column that tells most about the class, a branch for each level; it tells the entropy
/// of the classes less that within the levels, in bits.
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
/// - All columns are taken as levels; a number that is no code is an error. [`Dataset`](crate::Dataset) and the command
///   line make codes of columns of text.
/// - Of equally good columns the lowest wins. A node of several classes is divided even by a column that tells nothing,
///   as long as one has two levels there.
/// - At a level that a node has not seen, or a missing one (NaN), the answer is the node's own: its commonest class.
///   Rows without a level are left out where the column is asked for, and its gain counts for the others alone.
/// - Columns of many levels look better than they are; a number of the row would be the best of all.
/// - The same bits on any number of threads. Costs n·d steps a level of the tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Id3Classifier {
    /// Divisions on the way to a leaf at most; 0 leaves one leaf. Default: no limit.
    pub max_depth: Option<usize>,
    /// Rows of a node that is divided, at least; 2 or more. Default 2.
    pub min_samples_split: usize,
    /// The least information gain of a division, in bits. Default 0.
    pub min_gain: f64,
}

impl Default for Id3Classifier {
    fn default() -> Id3Classifier {
        Id3Classifier { max_depth: None, min_samples_split: 2, min_gain: 0.0 }
    }
}

impl Id3Classifier {
    /// Sets the largest depth.
    pub fn max_depth(mut self, max_depth: usize) -> Id3Classifier {
        self.max_depth = Some(max_depth);
        self
    }

    /// Sets the least rows of a node that is divided.
    pub fn min_samples_split(mut self, min_samples_split: usize) -> Id3Classifier {
        self.min_samples_split = min_samples_split;
        self
    }

    /// Sets the least gain of a division, in bits.
    pub fn min_gain(mut self, min_gain: f64) -> Id3Classifier {
        self.min_gain = min_gain;
        self
    }

    /// Grows the tree of the rows of `x` (n×d codes, NaN is missing) with their classes.
    pub fn fit<'a>(&self, x: impl Into<Rows<'a>>, y: &Labels) -> Result<Id3ClassifierModel> {
        self.fit_with(x, y, Fit::default())
    }

    /// The same with sample weights. Rows of weight 0 are as good as absent.
    pub fn fit_with<'a>(&self, x: impl Into<Rows<'a>>, y: &Labels, options: Fit<'_>) -> Result<Id3ClassifierModel> {
        let (x, _) = rows_to_learn(OP, x.into())?;
        check_classes(OP, &x, y)?;
        check_codes(&x)?;
        at_least("min_samples_split", self.min_samples_split, 2)?;
        if !(self.min_gain >= 0.0 && self.min_gain.is_finite()) {
            let rule = "a finite number of at least 0".to_string();
            return Err(Error::Param { name: "min_gain", rule, got: self.min_gain.to_string() });
        }
        let weights = options.weights(OP, x.rows())?;
        let tree = grow::grow(self, &x, y, weights);
        Ok(Id3ClassifierModel::new(self.clone(), y.with_codes(vec![])?, tree, &x))
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
            let expected = "codes of levels: 0, 1, 2, … (numbers can be put into a few classes first)".to_string();
            Err(Error::Shape { op: OP, expected, got: format!("{} in row {row}, column {name}", x.as_slice()[at]) })
        }
    }
}

impl crate::estimator::Parameters for Id3Classifier {
    type Model = Id3ClassifierModel;
    type Target<'a> = &'a crate::data::Labels;
    const NAME: &'static str = "id3-classifier";
    const ABOUT: &'static str = "a tree of levels, such as colours, that divides by all of a column at once (ID3)";
    const PARAMETERS: &'static [crate::estimator::Parameter] = &[
        crate::estimator::Parameter {
            name: "max_depth",
            help: "divisions on the way to a leaf at most; null: no limit",
        },
        crate::estimator::Parameter { name: "min_samples_split", help: "rows of a node that is divided, at least" },
        crate::estimator::Parameter { name: "min_gain", help: "the least information gain of a division, in bits" },
    ];
    const TASK: Task = Task::Classification;
}

impl Estimator for Id3Classifier {
    fn abilities(&self) -> crate::estimator::Abilities {
        crate::estimator::Abilities { missing: true, categories: true, ..Default::default() }
    }

    fn fit_rows(&self, x: Rows<'_>, target: Self::Target<'_>, options: Fit<'_>) -> Result<Id3ClassifierModel> {
        self.fit_with(x, target, options)
    }
}
