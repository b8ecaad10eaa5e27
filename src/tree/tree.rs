//! A fitted decision tree.

use std::fmt;
use std::sync::Arc;

use super::levels::Levels;
use super::stored_level_sets::{LevelSets, store_level_sets};
use super::text;
use crate::cpu::tree::bin_set::{BinSet, UNKNOWN};
use crate::cpu::tree::predict::FEATURE;
use crate::error::Result;
use crate::model_file::Container;

/// What stands for the feature of a leaf.
const LEAF: u32 = u32::MAX;

/// A decision tree: nodes in arrays, the root first, children behind their parents.
///
/// A row goes from the root to the left child where its value of `feature` is at most `threshold`, else to the right
/// one; a missing value goes where `missing_left` says. Of a categorical feature a set of levels goes left
/// ([`Tree::left_levels`]), and a level that was not fitted goes where missing values go. The node without children
/// where it ends has its values.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    outputs: usize,
    nodes: Vec<Node>,
    /// nodes×outputs.
    values: Vec<f64>,
    /// The bins of levels that go left, with [`UNKNOWN`] where missing values do.
    pub(super) sets: Vec<BinSet>,
    /// The bins of the levels; none where no feature is categorical.
    pub(super) levels: Option<Arc<Levels>>,
}

/// One node of a tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Node {
    /// The feature that divides; none in a leaf.
    pub feature: Option<u32>,
    /// Values up to this one go left; of no meaning where a set of levels does.
    pub threshold: f32,
    /// The number of its set of levels, where the feature is categorical: see [`Tree::left_levels`].
    pub level_set: Option<u32>,
    /// Whether missing values go left.
    pub missing_left: bool,
    /// The children's numbers; 0 in a leaf.
    pub children: [u32; 2],
    /// What the division gains; 0 in a leaf.
    pub gain: f64,
    /// Σ of the weights (Hessians in boosting) of the training rows in the node.
    pub weight: f64,
    /// Number of training rows in the node.
    pub count: u64,
    /// How mixed the rows are, where the criterion knows it; else 0.
    pub impurity: f64,
}

impl Default for Node {
    fn default() -> Node {
        Node {
            feature: None,
            threshold: 0.0,
            level_set: None,
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
    pub(crate) fn leaf(outputs: usize, node: Node) -> Tree {
        Tree { outputs, nodes: vec![node], values: vec![0.0; outputs], sets: vec![], levels: None }
    }

    /// Makes a leaf an inner node and adds its two leaves; returns their numbers.
    pub(crate) fn divide(
        &mut self,
        parent: u32,
        feature: u32,
        threshold: f32,
        missing_left: bool,
        gain: f64,
    ) -> [u32; 2] {
        let first = self.nodes.len() as u32;
        let children = [first, first + 1];
        let node = &mut self.nodes[parent as usize];
        *node = Node { feature: Some(feature), threshold, missing_left, children, gain, ..*node };
        self.nodes.extend([Node::default(); 2]);
        self.values.resize(self.nodes.len() * self.outputs, 0.0);
        children
    }

    /// Makes the division of an inner node one by levels: these bins go left.
    pub(crate) fn divide_levels(&mut self, parent: u32, mut left: BinSet) {
        let node = &mut self.nodes[parent as usize];
        if node.missing_left {
            left.insert(UNKNOWN);
        }
        (node.level_set, node.threshold) = (Some(self.sets.len() as u32), 0.0);
        self.sets.push(left);
    }

    /// The same tree with the bins of levels that its sets are of.
    pub(crate) fn with_levels(self, levels: &Arc<Levels>) -> Tree {
        Tree { levels: levels.is_any().then(|| levels.clone()), ..self }
    }

    /// The same tree with the bins of levels that another has.
    pub(super) fn with_levels_of(self, other: &Tree) -> Tree {
        Tree { levels: other.levels.clone(), ..self }
    }

    /// The bins of the levels of its features; none where no feature is categorical.
    pub(crate) fn levels(&self) -> Option<&Arc<Levels>> {
        self.levels.as_ref()
    }

    /// The bins that go left of a node that divides levels.
    pub(super) fn left_bins(&self, node: &Node) -> Option<&BinSet> {
        node.level_set.map(|set| &self.sets[set as usize])
    }

    /// The same tree with this many values a node, all 0.
    pub(crate) fn with_outputs(self, outputs: usize) -> Tree {
        let values = vec![0.0; self.nodes.len() * outputs];
        Tree { outputs, values, ..self }
    }

    /// A node, to fill in what is known of it.
    pub(crate) fn node_mut(&mut self, node: u32) -> &mut Node {
        &mut self.nodes[node as usize]
    }

    /// The values of a node, to set them.
    pub(crate) fn value_mut(&mut self, node: u32) -> &mut [f64] {
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

    /// The codes of the levels that go left from a node, ascending; none where its feature is not categorical, and in
    /// a leaf. Fitted levels that are not among them go right; other codes go where missing values go. Panics when
    /// there is no such node, as indexing does.
    pub fn left_levels(&self, node: u32) -> Option<Vec<u32>> {
        self.levels_where(node, |is_left| is_left)
    }

    /// The codes of the levels that go right from a node, as [`Tree::left_levels`].
    pub fn right_levels(&self, node: u32) -> Option<Vec<u32>> {
        self.levels_where(node, |is_left| !is_left)
    }

    fn levels_where(&self, node: u32, wanted: impl Fn(bool) -> bool) -> Option<Vec<u32>> {
        let node = &self.nodes[node as usize];
        let (left, levels) = (self.left_bins(node)?, self.levels.as_ref()?.feature(node.feature? as usize)?);
        let fitted = (0..).zip(levels.bins()).filter(|(_, bin)| **bin != UNKNOWN);
        Some(fitted.filter(|(_, bin)| wanted(left.contains(**bin))).map(|(code, _)| code).collect())
    }

    /// Number of leaves.
    pub fn leaves(&self) -> usize {
        self.nodes.len().div_ceil(2)
    }

    /// Divisions on the longest way from the root to a leaf.
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
    pub(super) fn goes_left(&self, node: &Node, value: f32) -> bool {
        match node.level_set {
            None => value <= node.threshold || value.is_nan() && node.missing_left,
            Some(set) => self.sets[set as usize].contains(self.level_bin(node.feature.unwrap_or(0), value)),
        }
    }

    /// The bin of a level, [`UNKNOWN`] where it has none.
    fn level_bin(&self, feature: u32, value: f32) -> u8 {
        let levels = self.levels.as_ref().and_then(|levels| levels.feature(feature as usize));
        levels.map_or(UNKNOWN, |levels| levels.bin(value))
    }

    /// Adds what each division gains to its feature's place in `gains`. Panics when a feature has no place there, as
    /// indexing does.
    pub fn add_gains(&self, gains: &mut [f64]) {
        self.each_division(|feature, gain| gains[feature] += gain);
    }

    /// Adds one to the place of its feature for each division. Panics when a feature has no place there, as indexing
    /// does.
    pub fn add_splits(&self, splits: &mut [u64]) {
        self.each_division(|feature, _| splits[feature] += 1);
    }

    fn each_division(&self, mut add: impl FnMut(usize, f64)) {
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
        text::draw(self, names, &[])
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.to_text(None))
    }
}

/// Puts trees into a container, each array of all their nodes together.
pub(crate) fn store_trees(container: &mut Container, trees: &[Tree]) -> Result<()> {
    let sizes: Vec<u64> = trees.iter().map(|tree| tree.nodes.len() as u64).collect();
    let outputs = trees.first().map_or(1, |tree| tree.outputs);
    let count = trees.iter().map(|tree| tree.nodes.len()).sum();
    let nodes = || trees.iter().flat_map(|tree| &tree.nodes);
    container.insert("tree.sizes", &[trees.len()], sizes)?;
    container.insert(
        "tree.feature",
        &[count],
        nodes().map(|node| node.feature.unwrap_or(LEAF)).collect::<Vec<u32>>(),
    )?;
    container.insert("tree.threshold", &[count], nodes().map(|node| node.threshold).collect::<Vec<f32>>())?;
    container.insert(
        "tree.missing_left",
        &[count],
        nodes().map(|node| u8::from(node.missing_left)).collect::<Vec<u8>>(),
    )?;
    container.insert("tree.children", &[count, 2], nodes().flat_map(|node| node.children).collect::<Vec<u32>>())?;
    container.insert("tree.gain", &[count], nodes().map(|node| node.gain).collect::<Vec<f64>>())?;
    container.insert("tree.weight", &[count], nodes().map(|node| node.weight).collect::<Vec<f64>>())?;
    container.insert("tree.count", &[count], nodes().map(|node| node.count).collect::<Vec<u64>>())?;
    container.insert("tree.impurity", &[count], nodes().map(|node| node.impurity).collect::<Vec<f64>>())?;
    store_level_sets(container, trees)?;
    let values = trees.iter().flat_map(|tree| tree.values.iter().copied()).collect::<Vec<f64>>();
    container.insert("tree.value", &[count, outputs], values)
}

/// Takes trees out again: every feature is below `features`, and children come behind their parents, each once.
pub(crate) fn restore_trees(container: &mut Container, features: usize, outputs: usize) -> Result<Vec<Tree>> {
    let [trees] = container.shape("tree.sizes")?;
    let [count] = container.shape("tree.feature")?;
    let sizes: Vec<u64> = container.take("tree.sizes", &[trees])?;
    let feature: Vec<u32> = container.take("tree.feature", &[count])?;
    let threshold: Vec<f32> = container.take("tree.threshold", &[count])?;
    let missing_left: Vec<u8> = container.take("tree.missing_left", &[count])?;
    let children: Vec<u32> = container.take("tree.children", &[count, 2])?;
    let gain: Vec<f64> = container.take("tree.gain", &[count])?;
    let weight: Vec<f64> = container.take("tree.weight", &[count])?;
    let rows: Vec<u64> = container.take("tree.count", &[count])?;
    let impurity: Vec<f64> = container.take("tree.impurity", &[count])?;
    let values: Vec<f64> = container.take("tree.value", &[count, outputs])?;
    let mut sets = LevelSets::restore(container, count, features)?;
    let nodes: Vec<Node> = (0..count)
        .map(|at| Node {
            feature: Some(feature[at]).filter(|feature| *feature != LEAF),
            threshold: threshold[at],
            level_set: None,
            missing_left: missing_left[at] != 0,
            children: [children[2 * at], children[2 * at + 1]],
            gain: gain[at],
            weight: weight[at],
            count: rows[at],
            impurity: impurity[at],
        })
        .collect();
    let mut restored = Vec::with_capacity(trees);
    let mut start = 0_usize;
    for size in sizes {
        let end = usize::try_from(size).ok().and_then(|size| start.checked_add(size)).filter(|end| *end <= count);
        let Some(end) = end else { return Err(container.refuse("the trees have more nodes than there are")) };
        let nodes = nodes[start..end].to_vec();
        check(&nodes, features).map_err(|why| container.refuse(why))?;
        let values = values[start * outputs..end * outputs].to_vec();
        let mut tree = Tree { outputs, nodes, values, sets: vec![], levels: None };
        sets.give(start, &mut tree).map_err(|why| container.refuse(why))?;
        restored.push(tree);
        start = end;
    }
    if start == count { Ok(restored) } else { Err(container.refuse("there are nodes that belong to no tree")) }
}

/// A tree is a tree: so that following it ends, and stays within the row.
fn check(nodes: &[Node], features: usize) -> std::result::Result<(), String> {
    if nodes.is_empty() {
        return Err("a tree has no nodes".to_string());
    }
    let mut parents = vec![0_u32; nodes.len()];
    for (number, node) in nodes.iter().enumerate() {
        let Some(feature) = node.feature else { continue };
        if feature as usize >= features || feature > FEATURE {
            return Err(format!("a tree divides by feature {feature}, and there are {features}"));
        }
        for child in node.children {
            if child as usize <= number || child as usize >= nodes.len() {
                return Err(format!("node {number} of a tree has the child {child} of {} nodes", nodes.len()));
            }
            parents[child as usize] += 1;
        }
    }
    match parents.iter().skip(1).position(|parents| *parents != 1) {
        Some(at) => Err(format!("node {} of a tree has {} parents", at + 1, parents[at + 1])),
        None => Ok(()),
    }
}
