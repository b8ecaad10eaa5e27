//! Pictures of trees: the tree itself, the path of its pruning, and what each column adds to its predictions.

mod nominal_tree_figure;
mod pruning;
mod tree_figure;

pub use nominal_tree_figure::NominalTreeFigure;
pub use pruning::{along_pruning, pruning_curves, pruning_path};
pub use tree_figure::TreeFigure;

use super::likeliest;
use super::{DecisionTreeClassifierModel, DecisionTreeRegressorModel, Id3ClassifierModel, Tree};
use crate::array::Matrix;
use crate::data::Labels;
use crate::error::Result;
use crate::estimator::{PictureInput, PictureRows};
use crate::metrics;
use crate::plot::{self, Figure};

/// Rows that every tree of a pruning path, or the model after every round, is scored on.
pub(crate) const MOST_SCORED: usize = 5_000;
/// Rows whose predictions are explained, and columns that there is room for.
const MOST_EXPLAINED: usize = 300;
const MOST_COLUMNS: usize = 12;

/// Without rows the tree; with rows its leaves and its accuracy along the path of pruning, and what each column adds to
/// the probability of the second of two classes.
pub(super) fn classifier_figures(model: &DecisionTreeClassifierModel, input: &PictureInput<'_>) -> Result<Vec<Figure>> {
    let (tree, classes) = (model.tree(), model.classes());
    let Some(rows) = &input.rows else {
        let names = model.column_names().unwrap_or(&input.columns.names);
        let figure = TreeFigure::of_classifier(model).feature_names(names).category_names(&input.columns.categories);
        return Ok(vec![figure.figure()]);
    };
    let (x, target) = rows.sample(MOST_SCORED)?;
    let labels = target.labels()?;
    let accuracy = |tree: &Tree| {
        let codes = likeliest(&values_of(tree, &x).collect::<Vec<f64>>(), classes.len());
        metrics::accuracy(labels, &Labels::from_codes(codes, classes.to_vec())?)
    };
    let mut figures = pruning_figures(tree, rows, "accuracy", accuracy)?;
    figures.extend(probability_figure(input, classes, |x| model.shapley_values(x))?);
    Ok(figures)
}

/// Without rows the tree; with rows its leaves and its R² along the path of pruning, and what each column adds to the
/// prediction of a single target.
pub(super) fn regressor_figures(model: &DecisionTreeRegressorModel, input: &PictureInput<'_>) -> Result<Vec<Figure>> {
    let Some(rows) = &input.rows else {
        let names = model.column_names().unwrap_or(&input.columns.names);
        let figure = TreeFigure::of_regressor(model).feature_names(names).category_names(&input.columns.categories);
        return Ok(vec![figure.figure()]);
    };
    let (x, target) = rows.sample(MOST_SCORED)?;
    let numbers = target.values()?;
    let r2 = |tree: &Tree| {
        let values = values_of(tree, &x).map(|value| value as f32).collect();
        metrics::r2_score_columns(numbers, &Matrix::from_vec(x.rows(), numbers.columns(), values)?)
    };
    let mut figures = pruning_figures(model.tree(), rows, "R²", r2)?;
    figures.extend(shapley_figure(input, &[], str::to_string, |x| model.shapley_values(x))?);
    Ok(figures)
}

/// Without rows the tree; with rows nothing.
pub(crate) fn nominal_figures(model: &Id3ClassifierModel, input: &PictureInput<'_>) -> Vec<Figure> {
    let figure =
        || NominalTreeFigure::new(model, &input.columns.categories).feature_names(&input.columns.names).figure();
    if input.rows.is_none() { vec![figure()] } else { vec![] }
}

/// The values of the leaf that each row of `x` ends in, row by row.
fn values_of<'a>(tree: &'a Tree, x: &'a Matrix) -> impl Iterator<Item = f64> + 'a {
    (0..x.rows()).flat_map(|row| tree.value(tree.leaf_of(x.row(row))).iter().copied())
}

/// The leaves and a score along the path of pruning; nothing for a tree of one leaf.
fn pruning_figures(
    tree: &Tree,
    rows: &PictureRows<'_>,
    label: &str,
    score: impl Fn(&Tree) -> Result<f64>,
) -> Result<Vec<Figure>> {
    if tree.leaves() < 2 || rows.x.rows() == 0 {
        return Ok(vec![]);
    }
    let mut failed = None;
    let scores = along_pruning(tree, |pruned| {
        score(pruned).unwrap_or_else(|error| {
            failed = Some(error);
            f64::NAN
        })
    });
    match failed {
        Some(error) => Err(error),
        None => {
            let figure = pruning_curves(&[(rows.name(), scores)]).title("Score along the path of pruning");
            Ok(vec![pruning_path(tree), figure.y_label(label)])
        }
    }
}

/// What each column adds to the predictions of some rows, for a model with one number to explain: that of the second of
/// two classes, or of a single target. `explained` says what the number is, given the name of the class or target.
pub(crate) fn shapley_figure(
    input: &PictureInput<'_>,
    classes: &[String],
    explained: impl FnOnce(&str) -> String,
    values: impl FnOnce(&Matrix) -> Result<Vec<Matrix>>,
) -> Result<Option<Figure>> {
    let Some(rows) = input.rows.as_ref().filter(|rows| rows.x.rows() > 0 && classes.len() <= 2) else {
        return Ok(None);
    };
    let (x, _) = rows.sample(MOST_EXPLAINED)?;
    let values = values(&x)?;
    let Some(last) = values.last().filter(|_| values.len() <= classes.len().max(1)) else { return Ok(None) };
    let categorical = |column: &usize| input.columns.categories.get(*column).is_some_and(Option::is_some);
    let columns: Vec<usize> = (0..x.columns()).collect();
    let x = x.with_categories(columns.iter().copied().filter(categorical))?;
    // Behind the columns stands what is expected of any row.
    let figure = plot::shapley_summary(&last.select_columns(&columns)?, &x, MOST_COLUMNS)?;
    let name = classes.last().map(String::as_str).or(input.target_name).unwrap_or("the prediction");
    Ok(Some(figure.x_label(format!("what the column adds to {}", explained(name)))))
}

/// What each column adds to the probability of the second of two classes.
pub(crate) fn probability_figure(
    input: &PictureInput<'_>,
    classes: &[String],
    values: impl FnOnce(&Matrix) -> Result<Vec<Matrix>>,
) -> Result<Option<Figure>> {
    shapley_figure(input, classes, |class| format!("the probability of {class}"), values)
}
