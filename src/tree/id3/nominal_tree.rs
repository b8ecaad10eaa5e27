//! A tree with a branch for each category.

use crate::error::Result;
use crate::model_file::Container;

/// What stands for the column of a leaf.
const LEAF: u32 = u32::MAX;

/// A tree of nominal columns: nodes in an array, the root first, level by level; the children of a node stand
/// together.
#[derive(Debug, Clone, PartialEq)]
pub struct NominalTree {
    pub(super) classes: usize,
    pub(super) nodes: Vec<NominalNode>,
    /// Nodes×classes.
    pub(super) probabilities: Vec<f64>,
}

/// One node of a [`NominalTree`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NominalNode {
    /// The column that is asked for; none in a leaf.
    pub column: Option<u32>,
    /// The categories of that column that the rows had, ascending; none in a leaf.
    pub categories: Vec<u32>,
    /// The node of the first of these categories; the others follow. 0 in a leaf.
    pub first_child: u32,
    /// The information gain of the split, in bits; 0 in a leaf.
    pub gain: f64,
    /// The entropy of the classes, in bits.
    pub entropy: f64,
    /// Σ of the weights of the rows.
    pub weight: f64,
    /// Number of rows.
    pub count: u64,
}

impl NominalTree {
    /// The nodes, the root first.
    pub fn nodes(&self) -> &[NominalNode] {
        &self.nodes
    }

    /// The share of each class in a node. Panics when there is no such node, as indexing does.
    pub fn probabilities(&self, node: u32) -> &[f64] {
        &self.probabilities[node as usize * self.classes..][..self.classes]
    }

    /// The share of each class in each node, nodes×classes, as if one more row had the shares of its parent: a leaf of
    /// one row is no proof, and leaves of equal shares are ranked by what is above them (an m-estimate with m = 1;
    /// Provost and Domingos 2003). One row never outweighs a class that leads by one.
    pub fn smoothed_probabilities(&self) -> Vec<f64> {
        let mut smoothed = self.probabilities.clone();
        for (number, node) in self.nodes.iter().enumerate() {
            for (_, child) in node.children() {
                let weight = self.nodes[child as usize].weight;
                for class in 0..self.classes {
                    let above = smoothed[number * self.classes + class];
                    let own = &mut smoothed[child as usize * self.classes + class];
                    *own = (weight * *own + above) / (weight + 1.0);
                }
            }
        }
        smoothed
    }

    /// Number of leaves.
    pub fn leaves(&self) -> usize {
        self.nodes.iter().filter(|node| node.column.is_none()).count()
    }

    /// The depth: splits on the longest way from the root to a leaf.
    pub fn depth(&self) -> usize {
        let mut depths = vec![0; self.nodes.len()];
        for (number, node) in self.nodes.iter().enumerate() {
            node.children().for_each(|(_, child)| depths[child as usize] = depths[number] + 1);
        }
        depths.into_iter().max().unwrap_or(0)
    }

    /// The node that a row of codes ends in: a leaf, or the last one that knows its category. Panics when the row has
    /// fewer columns than the tree asks for, as indexing does.
    pub fn node_of(&self, row: &[f32]) -> u32 {
        let mut at = 0;
        loop {
            let node = &self.nodes[at as usize];
            let Some(column) = node.column else { return at };
            // −0 is category 0.
            let value = row[column as usize] + 0.0;
            let category = node.categories.binary_search_by(|category| (*category as f32).total_cmp(&value));
            match category {
                Ok(place) => at = node.first_child + place as u32,
                Err(_) => return at,
            }
        }
    }

    /// Puts the tree into a container.
    pub(super) fn store(&self, container: &mut Container) -> Result<()> {
        let (count, nodes) = (self.nodes.len(), &self.nodes);
        let column = nodes.iter().map(|node| node.column.unwrap_or(LEAF)).collect::<Vec<u32>>();
        let categories: Vec<u32> = nodes.iter().flat_map(|node| node.categories.iter().copied()).collect();
        container.insert("node.column", &[count], column)?;
        container.insert(
            "node.branches",
            &[count],
            nodes.iter().map(|node| node.categories.len() as u32).collect::<Vec<_>>(),
        )?;
        container.insert("node.gain", &[count], nodes.iter().map(|node| node.gain).collect::<Vec<f64>>())?;
        container.insert("node.entropy", &[count], nodes.iter().map(|node| node.entropy).collect::<Vec<f64>>())?;
        container.insert("node.weight", &[count], nodes.iter().map(|node| node.weight).collect::<Vec<f64>>())?;
        container.insert("node.count", &[count], nodes.iter().map(|node| node.count).collect::<Vec<u64>>())?;
        container.insert("branch.category", &[categories.len()], categories)?;
        container.insert("node.probabilities", &[count, self.classes], self.probabilities.clone())
    }

    /// Takes it out again: every column is below `columns`, and each node but the root is some node's child.
    pub(super) fn restore(container: &mut Container, columns: usize, classes: usize) -> Result<NominalTree> {
        let columns = container.size("columns", columns as u64)?;
        let [count] = container.shape("node.column")?;
        let column: Vec<u32> = container.take("node.column", &[count])?;
        let branches: Vec<u32> = container.take("node.branches", &[count])?;
        let gain: Vec<f64> = container.take("node.gain", &[count])?;
        let entropy: Vec<f64> = container.take("node.entropy", &[count])?;
        let weight: Vec<f64> = container.take("node.weight", &[count])?;
        let rows: Vec<u64> = container.take("node.count", &[count])?;
        let [all] = container.shape("branch.category")?;
        let categories: Vec<u32> = container.take("branch.category", &[all])?;
        let probabilities: Vec<f64> = container.take("node.probabilities", &[count, classes])?;
        let (mut nodes, mut next) = (Vec::with_capacity(count), 1_usize);
        for at in 0..count {
            let own = Some(column[at]).filter(|column| *column != LEAF);
            let (from, to) = (next - 1, next - 1 + branches[at] as usize);
            let fits = own.is_some() == (branches[at] > 0) && own.is_none_or(|own| (own as usize) < columns);
            let categories =
                categories.get(from..to).filter(|categories| categories.is_sorted_by(|one, other| one < other));
            // Children come behind their parents, so that following them ends.
            let (Some(categories), true) = (categories, fits && (own.is_none() || next > at)) else {
                return Err(container.refuse(format!("node {at} of the tree has branches that cannot be")));
            };
            let first_child = if own.is_some() { next as u32 } else { 0 };
            next += categories.len();
            let (gain, entropy, weight, count) = (gain[at], entropy[at], weight[at], rows[at]);
            nodes.push(NominalNode {
                column: own,
                categories: categories.to_vec(),
                first_child,
                gain,
                entropy,
                weight,
                count,
            });
        }
        match count > 0 && next == count && all + 1 == count {
            true => Ok(NominalTree { classes, nodes, probabilities }),
            false => Err(container.refuse(format!("{all} branches do not lead to {count} nodes"))),
        }
    }
}

impl NominalNode {
    /// Each category and the node it leads to.
    pub fn children(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.categories.iter().zip(self.first_child..).map(|(category, child)| (*category, child))
    }
}
