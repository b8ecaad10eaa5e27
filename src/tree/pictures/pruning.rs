//! The path of a tree's pruning.

use crate::plot::Figure;
use crate::tree::Tree;

/// Trees of the path that are counted: more make no visible difference, and each is pruned anew.
const MOST_STEPS: usize = 200;

/// How many leaves cost-complexity pruning leaves to a tree as `ccp_alpha` grows, from the whole tree down to its root.
///
/// ```
/// use gristmill::{prelude::*, tree};
/// let cancer = datasets::breast_cancer()?;
/// let model = DecisionTreeClassifier::default().fit(&cancer.x, cancer.labels()?)?;
/// assert!(tree::pruning_path(model.tree()).to_svg().contains("ccp_alpha"));
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn pruning_path(tree: &Tree) -> Figure {
    let leaves = along_pruning(tree, |pruned| pruned.leaves() as f64);
    pruning_curves(&[("", leaves)]).title("Leaves along the path of pruning").y_label("leaves")
}

/// Numbers along the path of pruning, as [`along_pruning`] finds them, each series with its name: every tree holds
/// until the next one, on a logarithmic axis. The whole tree, which has the α of 0, begins at half of the next one's.
///
/// ```
/// use gristmill::tree;
/// let scores = vec![(0.0, 0.91), (0.001, 0.93), (0.2, 0.63)];
/// assert!(tree::pruning_curves(&[("new rows", scores)]).to_svg().contains("new rows"));
/// ```
pub fn pruning_curves(series: &[(&str, Vec<(f64, f64)>)]) -> Figure {
    let mut figure = Figure::new().x_label("ccp_alpha");
    let above = |points: &[(f64, f64)]| points.iter().map(|point| point.0).find(|alpha| *alpha > 0.0);
    if let Some(least) = series.iter().filter_map(|(_, points)| above(points)).reduce(f64::min) {
        figure = figure.logarithmic_x();
        for (name, points) in series {
            let points: Vec<(f64, f64)> = points.iter().map(|point| (point.0.max(least / 2.0), point.1)).collect();
            figure = figure.line(name, staircase(&points));
        }
        return figure;
    }
    series.iter().fold(figure, |figure, (name, points)| figure.steps(name, points.iter().copied()))
}

/// A number of each tree along the path of pruning, such as its score on rows of your own, with the `ccp_alpha` that
/// it begins at; at most 200 of the trees.
///
/// ```
/// use gristmill::{prelude::*, tree};
/// let iris = datasets::iris()?;
/// let model = DecisionTreeClassifier::default().fit(&iris.x, iris.labels()?)?;
/// let depths = tree::along_pruning(model.tree(), |pruned| pruned.depth() as f64);
/// assert_eq!(depths.first().map(|first| first.1), Some(model.tree().depth() as f64));
/// assert_eq!(depths.last().map(|last| last.1), Some(0.0));
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn along_pruning(tree: &Tree, mut number: impl FnMut(&Tree) -> f64) -> Vec<(f64, f64)> {
    let mut alphas = tree.pruning_path().alphas;
    alphas.dedup();
    let last = alphas.len() - 1;
    let every = alphas.len().div_ceil(MOST_STEPS);
    let shown = alphas.iter().enumerate().filter(|(at, _)| at.is_multiple_of(every) || *at == last);
    shown.map(|(_, alpha)| (*alpha, number(&tree.pruned(*alpha)))).collect()
}

/// A line that keeps its height until the next point.
fn staircase(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let ends = points.iter().zip(points.iter().skip(1)).flat_map(|(one, next)| [*one, (next.0, one.1)]);
    // The root stays for every larger value.
    let end = points.last().map(|last| (last.0 * 2.0, last.1));
    ends.chain(points.last().copied()).chain(end).collect()
}
