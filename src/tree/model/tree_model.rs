//! A fitted tree or forest, of classes or numbers.

use serde::{Deserialize, Deserializer, Serialize};

use super::text::draw;
use super::tree::Tree;
use super::trees::{Trees, likeliest, to_matrix};
use crate::array::Matrix;
use crate::data::Labels;
use crate::error::Result;
use crate::estimator::{
    Declared, Estimator, FitReport, FittedWith, InputColumns, Model, Observer, PictureInput, Predict, PredictProba,
    Predicted, Prediction, Queries, Rows, Save,
};
use crate::model_file::{Container, TargetShift, add_to_expected};
use crate::plot::Figure;
use crate::tree::pictures;

/// An estimator that fits one tree or many.
#[doc(hidden)]
pub trait TreeEstimator: Estimator<Model = TreeModel<Self>> + Declared {
    /// What the trees predict: `Labels` or a `Matrix` of numbers.
    type Output: Predicted;

    /// Whether there may be many trees, and rows out of their bags.
    const IS_FOREST: bool;
}

/// An estimator that fits one tree.
#[doc(hidden)]
pub trait SingleTree: TreeEstimator {}

/// A fitted tree, or fitted trees whose mean is the prediction. Those of classes have the probabilities of the classes
/// as the values of their nodes; those of numbers the means of the targets, or their medians by
/// [`AbsoluteError`](crate::tree::RegressionCriterion::AbsoluteError).
#[derive(Debug, Clone)]
pub struct TreeModel<E> {
    pub(crate) params: FittedWith<E>,
    pub(crate) trees: Trees,
    /// What the trees that did not draw a row predict for it.
    pub(crate) out_of_bag: Option<Matrix>,
    pub(crate) oob_score: Option<f64>,
}

impl<E: TreeEstimator> TreeModel<E> {
    /// The names of the columns, if they had any.
    pub fn column_names(&self) -> Option<&[String]> {
        self.trees.names()
    }

    /// How much each column reduced the impurity or the criterion, the mean over the trees: shares with the sum 1, or
    /// zeros where nothing was gained.
    pub fn feature_importances(&self) -> Vec<f64> {
        self.trees.importances()
    }

    /// The leaf of each row of `x` in each tree, by its number in [`Tree::nodes`], n×trees.
    pub fn apply<'a>(&self, x: impl Into<Queries<'a>>) -> Result<Vec<u32>> {
        let x = self.params.align(x)?;
        let x = self.trees.queries(E::TYPE, x.rows())?;
        self.trees.leaves(&x)
    }

    /// How much each feature moves what is predicted for each row away from what is expected of any: a matrix n×(d + 1)
    /// for the probability of each class, or for each target, with the expected one in the last column; a row of it
    /// adds up to the probability, or to the prediction.
    ///
    /// Exact and path-dependent (TreeSHAP, Lundberg et al. 2020), by the weights of the rows fitted, on the CPU. Costs
    /// leaves·depth² operations a row and tree.
    pub fn shapley_values<'a>(&self, x: impl Into<Queries<'a>>) -> Result<Vec<Matrix>> {
        add_to_expected(self.params.shift(), self.trees.shapley_values(E::TYPE, self.params.align(x)?.rows())?)
    }
}

impl<E: TreeEstimator<Output = Labels>> TreeModel<E> {
    /// The classes, by code.
    pub fn classes(&self) -> &[String] {
        self.trees.class_names()
    }
}

impl<E: SingleTree> TreeModel<E> {
    /// The tree.
    pub fn tree(&self) -> &Tree {
        &self.trees.trees()[0]
    }

    /// The tree as lines of text, with the names of columns and classes.
    pub fn to_text(&self) -> String {
        let shift = self.params.shift().map(TargetShift::values);
        draw(self.tree(), self.trees.names(), &[], self.trees.class_names(), shift.unwrap_or_default())
    }
}

impl<E: TreeEstimator> Predict for TreeModel<E> {
    type Output = E::Output;
}

impl<E: TreeEstimator<Output = Labels>> PredictProba for TreeModel<E> {}

impl<E: TreeEstimator> Model for TreeModel<E> {
    /// The class of the largest mean probability, the lowest of equals; or the mean of the trees' values, n×p.
    fn predict_rows(&self, x: Rows<'_>, observer: &mut dyn Observer) -> Result<Prediction> {
        Ok(self.predict_both_rows(x, observer)?.0)
    }

    /// The mean of the trees' probabilities, n×k.
    fn predict_proba_rows(&self, x: Rows<'_>) -> Result<Option<Matrix>> {
        let Some(classes) = self.trees.classes() else { return Ok(None) };
        let x = self.trees.queries(E::TYPE, x)?;
        to_matrix(&self.trees.mean_values(&x)?, x.rows(), classes.classes()).map(Some)
    }

    fn predict_both_rows(&self, x: Rows<'_>, _: &mut dyn Observer) -> Result<(Prediction, Option<Matrix>)> {
        let x = self.trees.queries(E::TYPE, x)?;
        let (means, outputs) = (self.trees.mean_values(&x)?, self.trees.outputs());
        let matrix = to_matrix(&means, x.rows(), outputs)?;
        match self.trees.classes() {
            Some(classes) => Ok((classes.with_codes(likeliest(&means, outputs))?.into(), Some(matrix))),
            None => Ok((matrix.into(), None)),
        }
    }

    fn classes(&self) -> &[String] {
        self.trees.class_names()
    }

    fn contributions(&self, x: Rows<'_>) -> Result<Option<Vec<Matrix>>> {
        self.trees.shapley_values(E::TYPE, x).map(Some)
    }

    fn report(&self) -> FitReport {
        let report = FitReport::default().with_number("oob_score", self.oob_score);
        report.with_row("importances", self.feature_importances())
    }

    /// Of a single tree.
    fn text(&self, columns: &InputColumns) -> Option<String> {
        let names = Some(self.column_names().unwrap_or(&columns.names));
        let classes = self.trees.class_names();
        let shift = self.params.shift().map(TargetShift::values);
        let text = || draw(&self.trees.trees()[0], names, &columns.categories, classes, shift.unwrap_or_default());
        (!E::IS_FOREST).then(text)
    }

    fn figures(&self, input: &PictureInput<'_>) -> Result<Vec<Figure>> {
        let mut figures = match E::IS_FOREST {
            true => vec![],
            false => pictures::single_tree_figures(&self.trees, self.params.shift(), input)?,
        };
        figures.extend(pictures::explained_figure(&self.trees, input, |x| self.shapley_values(x))?);
        Ok(figures)
    }
}

/// The array of the predictions out of bag in a model file.
const OUT_OF_BAG: &str = "out_of_bag";

#[derive(Serialize, Deserialize, PartialEq)]
struct Fitted {
    columns: usize,
    /// Of numbers; classes are as many as their names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    outputs: Option<usize>,
    /// Of forests, where there may still be none.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    oob_score: Option<Option<f64>>,
}

/// A number that is there, though it may be null.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Option<Option<f64>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

impl<E: TreeEstimator> Save for TreeModel<E> {
    type Estimator = E;

    fn save_fitted(&self, container: &mut Container) -> Result<()> {
        let outputs = self.trees.classes().is_none().then_some(self.trees.outputs());
        let oob_score = E::IS_FOREST.then_some(self.oob_score);
        container.set_fitted(&Fitted { columns: self.trees.columns(), outputs, oob_score })?;
        if let Some(matrix) = &self.out_of_bag {
            let shape = [matrix.rows(), matrix.columns()];
            container.insert_with_missing(OUT_OF_BAG, &shape, matrix.as_slice().to_vec())?;
        }
        self.trees.store(container)
    }

    fn load_fitted(params: FittedWith<E>, container: &mut Container) -> Result<TreeModel<E>> {
        let Fitted { columns, outputs, oob_score } = container.fitted()?;
        let trees = Trees::restore(container, columns, E::TASK, outputs)?;
        if !E::IS_FOREST && trees.trees().len() != 1 {
            return Err(container.refuse(format!("{} trees where one belongs", trees.trees().len())));
        }
        let out_of_bag = match E::IS_FOREST && container.contains(OUT_OF_BAG) {
            true => {
                let ([rows, _], outputs) = (container.shape(OUT_OF_BAG)?, trees.outputs());
                let values = container.take_with_missing(OUT_OF_BAG, &[rows, outputs])?;
                Some(Matrix::from_vec(rows, outputs, values)?)
            }
            false => None,
        };
        Ok(TreeModel { params, trees, out_of_bag, oob_score: oob_score.flatten() })
    }
}
