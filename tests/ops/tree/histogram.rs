use std::ops::Range;

use gristmill::cpu::tree::fixed_point::{GradientSums, pack};
use gristmill::cpu::tree::histogram::Histogram;
use gristmill::ops::tree::histogram::{histogram, read};
use gristmill::ops::tree::{Binned, GrowState, HistogramFill};
use gristmill::prelude::*;

use super::{Codes, Numbers, gradients, mixed};
use crate::support::{devices, gpu_with};

/// Row by row, column by column, in wide integers.
fn oracle(codes: &Codes, pairs: &[(i32, u32)], rows: &[u32]) -> Vec<GradientSums> {
    let columns = codes.starts.len() - 1;
    let mut sums = vec![GradientSums::default(); codes.starts[columns] as usize];
    for &row in rows {
        let (gradient, hessian) = pairs[row as usize];
        for column in 0..columns {
            let cell = &mut sums[codes.starts[column] as usize + codes.code(row, column) as usize];
            *cell = cell.plus(GradientSums { gradient: i64::from(gradient), hessian: u64::from(hessian), count: 1 });
        }
    }
    sums
}

fn sums(histogram: &Histogram, cells: usize) -> Vec<GradientSums> {
    (0..cells).map(|cell| histogram.get(cell)).collect()
}

/// The histograms of these ranges of the order, in slots 0, 1, ….
fn made(
    device: &Device,
    codes: &Codes,
    packed: &[u64],
    order: &[u32],
    ranges: &[Range<usize>],
) -> Vec<Vec<GradientSums>> {
    let mut stream = device.stream();
    let binned = Binned::new(&mut stream, codes.view(), &codes.starts, &[]).unwrap();
    let mut state = GrowState::new(&stream);
    state.begin(&mut stream, &mut order.to_vec(), &mut [packed.to_vec()]).unwrap();
    let fill = |(slot, rows): (usize, &Range<usize>)| HistogramFill { tree: 0, rows: rows.clone(), slot, parent: None };
    let fills: Vec<HistogramFill> = ranges.iter().enumerate().map(fill).collect();
    histogram(&mut stream, &binned, &mut state, &fills).unwrap();
    let cells = binned.cells();
    (0..ranges.len()).map(|slot| sums(&read(&mut stream, &binned, &mut state, slot).unwrap(), cells)).collect()
}

fn shuffled(rows: usize, seed: u64) -> Vec<u32> {
    let mut numbers = Numbers::new(seed);
    let mut order: Vec<u32> = (0..rows as u32).collect();
    (1..rows).for_each(|at| order.swap(at, numbers.below(at + 1)));
    order
}

#[test]
fn sums_are_exact_at_edge_sizes() {
    for (name, device) in devices() {
        for rows in [0, 1, 2, 63, 64, 65, 255, 256, 257, 1000, 5000] {
            for columns in [1, 3, 8, 9, 28] {
                let codes = Codes::new(rows, &mixed(columns), 1);
                let (pairs, packed) = gradients(rows, 2);
                let order = shuffled(rows, 3);
                let found = made(device, &codes, &packed, &order, std::slice::from_ref(&(0..rows)));
                assert!(found[0] == oracle(&codes, &pairs, &order), "{name}: {rows}×{columns}");
            }
        }
    }
}

#[test]
fn many_nodes_are_counted_at_once_and_empty_ones_are_zero() {
    let codes = Codes::new(9000, &mixed(10), 4);
    let (pairs, packed) = gradients(9000, 5);
    let order = shuffled(9000, 6);
    let ranges = [0..1, 1..1, 1..4000, 4000..4001, 4001..4257, 4300..9000];
    for (name, device) in devices() {
        let found = made(device, &codes, &packed, &order, &ranges);
        for (range, found) in ranges.iter().zip(found) {
            assert!(found == oracle(&codes, &pairs, &order[range.clone()]), "{name}: {range:?}");
        }
    }
}

#[test]
fn what_remains_of_the_parent_is_the_sibling() {
    let codes = Codes::new(3000, &mixed(9), 7);
    let (pairs, packed) = gradients(3000, 8);
    let order = shuffled(3000, 9);
    for (name, device) in devices() {
        let mut stream = device.stream();
        let binned = Binned::new(&mut stream, codes.view(), &codes.starts, &[]).unwrap();
        let mut state = GrowState::new(&stream);
        state.begin(&mut stream, &mut order.clone(), &mut [packed.clone()]).unwrap();
        let mut fill = |rows: Range<usize>, slot: usize, parent: Option<usize>| {
            histogram(&mut stream, &binned, &mut state, &[HistogramFill { tree: 0, rows, slot, parent }]).unwrap();
        };
        fill(0..3000, 0, None);
        // Slot 40 makes the device find more room for slots.
        fill(100..1100, 40, Some(0));
        let rest: Vec<u32> = order[..100].iter().chain(&order[1100..]).copied().collect();
        for (slot, rows) in [(0, &rest[..]), (40, &order[100..1100])] {
            let found = read(&mut stream, &binned, &mut state, slot).unwrap();
            assert!(sums(&found, binned.cells()) == oracle(&codes, &pairs, rows), "{name}: slot {slot}");
        }
    }
}

#[test]
fn trees_that_grow_together_have_their_own_gradients() {
    let codes = Codes::new(700, &mixed(5), 10);
    let trees: Vec<_> = (0..3).map(|tree| gradients(700, 11 + tree)).collect();
    let order: Vec<u32> = (0..3).flat_map(|tree| shuffled(700, 20 + tree)).collect();
    for (name, device) in devices() {
        let mut stream = device.stream();
        let binned = Binned::new(&mut stream, codes.view(), &codes.starts, &[]).unwrap();
        let mut state = GrowState::new(&stream);
        let mut packed: Vec<Vec<u64>> = trees.iter().map(|tree| tree.1.clone()).collect();
        state.begin(&mut stream, &mut order.clone(), &mut packed).unwrap();
        let fill = |tree: usize| HistogramFill { tree, rows: 700 * tree..700 * (tree + 1), slot: tree, parent: None };
        histogram(&mut stream, &binned, &mut state, &[fill(2), fill(0), fill(1)]).unwrap();
        for (tree, (pairs, _)) in trees.iter().enumerate() {
            let found = read(&mut stream, &binned, &mut state, tree).unwrap();
            assert!(sums(&found, binned.cells()) == oracle(&codes, pairs, &order[..700]), "{name}: tree {tree}");
        }
    }
}

#[test]
fn the_largest_sums_of_one_cell_do_not_overflow() {
    let rows = 140_000;
    let codes = Codes::new(rows, &[1, 2], 30);
    for extreme in [-32_767, 32_767] {
        let (pairs, packed) = (vec![(extreme, 32_767); rows], vec![pack(extreme, 32_767); rows]);
        let order: Vec<u32> = (0..rows as u32).collect();
        for (name, device) in devices() {
            let found = made(device, &codes, &packed, &order, std::slice::from_ref(&(0..rows)));
            assert!(found[0] == oracle(&codes, &pairs, &order), "{name}: {extreme}");
        }
    }
}

#[test]
fn more_workgroups_than_one_dimension_has_are_folded() {
    let codes = Codes::new(4000, &vec![2; 264], 31);
    let (pairs, packed) = gradients(4000, 32);
    let order = shuffled(4000, 33);
    let ranges: Vec<Range<usize>> = (0..4000).map(|row| row..row + 1).collect();
    for (name, device) in devices() {
        let mut stream = device.stream();
        let binned = Binned::new(&mut stream, codes.view(), &codes.starts, &[]).unwrap();
        let mut state = GrowState::new(&stream);
        state.begin(&mut stream, &mut order.clone(), &mut [packed.clone()]).unwrap();
        let fill =
            |(slot, rows): (usize, &Range<usize>)| HistogramFill { tree: 0, rows: rows.clone(), slot, parent: None };
        histogram(&mut stream, &binned, &mut state, &ranges.iter().enumerate().map(fill).collect::<Vec<_>>()).unwrap();
        for slot in [0, 1, 1999, 2000, 2047, 2048, 3999] {
            let found = read(&mut stream, &binned, &mut state, slot).unwrap();
            assert!(sums(&found, binned.cells()) == oracle(&codes, &pairs, &order[slot..slot + 1]), "{name}: {slot}");
        }
    }
}

#[test]
fn chunks_and_budgets_do_not_show() {
    let codes = Codes::new(40_000, &mixed(20), 34);
    let (pairs, packed) = gradients(40_000, 35);
    let order = shuffled(40_000, 36);
    let ranges = [0..15_000, 15_000..15_007, 20_000..40_000];
    let wanted: Vec<Vec<GradientSums>> =
        ranges.iter().map(|range| oracle(&codes, &pairs, &order[range.clone()])).collect();
    let split = [1, 2, 7, 64, 1000].map(|rows| DeviceOptions::default().chunk_rows(rows));
    let tight = [2, 16, 128].map(|mebibytes| DeviceOptions::default().memory_budget(mebibytes << 20));
    for (number, options) in split.into_iter().chain(tight).enumerate() {
        let device = gpu_with(options.mark_outputs(true));
        assert!(made(&device, &codes, &packed, &order, &ranges) == wanted, "options {number}");
    }
}

/// A device that has done nothing yet takes 10⁹ operations in a dispatch; here are three times as many.
#[test]
fn pieces_beyond_one_dispatch_are_counted_in_several_and_merged_once() {
    let codes = Codes::new(100_000, &mixed(24), 37);
    let (pairs, packed) = gradients(100_000, 38);
    let order = shuffled(100_000, 39);
    let device = gpu_with(DeviceOptions::default());
    device.profile(true);
    let found = made(&device, &codes, &packed, &order, &vec![0..100_000; 18]);
    let kernels = device.profile_report().kernels;
    assert!(kernels["tree/histogram"].dispatches > 1, "{}", kernels["tree/histogram"].dispatches);
    assert_eq!(kernels["tree/histogram__merge"].dispatches, 1);
    let wanted = oracle(&codes, &pairs, &order);
    assert!(found.iter().all(|found| *found == wanted));
}

#[test]
fn what_does_not_fit_is_refused_alike() {
    for (name, device) in devices() {
        let mut stream = device.stream();
        let codes = Codes::new(10, &[3, 3], 40);
        let binned = Binned::new(&mut stream, codes.view(), &codes.starts, &[]).unwrap();
        let mut state = GrowState::new(&stream);
        state.begin(&mut stream, &mut (0..10).collect(), &mut [gradients(10, 1).1]).unwrap();
        let fills = [HistogramFill { tree: 0, rows: 5..11, slot: 0, parent: None }];
        let refused = histogram(&mut stream, &binned, &mut state, &fills);
        assert!(matches!(refused, Err(Error::Shape { op: "histogram", .. })), "{name}: {refused:?}");
        let refused = state.begin(&mut stream, &mut vec![3, 10], &mut [gradients(10, 1).1]);
        assert!(matches!(refused, Err(Error::Param { .. })), "{name}: {refused:?}");
        let refused = Binned::new(&mut stream, codes.view(), &[0, 300], &[]);
        assert!(matches!(refused, Err(Error::Shape { .. })), "{name}");
    }
}
