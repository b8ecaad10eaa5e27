//! Pictures of trees: the tree itself, the path of its pruning, and what each column adds to its predictions.

mod nominal_tree_figure;
mod pruning;
mod tree_figure;

pub use nominal_tree_figure::NominalTreeFigure;
pub use pruning::{along_pruning, pruning_curves, pruning_path};
pub use tree_figure::TreeFigure;

use super::likeliest;
use super::{Id3ClassifierModel, Tree, Trees};
use crate::array::Matrix;
use crate::error::Result;
use crate::estimator::{PictureInput, PictureRows};
use crate::metrics;
use crate::model_file::TargetShift;
use crate::plot::{self, Figure};

/// Rows that every tree of a pruning path, or the model after every round, is scored on.
pub(crate) const MOST_SCORED: usize = 5_000;
/// Rows whose predictions are explained, and columns that there is room for.
const MOST_EXPLAINED: usize = 300;
const MOST_COLUMNS: usize = 12;

/// Without rows the tree; with rows its leaves and its accuracy or R² along the path of pruning.
pub(super) fn single_tree_figures(
    trees: &Trees,
    shift: Option<&TargetShift>,
    input: &PictureInput<'_>,
) -> Result<Vec<Figure>> {
    let tree = &trees.trees()[0];
    let Some(rows) = &input.rows else {
        let names = trees.names().unwrap_or(&input.columns.names);
        let figure =
            TreeFigure::of_trees(trees).shift(shift).feature_names(names).category_names(&input.columns.categories);
        return Ok(vec![figure.figure()]);
    };
    let (x, target) = rows.sample(MOST_SCORED)?;
    match trees.classes() {
        Some(classes) => {
            let labels = target.labels()?;
            pruning_figures(tree, rows, "accuracy", |tree| {
                let codes = likeliest(&values_of(tree, &x).collect::<Vec<f64>>(), classes.classes());
                metrics::accuracy(labels, &classes.with_codes(codes)?)
            })
        }
        None => {
            let numbers = &match shift {
                Some(shift) => shift.subtract_from(target.values()?)?,
                None => target.values()?.clone(),
            };
            pruning_figures(tree, rows, "R²", |tree| {
                let values = values_of(tree, &x).map(|value| value as f32).collect();
                metrics::r2_score_columns(numbers, &Matrix::from_vec(x.rows(), numbers.columns(), values)?)
            })
        }
    }
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

/// What each column adds to the probability of the second of two classes, or to the prediction of a single target.
pub(super) fn explained_figure(
    trees: &Trees,
    input: &PictureInput<'_>,
    values: impl FnOnce(&Matrix) -> Result<Vec<Matrix>>,
) -> Result<Option<Figure>> {
    let explained = |name: &str| match trees.classes() {
        Some(_) => format!("the probability of {name}"),
        None => name.to_string(),
    };
    shapley_figure(input, trees.class_names(), explained, values)
}
