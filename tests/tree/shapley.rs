//! Shapley values against their definition.

use gristmill::cpu::random::philox::Philox;
use gristmill::cpu::tree::SplitRule;
use gristmill::prelude::*;
use gristmill::tree::model::{Cover, ShapleyTree, shapley_values};
use gristmill::tree::{Node, Tree};

const FEATURES: usize = 5;

/// A tree of random splits, some of a feature that was met before, with three values a leaf.
fn random_tree(splits: usize, seed: u64) -> Tree {
    let numbers = Philox::new(seed, 9);
    let mut tree = Tree::leaf(3, Node { count: 1000, weight: 1000.0, ..Node::default() });
    let mut leaves = vec![0_u32];
    for split in 0..splits as u64 {
        let at = numbers.below(8 * split, leaves.len() as u32) as usize;
        let parent = leaves.swap_remove(at);
        let feature = numbers.below(8 * split + 1, FEATURES as u32);
        let missing_left = numbers.below(8 * split + 2, 2) == 0;
        let rule = SplitRule { missing_left, ..SplitRule::at(feature, 0, numbers.normal(8 * split + 3)) };
        let children = tree.split(parent, &rule, 1.0);
        let whole = tree.nodes()[parent as usize].weight;
        let left = whole * (0.1 + 0.2 * f64::from(numbers.below(8 * split + 4, 5)));
        for (child, weight) in children.into_iter().zip([left, whole - left]) {
            tree.node_mut(child).weight = weight;
        }
        leaves.extend(children);
    }
    for leaf in leaves {
        for output in 0..3 {
            tree.value_mut(leaf)[output] = f64::from(numbers.normal(10_000 + 3 * u64::from(leaf) + output as u64));
        }
    }
    tree
}

/// What is expected of a row of which only the features of the set are known.
fn expected(tree: &Tree, node: u32, row: &[f32], known: u32, output: usize) -> f64 {
    let own = &tree.nodes()[node as usize];
    let Some(feature) = own.feature else { return tree.value(node)[output] };
    let of = |child: u32| expected(tree, child, row, known, output);
    if known >> feature & 1 == 1 {
        return of(own.children[usize::from(!tree.goes_left(own, row[feature as usize]))]);
    }
    let weights = own.children.map(|child| tree.nodes()[child as usize].weight);
    (weights[0] * of(own.children[0]) + weights[1] * of(own.children[1])) / (weights[0] + weights[1])
}

/// Shapley's definition: the mean over all subsets, by how many orders of the features lead to each.
fn by_subsets(tree: &Tree, row: &[f32], feature: usize, output: usize) -> f64 {
    let factorial = |n: usize| (1..=n).product::<usize>() as f64;
    let without = (0..1_u32 << FEATURES).filter(|set| set >> feature & 1 == 0);
    let part = |set: u32| {
        let size = set.count_ones() as usize;
        let orders = factorial(size) * factorial(FEATURES - size - 1) / factorial(FEATURES);
        let gain = expected(tree, 0, row, set | 1 << feature, output) - expected(tree, 0, row, set, output);
        orders * gain
    };
    without.map(part).sum()
}

#[test]
fn they_are_those_of_all_subsets() {
    for seed in 0..12 {
        let trees = [random_tree(seed as usize, seed), random_tree(14, seed + 100)];
        let mut values: Vec<f32> = (0..40).map(|at| Philox::new(seed, 3).normal(at)).collect();
        values[7] = f32::NAN;
        let x = Matrix::from_vec(8, FEATURES, values).unwrap();
        let terms =
            [ShapleyTree::new(&trees[0], 0, 0.5, Cover::Weights), ShapleyTree::new(&trees[1], 0, 2.0, Cover::Weights)];
        let found = shapley_values(&terms, &[1.0, 2.0, 3.0], &x).unwrap();
        for (output, found) in found.iter().enumerate() {
            for row in 0..8 {
                let mut sum = 0.0;
                for feature in 0..FEATURES {
                    let of = |tree: &Tree| by_subsets(tree, x.row(row), feature, output);
                    let wanted = 0.5 * of(&trees[0]) + 2.0 * of(&trees[1]);
                    sum += wanted;
                    let value = f64::from(found.get(row, feature));
                    assert!((value - wanted).abs() < 1e-6, "seed {seed}: {value} {wanted}");
                }
                let of = |tree: &Tree| tree.value(tree.leaf_of(x.row(row)))[output];
                let whole = (output + 1) as f64 + 0.5 * of(&trees[0]) + 2.0 * of(&trees[1]);
                assert!((f64::from(found.get(row, FEATURES)) + sum - whole).abs() < 1e-5);
            }
        }
    }
}
