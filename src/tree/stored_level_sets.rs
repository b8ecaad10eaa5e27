//! The sets of levels of trees in model files.

use std::sync::Arc;

use super::levels::Levels;
use super::tree::Tree;
use crate::cpu::tree::bin_set::{BINS, BinSet};
use crate::error::Result;
use crate::model_file::Container;

/// What stands for the set of a node without one.
const NONE: u32 = u32::MAX;
/// Words of a set.
const WORDS: usize = BINS / 32;

/// Puts the sets of trees that were grown together into a container, beside their other arrays: the set of each node,
/// numbered within its tree, the words of all sets, and the bins of the levels. Trees without levels have none of it.
pub(super) fn store_level_sets(container: &mut Container, trees: &[Tree]) -> Result<()> {
    let Some(levels) = trees.iter().find_map(|tree| tree.levels.as_ref()) else { return Ok(()) };
    if trees.iter().any(|tree| tree.levels.as_ref() != Some(levels)) {
        return Err(container.refuse("its trees have different bins of levels, and a file has room for one kind"));
    }
    let nodes = trees.iter().flat_map(|tree| tree.nodes());
    let numbers: Vec<u32> = nodes.map(|node| node.level_set.unwrap_or(NONE)).collect();
    let words: Vec<u32> = trees.iter().flat_map(|tree| &tree.sets).flat_map(|set| set.0).collect();
    container.insert("tree.level_set", &[numbers.len()], numbers)?;
    container.insert("tree.left_levels", &[words.len() / WORDS, WORDS], words)?;
    levels.store(container)
}

/// Sets that are given back to their trees, one tree after the other.
pub(super) struct LevelSets {
    levels: Option<Arc<Levels>>,
    numbers: Vec<u32>,
    sets: std::vec::IntoIter<BinSet>,
}

impl LevelSets {
    /// Takes the sets of `nodes` nodes out of a container; none where the trees have no levels.
    pub fn restore(container: &mut Container, nodes: usize, features: usize) -> Result<LevelSets> {
        if !container.contains("tree.level_set") {
            return Ok(LevelSets { levels: None, numbers: vec![], sets: vec![].into_iter() });
        }
        let numbers = container.take("tree.level_set", &[nodes])?;
        let [count, _] = container.shape("tree.left_levels")?;
        let words: Vec<u32> = container.take("tree.left_levels", &[count, WORDS])?;
        let (words, _) = words.as_chunks::<WORDS>();
        let sets: Vec<BinSet> = words.iter().map(|words| BinSet(*words)).collect();
        let levels = Some(Arc::new(Levels::restore(container, features)?));
        Ok(LevelSets { levels, numbers, sets: sets.into_iter() })
    }

    /// Gives a tree its sets; its nodes are those from `first` on. Every division by a categorical feature has a set,
    /// in the order in which they were made, and no other node has one.
    pub fn give(&mut self, first: usize, tree: &mut Tree) -> std::result::Result<(), String> {
        let Some(levels) = &self.levels else { return Ok(()) };
        let numbers = &self.numbers[first..first + tree.nodes().len()];
        let own = numbers.iter().filter(|number| **number != NONE).count();
        let mut seen = vec![false; own];
        for (number, set) in (0..).zip(numbers) {
            let feature = tree.nodes()[number as usize].feature;
            let by_levels = feature.is_some_and(|feature| levels.feature(feature as usize).is_some());
            let set = Some(*set).filter(|set| *set != NONE);
            let new =
                set.is_none_or(|set| seen.get_mut(set as usize).is_some_and(|seen| !std::mem::replace(seen, true)));
            if by_levels != set.is_some() || !new {
                return Err(format!("node {number} of a tree has not the set of levels that it should have"));
            }
            tree.node_mut(number).level_set = set;
        }
        tree.sets = self.sets.by_ref().take(own).collect();
        tree.levels = Some(levels.clone());
        match tree.sets.len() == own {
            true => Ok(()),
            false => Err("the trees have more sets of levels than there are".to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::{Node, restore_trees, store_trees};
    use super::*;
    use crate::array::Matrix;
    use crate::tree::level_groups::Guide;

    /// A tree that divides by levels, then by a number, then by levels again.
    fn tree() -> Tree {
        let x = Matrix::from_rows(&[[0.0, 0.5], [3.0, 1.5], [1.0, 2.5]]).unwrap().with_categories([0]).unwrap();
        let levels = Arc::new(Levels::fit(&x, None, 255, &Guide::Columns(&[])).unwrap());
        let mut tree = Tree::leaf(1, Node::default()).with_levels(&levels);
        let [left, right] = tree.divide(0, 0, 9.0, true, 1.0);
        tree.divide_levels(0, [2].into_iter().collect());
        tree.divide(left, 1, 1.25, false, 1.0);
        tree.divide(right, 0, 9.0, false, 1.0);
        tree.divide_levels(right, [0].into_iter().collect());
        tree
    }

    #[test]
    fn sets_come_back_from_a_container_and_say_where_levels_go() {
        let tree = tree();
        assert_eq!((tree.left_levels(0), tree.right_levels(0)), (Some(vec![3]), Some(vec![0, 1])));
        assert_eq!((tree.left_levels(1), tree.left_levels(2)), (None, Some(vec![0])));
        // Level 2 was never seen, 7 is beyond: both go where missing values go.
        let leaves = [0.0, 1.0, 3.0, 2.0, 7.0, f32::NAN].map(|level| tree.leaf_of(&[level, 2.0]));
        assert_eq!(leaves, [5, 6, 4, 4, 4, 4]);
        let mut container = Container::new("test", 1).unwrap();
        store_trees(&mut container, &[tree.clone(), tree.clone()]).unwrap();
        assert_eq!(restore_trees(&mut container, 2, 1).unwrap(), [tree.clone(), tree]);
    }

    #[test]
    fn forged_sets_are_refused() {
        let forge = |name: &str, shape: &[usize], words: Option<Vec<u32>>, bytes: Option<Vec<u8>>| {
            let mut container = Container::new("test", 1).unwrap();
            store_trees(&mut container, &[tree()]).unwrap();
            let [count] = container.shape::<1>(name).unwrap();
            if let Some(words) = words {
                container.take::<u32>(name, &[count]).unwrap();
                container.insert(name, shape, words).unwrap();
            } else if let Some(bytes) = bytes {
                container.take::<u8>(name, &[count]).unwrap();
                container.insert(name, shape, bytes).unwrap();
            }
            restore_trees(&mut container, 2, 1)
        };
        const N: u32 = NONE;
        assert!(forge("tree.level_set", &[7], None, None).is_ok());
        assert!(forge("tree.level_set", &[7], Some(vec![0, N, 1, N, N, N, N]), None).is_ok());
        // A set that is not there, one used twice, a set of numbers, none of levels, too few nodes.
        assert!(forge("tree.level_set", &[7], Some(vec![0, N, 2, N, N, N, N]), None).is_err());
        assert!(forge("tree.level_set", &[7], Some(vec![0, N, 0, N, N, N, N]), None).is_err());
        assert!(forge("tree.level_set", &[7], Some(vec![0, 2, 1, N, N, N, N]), None).is_err());
        assert!(forge("tree.level_set", &[7], Some(vec![0, N, N, N, N, N, N]), None).is_err());
        assert!(forge("tree.level_set", &[6], Some(vec![0, N, 1, N, N, N]), None).is_err());
        // Levels of a feature that is not there, and fewer bins than levels.
        assert!(forge("levels.feature", &[1], Some(vec![2]), None).is_err());
        assert!(forge("levels.bin", &[3], None, Some(vec![0, 1, 2])).is_err());
        assert!(forge("levels.bin", &[4], None, Some(vec![0, 1, 255, 200])).is_ok());
    }
}
