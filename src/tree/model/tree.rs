//! A fitted decision tree.

use std::fmt;
use std::sync::Arc;

use super::text;
use crate::cpu::tree::{BinSet, SplitRule, UNKNOWN};
use crate::tree::bins::Categories;

/// A decision tree: nodes in arrays, the root first, children after their parents.
///
/// A row goes from the root to the left child where its value of `feature` is at most `threshold`, else to the right
/// one; a missing value goes left where `missing_left` is set. Of a categorical feature a set of categories goes left
/// ([`Tree::left_categories`]), and a category that was not fitted goes where missing values go. It ends in a leaf,
/// whose values are the prediction.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    pub(super) outputs: usize,
    pub(super) nodes: Vec<Node>,
    /// nodes×outputs.
    pub(super) values: Vec<f64>,
    /// The bins of categories that go left, with [`UNKNOWN`] where missing values do.
    pub(super) sets: Vec<BinSet>,
    /// The bins of the categories; none where no feature is categorical.
    pub(super) categories: Option<Arc<Categories>>,
}

/// One node of a tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Node {
    /// The feature of the split; none in a leaf.
    pub feature: Option<u32>,
    /// Values up to this one go left; without meaning where a set of categories does.
    pub threshold: f32,
    /// The number of its set of categories, where the feature is categorical: see [`Tree::left_categories`].
    pub category_set: Option<u32>,
    /// Whether missing values go left.
    pub missing_left: bool,
    /// The numbers of the children; 0 in a leaf.
    pub children: [u32; 2],
    /// What the split gains; 0 in a leaf.
    pub gain: f64,
    /// Σ of the weights (Hessians in boosting) of the training rows in the node.
    pub weight: f64,
    /// Number of training rows in the node.
    pub count: u64,
    /// The impurity of the rows, where the criterion has one; else 0.
    pub impurity: f64,
}

impl Default for Node {
    fn default() -> Node {
        Node {
            feature: None,
            threshold: 0.0,
            category_set: None,
            missing_left: false,
            children: [0; 2],
            gain: 0.0,
            weight: 0.0,
            count: 0,
            impurity: 0.0,
        }
    }
}

impl Tree {
    /// A tree of one leaf with `outputs` values, all 0.
    #[doc(hidden)]
    pub fn leaf(outputs: usize, node: Node) -> Tree {
        Tree { outputs, nodes: vec![node], values: vec![0.0; outputs], sets: vec![], categories: None }
    }

    /// Makes a leaf an inner node and adds its two leaves; returns their numbers.
    #[doc(hidden)]
    pub fn split(&mut self, parent: u32, rule: &SplitRule, gain: f64) -> [u32; 2] {
        let first = self.nodes.len() as u32;
        let children = [first, first + 1];
        let SplitRule { feature, threshold, missing_left, .. } = *rule;
        let node = &mut self.nodes[parent as usize];
        *node = Node { feature: Some(feature), threshold, missing_left, children, gain, ..*node };
        if let Some(mut left) = rule.categories {
            if missing_left {
                left.insert(UNKNOWN);
            }
            (node.category_set, node.threshold) = (Some(self.sets.len() as u32), 0.0);
            self.sets.push(left);
        }
        self.nodes.extend([Node::default(); 2]);
        self.values.resize(self.nodes.len() * self.outputs, 0.0);
        children
    }

    /// The same tree with the bins of categories that its sets are of.
    #[doc(hidden)]
    pub fn with_categories(self, categories: &Arc<Categories>) -> Tree {
        Tree { categories: categories.is_any().then(|| categories.clone()), ..self }
    }

    /// The bins of the categories of its features; none where no feature is categorical.
    pub(crate) fn categories(&self) -> Option<&Arc<Categories>> {
        self.categories.as_ref()
    }

    /// The bins that go left of a node that splits categories.
    pub(super) fn left_bins(&self, node: &Node) -> Option<&BinSet> {
        node.category_set.map(|set| &self.sets[set as usize])
    }

    /// The same tree with this many values a node, all 0.
    pub(crate) fn with_outputs(self, outputs: usize) -> Tree {
        let values = vec![0.0; self.nodes.len() * outputs];
        Tree { outputs, values, ..self }
    }

    /// A node, to fill in what is known of it.
    #[doc(hidden)]
    pub fn node_mut(&mut self, node: u32) -> &mut Node {
        &mut self.nodes[node as usize]
    }

    /// The values of a node, to set them.
    #[doc(hidden)]
    pub fn value_mut(&mut self, node: u32) -> &mut [f64] {
        &mut self.values[node as usize * self.outputs..][..self.outputs]
    }

    /// The mean of the first values of an inner node's children, by their weights.
    pub(crate) fn mean_of_children(&self, node: usize) -> f64 {
        let sums = self.nodes[node].children.map(|child| {
            let weight = self.nodes[child as usize].weight;
            [weight * self.value(child)[0], weight]
        });
        let total = sums[0][1] + sums[1][1];
        if total > 0.0 { (sums[0][0] + sums[1][0]) / total } else { 0.0 }
    }

    /// The nodes, the root first.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Values of a node.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// The values of a node. Panics when there is no such node, as indexing does.
    pub fn value(&self, node: u32) -> &[f64] {
        &self.values[node as usize * self.outputs..][..self.outputs]
    }

    /// All values, nodes×outputs.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The codes of the categories that go left from a node, ascending; none where its feature is not categorical, and
    /// in a leaf. Fitted categories that are not among them go right; other codes go where missing values go. Panics
    /// when there is no such node, as indexing does.
    pub fn left_categories(&self, node: u32) -> Option<Vec<u32>> {
        self.categories_where(node, |is_left| is_left)
    }

    /// The codes of the categories that go right from a node, as [`Tree::left_categories`].
    pub fn right_categories(&self, node: u32) -> Option<Vec<u32>> {
        self.categories_where(node, |is_left| !is_left)
    }

    fn categories_where(&self, node: u32, wanted: impl Fn(bool) -> bool) -> Option<Vec<u32>> {
        let node = &self.nodes[node as usize];
        let (left, bins) = (self.left_bins(node)?, self.categories.as_ref()?.feature(node.feature? as usize)?);
        let fitted = (0..).zip(bins.bins()).filter(|(_, bin)| **bin != UNKNOWN);
        Some(fitted.filter(|(_, bin)| wanted(left.contains(**bin))).map(|(code, _)| code).collect())
    }

    /// Number of leaves.
    pub fn leaves(&self) -> usize {
        self.nodes.len().div_ceil(2)
    }

    /// Splits on the longest way from the root to a leaf.
    pub fn depth(&self) -> usize {
        let mut depths = vec![0; self.nodes.len()];
        for (number, node) in self.nodes.iter().enumerate() {
            if node.feature.is_some() {
                node.children.iter().for_each(|child| depths[*child as usize] = depths[number] + 1);
            }
        }
        depths.into_iter().max().unwrap_or(0)
    }

    /// The number of the leaf that a row of raw values ends in. Panics when the row has fewer columns than the tree
    /// asks for, as indexing does.
    pub fn leaf_of(&self, row: &[f32]) -> u32 {
        let mut at = 0;
        loop {
            let node = &self.nodes[at as usize];
            let Some(feature) = node.feature else { return at };
            at = node.children[usize::from(!self.goes_left(node, row[feature as usize]))];
        }
    }

    /// Where a node of this tree sends a value of its feature.
    #[doc(hidden)]
    pub fn goes_left(&self, node: &Node, value: f32) -> bool {
        match node.category_set {
            None => value <= node.threshold || value.is_nan() && node.missing_left,
            Some(set) => self.sets[set as usize].contains(self.category_bin(node.feature.unwrap_or(0), value)),
        }
    }

    /// The bin of a category, [`UNKNOWN`] where it has none.
    fn category_bin(&self, feature: u32, value: f32) -> u8 {
        let bins = self.categories.as_ref().and_then(|categories| categories.feature(feature as usize));
        bins.map_or(UNKNOWN, |bins| bins.bin(value))
    }

    /// Adds what each split gains to its feature's place in `gains`. Panics when a feature has no place there, as
    /// indexing does.
    pub fn add_gains(&self, gains: &mut [f64]) {
        self.each_split(|feature, gain| gains[feature] += gain);
    }

    /// Adds one to the place of its feature for each split. Panics when a feature has no place there, as indexing
    /// does.
    pub fn add_splits(&self, splits: &mut [u64]) {
        self.each_split(|feature, _| splits[feature] += 1);
    }

    fn each_split(&self, mut add: impl FnMut(usize, f64)) {
        for node in &self.nodes {
            if let Some(feature) = node.feature {
                add(feature as usize, node.gain);
            }
        }
    }

    /// The tree as lines of text, with the features' names where they are known.
    ///
    /// ```text
    /// petal width ≤ 0.8 (missing: no)
    /// ├─ yes: 1.5  [50 rows]
    /// └─ no: …
    /// ```
    pub fn to_text(&self, names: Option<&[String]>) -> String {
        text::draw(self, names, &[], &[], &[])
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.to_text(None))
    }
}
