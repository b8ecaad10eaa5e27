//! The ways to grow a tree agree: exact and binned, node after node and level by level, on any number of threads.

use gristmill::cpu::random::philox::Philox;
use gristmill::cpu::tree::splitters::FeatureDraw;
use gristmill::cpu::tree::target::{ClassTarget, FixedValues, FixedWeights, TreeTarget};
use gristmill::prelude::*;
use gristmill::tree::grow::TreeTable;
use gristmill::tree::parameters::TreeLimits;
use gristmill::tree::{Criterion, Node, Tree};

const NO_LIMITS: TreeLimits = TreeLimits {
    max_depth: None,
    max_leaf_nodes: None,
    min_samples_split: 2,
    min_samples_leaf: 1,
    min_impurity_decrease: 0.0,
    ccp_alpha: 0.0,
};

/// Rows of few distinct values: some missing, a constant column, and three sparse ones that can share a column.
fn rows(count: usize, seed: u64) -> Matrix {
    let numbers = Philox::new(seed, 1);
    let mut values = vec![];
    for row in 0..count as u64 {
        let of = |column: u64, bound: u32| numbers.below(row * 16 + column, bound);
        let sparse = |at: u32| if of(5, 4) == at { of(6, 5) as f32 } else { 0.0 };
        let maybe = |column: u64, value: f32| if of(column + 8, 7) == 0 { f32::NAN } else { value };
        values.extend([of(0, 30) as f32 / 4.0, maybe(1, of(1, 9) as f32), of(2, 200) as f32 - 100.0, 3.5]);
        values.extend([sparse(0), sparse(1), sparse(2), maybe(3, -(of(3, 2) as f32))]);
    }
    Matrix::from_vec(count, 8, values).unwrap()
}

/// The same rows with categorical columns: many categories, few with missing ones, and more than there are bins for rows.
fn rows_with_categories(count: usize, seed: u64) -> Matrix {
    let mut x = rows(count, seed);
    for row in x.as_mut_slice().chunks_exact_mut(8) {
        (row[0], row[2], row[7]) = (4.0 * row[0], row[2] + 100.0, -row[7]);
    }
    x.with_categories([0, 1, 2, 7]).unwrap()
}

/// Everything but the thresholds, which lie elsewhere between the same values.
fn shape(tree: &Tree) -> (Vec<Node>, &[f64]) {
    (tree.nodes().iter().map(|node| Node { threshold: 0.0, ..*node }).collect(), tree.values())
}

/// Grows in every way and compares.
fn check<T: TreeTarget>(x: &Matrix, target: &T, limits: &TreeLimits, draw: FeatureDraw, what: &str) {
    let exact_table = TreeTable::new(x, target, None).unwrap();
    let exact = exact_table.grow_on_one(target, limits, draw);
    let binned = TreeTable::new(x, target, Some(255)).unwrap();
    let one = binned.grow_on_one(target, limits, draw);
    assert_eq!(shape(&exact), shape(&one), "{what}: exact and binned");
    for row in (0..x.rows()).filter(|row| target.counts(*row)) {
        assert_eq!(exact.leaf_of(x.row(row)), one.leaf_of(x.row(row)), "{what}: row {row}");
    }
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let together = pool.install(|| binned.grow(target, limits, draw).unwrap());
        assert_eq!(together, one, "{what}: level by level on {threads} threads");
        assert_eq!(pool.install(|| exact_table.grow(target, limits, draw).unwrap()), exact, "{what}: exact");
    }
}

/// Limits of several kinds.
fn several_limits() -> [TreeLimits; 5] {
    [
        NO_LIMITS,
        TreeLimits { max_depth: Some(3), min_samples_leaf: 4, ..NO_LIMITS },
        TreeLimits { max_leaf_nodes: Some(9), ..NO_LIMITS },
        TreeLimits { min_samples_split: 30, min_impurity_decrease: 0.004, ..NO_LIMITS },
        TreeLimits { max_depth: Some(0), ..NO_LIMITS },
    ]
}

#[test]
fn all_ways_to_grow_a_tree_of_classes_agree() {
    for (seed, count) in [(0, 1), (1, 2), (2, 40), (3, 300), (4, 1100)] {
        let x = rows(count, seed);
        let numbers = Philox::new(seed, 2);
        for (classes, criterion) in [
            (2, Criterion::Gini),
            (3, Criterion::Gini),
            (2, Criterion::Entropy),
            (4, Criterion::Entropy),
            (3, Criterion::Misclassification),
        ] {
            let noisy = |row: usize| if x.get(row, 0) > 4.0 { 0 } else { numbers.below(row as u64, classes) };
            let codes: Vec<u32> = (0..count).map(noisy).collect();
            let heavy: Vec<f64> = (0..count as u64).map(|row| f64::from(numbers.below(row + 5000, 4)) * 0.37).collect();
            let weighted = heavy.iter().any(|weight| *weight > 0.0);
            for weights in [None, Some(heavy.as_slice()).filter(|_| weighted)] {
                let fixed = FixedWeights::for_classes("test", count, weights).unwrap();
                let target = ClassTarget::new(&codes, classes as usize, fixed, criterion);
                for limits in several_limits() {
                    for features in [8, 3] {
                        let draw = FeatureDraw::new(seed, 0, 8, features);
                        let what =
                            format!("{count} rows, {classes} classes, {criterion:?}, {limits:?}, {features} features");
                        check(&x, &target, &limits, draw, &what);
                    }
                }
            }
        }
    }
}

#[test]
fn all_ways_to_grow_a_tree_by_categories_agree() {
    for (seed, count) in [(2, 40), (3, 300), (4, 1100)] {
        let x = rows_with_categories(count, seed);
        let numbers = Philox::new(seed, 4);
        for (classes, criterion) in [(2, Criterion::Gini), (4, Criterion::Entropy)] {
            let noisy = |row: usize| if x.get(row, 0) % 3.0 == 1.0 { 0 } else { numbers.below(row as u64, classes) };
            let codes: Vec<u32> = (0..count).map(noisy).collect();
            let fixed = FixedWeights::for_classes("test", count, None).unwrap();
            let target = ClassTarget::new(&codes, classes as usize, fixed, criterion);
            for (limits, features) in several_limits().into_iter().flat_map(|limits| [(limits, 8), (limits, 3)]) {
                let draw = FeatureDraw::new(seed, 0, 8, features);
                check(&x, &target, &limits, draw, &format!("{count} rows, {classes} classes, {limits:?}"));
            }
        }
        let value = |row: usize| x.get(row, 0) % 5.0 + numbers.below(row as u64, 5) as f32;
        let y: Vec<f32> = (0..count).map(value).collect();
        let values = FixedValues::new("test", &y, 1, None).unwrap();
        for limits in several_limits() {
            let draw = FeatureDraw::new(seed, 0, 8, 8);
            check(&x, &values.target(None), &limits, draw, &format!("{count} rows of numbers, {limits:?}"));
        }
    }
}

#[test]
fn all_ways_to_grow_a_tree_of_numbers_agree() {
    for (seed, count) in [(0, 1), (1, 2), (2, 40), (3, 300), (4, 1100)] {
        let x = rows(count, seed);
        let numbers = Philox::new(seed, 3);
        for outputs in [1, 3] {
            let value = |at: usize| x.get(at / outputs, 0) * 10.0 + 1e3 + numbers.below(at as u64, 5) as f32;
            let y: Vec<f32> = (0..count * outputs).map(value).collect();
            let times: Vec<u32> =
                (0..count as u64).map(|row| numbers.below(row + 9000, 3) + u32::from(row == 0)).collect();
            let weights: Vec<f32> = times.iter().map(|times| *times as f32 * 0.3).collect();
            for (weights, times) in [(None, None), (None, Some(times.as_slice())), (Some(weights.as_slice()), None)] {
                let values = FixedValues::new("test", &y, outputs, weights).unwrap();
                for limits in several_limits() {
                    for features in [8, 3] {
                        let draw = FeatureDraw::new(seed, 0, 8, features);
                        let what = format!("{count} rows, {outputs} outputs, {limits:?}, {features} features");
                        check(&x, &values.target(times), &limits, draw, &what);
                    }
                }
            }
        }
    }
}
