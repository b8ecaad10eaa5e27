//! Trees in model files.

use std::sync::Arc;

use gristmill::cpu::tree::SplitRule;
use gristmill::model_file::Container;
use gristmill::prelude::*;
use gristmill::tree::bins::{Categories, CategoryTargets};
use gristmill::tree::model::{restore_trees, store_trees};
use gristmill::tree::{Node, Tree};

/// A tree that splits categories, then numbers, then categories again.
fn tree() -> Tree {
    let x = Matrix::from_rows(&[[0.0, 0.5], [3.0, 1.5], [1.0, 2.5]]).unwrap().with_categories([0]).unwrap();
    let categories = Arc::new(Categories::fit(&x, None, 255, &CategoryTargets::Columns(&[])).unwrap());
    let mut tree = Tree::leaf(1, Node::default()).with_categories(&categories);
    let by_set = |bin: u8, missing_left: bool| SplitRule {
        categories: Some([bin].into_iter().collect()),
        missing_left,
        ..SplitRule::at(0, 0, 9.0)
    };
    let [left, right] = tree.split(0, &by_set(2, true), 1.0);
    tree.split(left, &SplitRule::at(1, 0, 1.25), 1.0);
    tree.split(right, &by_set(0, false), 1.0);
    tree
}

#[test]
fn sets_come_back_from_a_container_and_say_where_categories_go() {
    let tree = tree();
    assert_eq!((tree.left_categories(0), tree.right_categories(0)), (Some(vec![3]), Some(vec![0, 1])));
    assert_eq!((tree.left_categories(1), tree.left_categories(2)), (None, Some(vec![0])));
    // Category 2 was never seen, 7 is beyond: both go where missing values go.
    let leaves = [0.0, 1.0, 3.0, 2.0, 7.0, f32::NAN].map(|category| tree.leaf_of(&[category, 2.0]));
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
    const N: u32 = u32::MAX;
    assert!(forge("tree.category_set", &[7], None, None).is_ok());
    assert!(forge("tree.category_set", &[7], Some(vec![0, N, 1, N, N, N, N]), None).is_ok());
    // A set that is not there, one used twice, a set of numbers, none of categories, too few nodes.
    assert!(forge("tree.category_set", &[7], Some(vec![0, N, 2, N, N, N, N]), None).is_err());
    assert!(forge("tree.category_set", &[7], Some(vec![0, N, 0, N, N, N, N]), None).is_err());
    assert!(forge("tree.category_set", &[7], Some(vec![0, 2, 1, N, N, N, N]), None).is_err());
    assert!(forge("tree.category_set", &[7], Some(vec![0, N, N, N, N, N, N]), None).is_err());
    assert!(forge("tree.category_set", &[6], Some(vec![0, N, 1, N, N, N]), None).is_err());
    // Categories of a feature that is not there, and fewer bins than categories.
    assert!(forge("categories.feature", &[1], Some(vec![2]), None).is_err());
    assert!(forge("categories.bin", &[3], None, Some(vec![0, 1, 2])).is_err());
    assert!(forge("categories.bin", &[4], None, Some(vec![0, 1, 255, 200])).is_ok());
}
