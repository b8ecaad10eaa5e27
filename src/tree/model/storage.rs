//! Trees in model files.

use std::sync::Arc;

use super::tree::{Node, Tree};
use crate::cpu::tree::BinSet;
use crate::cpu::tree::categories::BINS;
use crate::cpu::tree::predict::FEATURE;
use crate::error::Result;
use crate::model_file::Container;
use crate::tree::bins::Categories;

/// What stands for the feature of a leaf.
const LEAF: u32 = u32::MAX;
/// What stands for the set of a node without one.
const NONE: u32 = u32::MAX;
/// Words of a set.
const WORDS: usize = BINS / 32;

/// Puts trees into a container, each array of all their nodes together.
pub fn store_trees(container: &mut Container, trees: &[Tree]) -> Result<()> {
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
    store_category_sets(container, trees)?;
    let values = trees.iter().flat_map(|tree| tree.values.iter().copied()).collect::<Vec<f64>>();
    container.insert("tree.value", &[count, outputs], values)
}

/// Takes trees out again: every feature is below `features`, and children come behind their parents, each once.
pub fn restore_trees(container: &mut Container, features: usize, outputs: usize) -> Result<Vec<Tree>> {
    let (features, outputs) = (container.size("columns", features as u64)?, container.size("outputs", outputs as u64)?);
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
    let mut sets = StoredSets::restore(container, count, features)?;
    let nodes: Vec<Node> = (0..count)
        .map(|at| Node {
            feature: Some(feature[at]).filter(|feature| *feature != LEAF),
            threshold: threshold[at],
            category_set: None,
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
        let mut tree = Tree { outputs, nodes, values, sets: vec![], categories: None };
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
            return Err(format!("a tree splits by feature {feature}, and there are {features}"));
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

/// Puts the sets of trees that were grown together into a container, beside their other arrays: the set of each node,
/// numbered within its tree, the words of all sets, and the bins of the categories. Trees without them have none of it.
fn store_category_sets(container: &mut Container, trees: &[Tree]) -> Result<()> {
    let Some(categories) = trees.iter().find_map(|tree| tree.categories.as_ref()) else { return Ok(()) };
    if trees.iter().any(|tree| tree.categories.as_ref() != Some(categories)) {
        return Err(container.refuse("its trees have different bins of categories, and a file has room for one kind"));
    }
    let nodes = trees.iter().flat_map(|tree| tree.nodes());
    let numbers: Vec<u32> = nodes.map(|node| node.category_set.unwrap_or(NONE)).collect();
    let words: Vec<u32> = trees.iter().flat_map(|tree| &tree.sets).flat_map(|set| set.0).collect();
    container.insert("tree.category_set", &[numbers.len()], numbers)?;
    container.insert("tree.left_categories", &[words.len() / WORDS, WORDS], words)?;
    categories.store(container)
}

/// Sets that are given back to their trees, one tree after the other.
struct StoredSets {
    categories: Option<Arc<Categories>>,
    numbers: Vec<u32>,
    sets: std::vec::IntoIter<BinSet>,
}

impl StoredSets {
    /// Takes the sets of `nodes` nodes out of a container; none where the trees have no categories.
    fn restore(container: &mut Container, nodes: usize, features: usize) -> Result<StoredSets> {
        if !container.contains("tree.category_set") {
            return Ok(StoredSets { categories: None, numbers: vec![], sets: vec![].into_iter() });
        }
        let numbers = container.take("tree.category_set", &[nodes])?;
        let [count, _] = container.shape("tree.left_categories")?;
        let words: Vec<u32> = container.take("tree.left_categories", &[count, WORDS])?;
        let (words, _) = words.as_chunks::<WORDS>();
        let sets: Vec<BinSet> = words.iter().map(|words| BinSet(*words)).collect();
        let categories = Some(Arc::new(Categories::restore(container, features)?));
        Ok(StoredSets { categories, numbers, sets: sets.into_iter() })
    }

    /// Gives a tree its sets; its nodes are those from `first` on. Every split by a categorical feature has a set,
    /// in the order in which they were made, and no other node has one.
    fn give(&mut self, first: usize, tree: &mut Tree) -> std::result::Result<(), String> {
        let Some(categories) = &self.categories else { return Ok(()) };
        let numbers = &self.numbers[first..first + tree.nodes().len()];
        let own = numbers.iter().filter(|number| **number != NONE).count();
        let mut seen = vec![false; own];
        for (number, set) in (0..).zip(numbers) {
            let feature = tree.nodes()[number as usize].feature;
            let by_categories = feature.is_some_and(|feature| categories.feature(feature as usize).is_some());
            let set = Some(*set).filter(|set| *set != NONE);
            let new =
                set.is_none_or(|set| seen.get_mut(set as usize).is_some_and(|seen| !std::mem::replace(seen, true)));
            if by_categories != set.is_some() || !new {
                return Err(format!("node {number} of a tree has not the set of categories that it should have"));
            }
            tree.node_mut(number).category_set = set;
        }
        tree.sets = self.sets.by_ref().take(own).collect();
        tree.categories = Some(categories.clone());
        match tree.sets.len() == own {
            true => Ok(()),
            false => Err("the trees have more sets of categories than there are".to_string()),
        }
    }
}
