//! A decision tree as boxes with arrows.

use std::path::Path;

use crate::data::Labels;
use crate::error::Result;
use crate::model_file::TargetShift;
use crate::plot::{DiagramNode, Figure, NodeColour, short_number, shortened};
use crate::tree::{DecisionTreeClassifierModel, DecisionTreeRegressorModel, Tree, Trees, categories_asked};

/// Categories that a box names.
const NAMED_CATEGORIES: usize = 4;
/// Letters of a name, and of what is asked of it.
pub(super) const NAME: usize = 28;
const ASKED: usize = 40;
/// Numbers that a box of several outputs shows.
const MOST_VALUES: usize = 4;

/// A decision tree as boxes with arrows: the split of each node, its rows and impurity, and the predictions of the leaves.
///
/// Boxes of classes have the colour of the commonest one, boxes of numbers are the darker the larger their value. Yes is
/// on the left. A tree that is wider than 64 boxes is cut off at a depth, unless one is asked for.
///
/// ```
/// use gristmill::prelude::*;
/// use gristmill::tree::TreeFigure;
/// let iris = datasets::iris()?;
/// let model = DecisionTreeClassifier::default().max_depth(2).fit(&iris.x, iris.labels()?)?;
/// let svg = TreeFigure::of_classifier(&model).title("Iris").to_svg();
/// assert!(svg.contains("petal_length ≤ 2.45") && svg.contains("virginica"));
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct TreeFigure<'a> {
    tree: &'a Tree,
    features: Option<&'a [String]>,
    categories: &'a [Option<Vec<String>>],
    classes: Option<&'a [String]>,
    title: String,
    max_depth: Option<usize>,
    /// What is added to the values, one number for each output.
    shift: &'a [f64],
}

impl<'a> TreeFigure<'a> {
    /// A tree without names: features have numbers, and nodes show their values.
    pub fn new(tree: &'a Tree) -> TreeFigure<'a> {
        let (title, max_depth) = (String::new(), None);
        TreeFigure { tree, features: None, categories: &[], classes: None, title, max_depth, shift: &[] }
    }

    /// The tree of a classifier with its names.
    pub fn of_classifier(model: &'a DecisionTreeClassifierModel) -> TreeFigure<'a> {
        TreeFigure::of_trees(&model.trees)
    }

    /// The tree of a regressor with its names.
    pub fn of_regressor(model: &'a DecisionTreeRegressorModel) -> TreeFigure<'a> {
        TreeFigure::of_trees(&model.trees).shift(model.params.shift())
    }

    /// The same with what the targets were moved by.
    pub(super) fn shift(mut self, shift: Option<&'a TargetShift>) -> TreeFigure<'a> {
        self.shift = shift.map(TargetShift::values).unwrap_or_default();
        self
    }

    /// The first of a model's trees with its names.
    pub(super) fn of_trees(trees: &'a Trees) -> TreeFigure<'a> {
        let (features, classes) = (trees.names(), trees.classes().map(Labels::names));
        TreeFigure { features, classes, ..TreeFigure::new(&trees.trees()[0]) }
    }

    /// Names the features.
    pub fn feature_names(mut self, names: &'a [String]) -> TreeFigure<'a> {
        self.features = Some(names);
        self
    }

    /// Names the categories of categorical columns by their codes, as a [`Dataset`](crate::Dataset) has them; nothing
    /// for a column of numbers. Without names boxes show codes.
    pub fn category_names(mut self, categories: &'a [Option<Vec<String>>]) -> TreeFigure<'a> {
        self.categories = categories;
        self
    }

    /// Names the classes whose probabilities the nodes' values are.
    pub fn class_names(mut self, names: &'a [String]) -> TreeFigure<'a> {
        self.classes = Some(names);
        self
    }

    /// Sets the title.
    pub fn title(mut self, title: impl Into<String>) -> TreeFigure<'a> {
        self.title = title.into();
        self
    }

    /// Sets the depth below which boxes are left out.
    pub fn max_depth(mut self, max_depth: usize) -> TreeFigure<'a> {
        self.max_depth = Some(max_depth);
        self
    }

    /// The picture.
    pub fn figure(&self) -> Figure {
        let nodes: Vec<DiagramNode> = (0..self.tree.nodes().len() as u32).map(|node| self.node(node)).collect();
        Figure::tree(&nodes, self.max_depth).title(self.title.clone())
    }

    /// The picture as text.
    pub fn to_svg(&self) -> String {
        self.figure().to_svg()
    }

    /// Writes the picture, whole or not at all.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        self.figure().save(path)
    }

    fn node(&self, number: u32) -> DiagramNode {
        let node = &self.tree.nodes()[number as usize];
        let [left, right] = node.children.map(|child| child as usize);
        let children = node.feature.map_or(vec![], |_| vec![(left, "yes".to_string()), (right, "no".to_string())]);
        DiagramNode { lines: self.lines(number), colour: self.colour(number), children }
    }

    /// What stands in a box: the split, the prediction, the rows and impurity.
    fn lines(&self, number: u32) -> Vec<String> {
        let node = &self.tree.nodes()[number as usize];
        let prediction = match self.classes {
            Some(classes) => {
                let best = self.commonest(number);
                let name = classes.get(best).map_or_else(|| best.to_string(), |name| shortened(name, NAME));
                format!("{name} ({})", short_number(self.tree.value(number)[best]))
            }
            None => {
                let values = self.tree.value(number).iter().take(MOST_VALUES);
                let shifts = self.shift.iter().copied().chain(std::iter::repeat(0.0));
                values
                    .zip(shifts)
                    .map(|(value, shift)| short_number(*value + shift))
                    .collect::<Vec<String>>()
                    .join(", ")
            }
        };
        let split = node.feature.map(|feature| {
            let name = self.features.and_then(|names| names.get(feature as usize));
            let name = name.map_or_else(|| format!("feature {feature}"), |name| shortened(name, NAME));
            let asked = categories_asked(self.tree, number, self.categories, NAMED_CATEGORIES);
            let asked = asked.unwrap_or_else(|| format!("≤ {}", plain(node.threshold)));
            format!("{name} {}", shortened(&asked, ASKED))
        });
        let rows = format!("{} rows, impurity {}", node.count, short_number(node.impurity));
        split.into_iter().chain([prediction, rows]).collect()
    }

    /// The class of the largest probability in a node.
    fn commonest(&self, node: u32) -> usize {
        let probabilities = self.tree.value(node);
        let larger = |best: usize, class: usize| if probabilities[class] > probabilities[best] { class } else { best };
        (1..probabilities.len()).fold(0, larger)
    }

    fn colour(&self, node: u32) -> NodeColour {
        if self.classes.is_some() {
            return NodeColour::Class(self.commonest(node));
        }
        let first = |node: u32| self.tree.value(node).first().copied().unwrap_or(0.0);
        let values = || (0..self.tree.nodes().len() as u32).map(first);
        let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
        NodeColour::Share(if high > low { (first(node) - low) / (high - low) } else { 0.0 })
    }
}

/// A threshold with at most six significant digits.
fn plain(threshold: f32) -> String {
    let threshold = f64::from(threshold);
    let text = match threshold.abs() {
        size if size == 0.0 || (1e-4..1e7).contains(&size) => {
            let digits = (5 - size.max(1e-4).log10().floor() as i32).clamp(0, 9) as usize;
            let text = format!("{threshold:.digits$}");
            if digits == 0 { text } else { text.trim_end_matches('0').trim_end_matches('.').to_string() }
        }
        _ => format!("{threshold:.4e}"),
    };
    text.replace('-', "−")
}
