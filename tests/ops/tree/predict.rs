use gristmill::DeviceKind;
use gristmill::cpu::tree::predict::{CATEGORIES, FlatNode, FlatTrees, MISSING_LEFT};
use gristmill::cpu::tree::{BinSet, UNKNOWN};
use gristmill::ops::tree::predict::{LeafValues, predict, predict_sums};
use gristmill::prelude::*;

use super::Numbers;
use crate::support::{devices, gpu_with};

/// A tree of so many divisions, each of a leaf that chance picks.
fn tree(numbers: &mut Numbers, divisions: usize, features: usize, values: &[f32]) -> Vec<FlatNode> {
    let leaf = |number: usize| FlatNode { threshold: 0.0, feature: 0, children: [number as u32; 2] };
    let mut steps = vec![leaf(0)];
    let mut leaves = vec![0];
    for _ in 0..divisions {
        let place = numbers.below(leaves.len());
        let parent = leaves.swap_remove(place);
        let first = steps.len();
        let missing = if numbers.below(2) == 0 { MISSING_LEFT } else { 0 };
        let feature = numbers.below(features) as u32 | missing;
        let children = [first as u32, first as u32 + 1];
        steps[parent] = FlatNode { threshold: values[numbers.below(values.len())], feature, children };
        steps.extend([leaf(first), leaf(first + 1)]);
        leaves.extend([first, first + 1]);
    }
    steps
}

fn depth(steps: &[FlatNode]) -> usize {
    let mut depths = vec![0; steps.len()];
    for (number, step) in steps.iter().enumerate().filter(|(number, step)| step.children[0] as usize != *number) {
        step.children.iter().for_each(|child| depths[*child as usize] = depths[number] + 1);
    }
    depths.into_iter().max().unwrap_or(0)
}

/// One row after the other.
fn oracle(steps: &[FlatNode], row: &[f32]) -> u32 {
    let mut at = 0;
    while steps[at].children[0] as usize != at {
        let FlatNode { threshold, feature, children } = steps[at];
        let value = row[(feature & !MISSING_LEFT) as usize];
        let left = if value.is_nan() { feature & MISSING_LEFT != 0 } else { value <= threshold };
        at = children[usize::from(!left)] as usize;
    }
    at as u32
}

/// Ordinary numbers, and those that are next to nothing.
fn values() -> Vec<f32> {
    let tiny = f32::from_bits(1);
    let plain = (0..40).map(|at| (at as f32 - 20.0) * 0.37);
    plain
        .chain([0.0, -0.0, tiny, -tiny, 2.0 * tiny, -2.0 * tiny, 1e-39, -1e-39, f32::MIN_POSITIVE, f32::MAX, f32::MIN])
        .collect()
}

fn rows(rows: usize, columns: usize, seed: u64) -> Matrix {
    let (mut numbers, values) = (Numbers::new(seed), values());
    let mut value = || if numbers.below(9) == 0 { f32::NAN } else { values[numbers.below(values.len())] };
    Matrix::from_vec(rows, columns, (0..rows * columns).map(|_| value()).collect()).unwrap()
}

fn check(device: &Device, x: &Matrix, divisions: &[usize], label: &str) {
    let mut numbers = Numbers::new(60);
    let trees: Vec<Vec<FlatNode>> =
        divisions.iter().map(|divisions| tree(&mut numbers, *divisions, x.columns(), &values())).collect();
    let mut walk = FlatTrees::default();
    trees.iter().for_each(|steps| walk.push(steps.iter().copied(), depth(steps)));
    let mut found = vec![vec![]; x.rows()];
    let mut stream = device.stream();
    let note = |out: &mut [Vec<(usize, u32)>], tree: usize, leaves: &[u32]| {
        out.iter_mut().zip(leaves).for_each(|(out, leaf)| out.push((tree, *leaf)));
    };
    predict(&mut stream, &x.to(device).unwrap(), &walk, &mut found, 1, note).unwrap();
    for (row, found) in found.iter().enumerate() {
        let wanted: Vec<(usize, u32)> = trees.iter().map(|steps| oracle(steps, x.row(row))).enumerate().collect();
        assert_eq!(*found, wanted, "{label}: row {row}");
    }
}

#[test]
fn rows_end_in_the_right_leaves_at_edge_sizes() {
    for (name, device) in devices() {
        for count in [0, 1, 2, 63, 64, 65, 255, 256, 257, 1000] {
            for columns in [1, 5] {
                check(device, &rows(count, columns, 61), &[7, 0, 30, 1, 12], &format!("{name}: {count}×{columns}"));
            }
        }
    }
}

#[test]
fn leaf_numbers_of_any_width_come_back() {
    for (name, device) in devices() {
        check(device, &rows(300, 4, 62), &[127; 9], name);
        check(device, &rows(300, 4, 63), &[128, 3, 500], name);
        check(device, &rows(40, 4, 64), &[33_000, 5], name);
        check(device, &rows(40, 4, 65), &[], name);
    }
}

#[test]
fn more_workgroups_than_one_dimension_has_are_folded() {
    for (name, device) in devices() {
        check(device, &rows(70_000, 1, 66), &[1; 245], name);
    }
}

#[test]
fn chunks_and_budgets_do_not_show() {
    let x = rows(5000, 6, 67);
    let split = [1, 2, 7, 64, 1000].map(|rows| DeviceOptions::default().chunk_rows(rows));
    let tight = [1, 16, 128].map(|mebibytes| DeviceOptions::default().memory_budget(mebibytes << 20));
    for (number, options) in split.into_iter().chain(tight).enumerate() {
        check(&gpu_with(options.mark_outputs(true)), &x, &[31; 50], &format!("options {number}"));
    }
}

#[test]
fn a_tree_of_a_column_that_is_not_there_is_refused() {
    let mut walk = FlatTrees::default();
    walk.push(tree(&mut Numbers::new(1), 20, 5, &[0.0]), 20);
    for (name, device) in devices() {
        let x = rows(3, 2, 1).to(device).unwrap();
        let refused = predict(&mut device.stream(), &x, &walk, &mut [0.0; 3], 1, |_, _, _| ());
        assert!(matches!(refused, Err(Error::Shape { op: "predict", .. })), "{name}: {refused:?}");
    }
}

#[test]
fn sets_of_levels_lead_where_they_say() {
    // Levels in bins: some share one, some have none; and divisions by sets, mixed with those of numbers.
    let mut numbers = Numbers::new(61);
    let bins = [5, 37, 1000].map(|levels| {
        let bin = |_| if numbers.below(8) == 0 { UNKNOWN } else { numbers.below(255.min(levels)) as u8 };
        (0..levels).map(bin).collect::<Vec<u8>>()
    });
    let strange = [f32::NAN, -1.0, -0.0, 0.5, 1e-40, 4.0, 5.0, 36.0, 37.0, 999.0, 1000.0, 1e7, 16_777_216.0, f32::MAX];
    let mut value = |column: usize| match numbers.below(3) {
        0 => strange[numbers.below(strange.len())],
        _ => numbers.below([5, 37, 1000, 9][column]) as f32,
    };
    let x = Matrix::from_vec(700, 4, (0..2800).map(|at| value(at % 4)).collect()).unwrap();
    let mut walk = FlatTrees::default();
    let tables = bins.each_ref().map(|bins| walk.add_bins(bins));
    let (mut trees, mut sets) = (vec![], vec![]);
    for divisions in [1, 30, 300, 3] {
        let mut steps = tree(&mut numbers, divisions, 4, &[2.0, 4.5, 7.0]);
        let mut left = vec![BinSet::default(); steps.len()];
        for number in 0..steps.len() {
            let feature = (steps[number].feature & !MISSING_LEFT) as usize;
            if steps[number].children[0] as usize != number && feature < 3 && divisions != 3 {
                left[number] = (0..=255).filter(|_| numbers.below(2) == 0).collect();
                steps[number].threshold = walk.add_set(tables[feature], &left[number]);
                steps[number].feature |= CATEGORIES;
            }
        }
        walk.push(steps.iter().copied(), depth(&steps));
        trees.push(steps);
        sets.push(left);
    }
    let leaf_of = |tree: usize, row: &[f32]| {
        let steps: &[FlatNode] = &trees[tree];
        let mut at = 0;
        while steps[at].children[0] as usize != at {
            let FlatNode { threshold, feature, children } = steps[at];
            let value = row[(feature & 3) as usize];
            let left = if feature & CATEGORIES == 0 {
                if value.is_nan() { feature & MISSING_LEFT != 0 } else { value <= threshold }
            } else {
                let bins = &bins[(feature & 3) as usize];
                let is_code = value >= 0.0 && value.fract() == 0.0 && value < bins.len() as f32;
                sets[tree][at].contains(if is_code { bins[value as usize] } else { UNKNOWN })
            };
            at = children[usize::from(!left)] as usize;
        }
        at as u32
    };
    for (name, device) in devices() {
        let mut found = vec![0; x.rows() * trees.len()];
        let note = |out: &mut [u32], tree: usize, leaves: &[u32]| {
            out.iter_mut().skip(tree).step_by(trees.len()).zip(leaves).for_each(|(out, leaf)| *out = *leaf);
        };
        predict(&mut device.stream(), &x.to(device).unwrap(), &walk, &mut found, trees.len(), note).unwrap();
        for (row, found) in found.chunks_exact(trees.len()).enumerate() {
            let wanted: Vec<u32> = (0..trees.len()).map(|tree| leaf_of(tree, x.row(row))).collect();
            assert_eq!(*found, wanted, "{name}: row {row}");
        }
    }
}

#[test]
fn a_dispatch_takes_no_more_steps_than_half_a_second_allows() {
    let device = gpu_with(DeviceOptions::default());
    let (mut numbers, values) = (Numbers::new(5), values());
    let trees: Vec<Vec<FlatNode>> = (0..40).map(|_| tree(&mut numbers, 255, 4, &values)).collect();
    let levels: u64 = trees.iter().map(|tree| depth(tree) as u64 + 1).sum();
    let mut flat = FlatTrees::default();
    trees.iter().for_each(|tree| flat.push(tree.iter().copied(), depth(tree)));
    let x = rows(40_000, 4, 6);
    let mut out = vec![0_u64; x.rows()];
    device.profile(true);
    let on_device = x.to(&device).unwrap();
    let add = |out: &mut [u64], _: usize, leaves: &[u32]| {
        out.iter_mut().zip(leaves).for_each(|(sum, leaf)| *sum += u64::from(*leaf));
    };
    predict(&mut device.stream(), &on_device, &flat, &mut out, 1, add).unwrap();
    let profile = &device.profile_report().kernels["tree/predict"];
    // 24 ns a step on a busy software driver; real cards are given five times as many.
    let (steps, most) = (levels * x.rows() as u64, 100_000_000);
    assert!(steps / profile.dispatches <= most, "{steps} steps in {} dispatches", profile.dispatches);
    if device.info().kind == DeviceKind::Software {
        assert!(steps / profile.dispatches <= 20_000_000, "{steps} steps in {} dispatches", profile.dispatches);
    }
}

#[test]
fn values_of_leaves_are_added_to_the_bit() {
    let mut numbers = Numbers::new(90);
    for (name, device) in devices() {
        // One output or three, which trees have all of or take in turn; few rows, whose leaf numbers come back, and many; a value
        // next to 0, which no device adds.
        for (count, outputs, of_all, next_to_0) in [
            (3, 3, true, 0.0),
            (3000, 1, false, 0.0),
            (3000, 3, true, 0.0),
            (2000, 3, false, 0.0),
            (3000, 1, true, 1e-300),
        ] {
            let x = rows(count, 4, 91);
            let trees: Vec<Vec<FlatNode>> = (0..31).map(|_| tree(&mut numbers, 9, 4, &values())).collect();
            let mut walk = FlatTrees::default();
            trees.iter().for_each(|steps| walk.push(steps.iter().copied(), depth(steps)));
            let width = if of_all { outputs } else { 1 };
            let mut value = || (numbers.below(2000) as f64 - 1000.0) * 0.1_f64.powi(numbers.below(9) as i32);
            let own: Vec<Vec<f64>> =
                trees.iter().map(|steps| (0..steps.len() * width).map(|_| value()).collect()).collect();
            let mut own = own;
            own[0][0] = next_to_0;
            let slices: Vec<&[f64]> = own.iter().map(Vec::as_slice).collect();
            let start: Vec<f64> = (0..outputs).map(|output| output as f64 / 3.0).collect();
            let mut wanted: Vec<f64> = start.iter().copied().cycle().take(count * outputs).collect();
            for (row, sums) in wanted.chunks_exact_mut(outputs).enumerate() {
                for (number, steps) in trees.iter().enumerate() {
                    let leaf = oracle(steps, x.row(row)) as usize;
                    match of_all {
                        true => (0..outputs).for_each(|output| sums[output] += own[number][leaf * outputs + output]),
                        false => sums[number % outputs] += own[number][leaf],
                    }
                }
            }
            let added = LeafValues { trees: &slices, of_all };
            let found = predict_sums(&mut device.stream(), &x.to(device).unwrap(), &walk, &added, &start).unwrap();
            let bits = |sums: &[f64]| sums.iter().map(|sum| sum.to_bits()).collect::<Vec<u64>>();
            assert!(bits(&found) == bits(&wanted), "{name}: {count} rows, {outputs} outputs, {of_all}");
            let refused = LeafValues { trees: &slices[1..], of_all };
            let refused = predict_sums(&mut device.stream(), &x.to(device).unwrap(), &walk, &refused, &start);
            assert!(matches!(refused, Err(Error::Shape { op: "predict", .. })), "{name}: {refused:?}");
        }
    }
}
