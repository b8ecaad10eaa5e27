use gristmill::cpu::tree::FeaturePlace;
use gristmill::cpu::tree::splitters::{FeatureDraw, TargetNode, TargetSplit};
use gristmill::cpu::tree::target::{
    ClassTarget, Criterion, FixedValues, FixedWeights, SplitBounds, TargetTotals, TreeTarget,
};
use gristmill::ops::tree::target_histogram::target_histogram;
use gristmill::ops::tree::target_split::{NodeCells, TargetSearch, target_split};
use gristmill::ops::tree::{Binned, GrowState, HistogramFill};
use gristmill::prelude::*;

use super::{Codes, Numbers};
use crate::support::devices;

/// Features of 2 to 256 bins; every second has a bin of missing values, the third is categorical.
fn features(codes: &Codes) -> Vec<FeaturePlace> {
    let place = |column: usize| {
        let all = (codes.starts[column + 1] - codes.starts[column]) as u16;
        let missing = column % 2 == 1 && all > 2;
        FeaturePlace {
            column: Some(column as u32),
            bins: all - u16::from(missing),
            missing,
            categorical: column == 2,
            first: codes.starts[column],
            ..FeaturePlace::default()
        }
    };
    (0..codes.starts.len() - 1).map(place).collect()
}

/// How two nodes are searched.
#[derive(Clone, Copy)]
struct Search {
    /// Rows of the first node.
    middle: usize,
    min_samples_leaf: u64,
    by_rows: bool,
    at_random: Option<FeatureDraw>,
}

/// The best splits of two nodes, the first and the last rows.
fn found<T: TreeTarget>(
    device: &Device,
    codes: &Codes,
    places: &[FeaturePlace],
    target: &T,
    how: Search,
) -> Vec<Option<TargetSplit>> {
    let Search { middle, min_samples_leaf, by_rows, at_random } = how;
    let mut stream = device.stream();
    let binned = Binned::new(&mut stream, codes.view(), &codes.starts, places).unwrap();
    let mut state = GrowState::new(&stream);
    let rows = [target.rows()];
    state.begin_targets(&mut stream, &mut (0..codes.rows as u32).collect(), &rows).unwrap();
    let ranges = [0..middle, middle..codes.rows];
    let fill = |(slot, rows): (usize, &std::ops::Range<usize>)| HistogramFill {
        tree: 0,
        rows: rows.clone(),
        slot,
        parent: None,
    };
    let fills: Vec<HistogramFill> = ranges.iter().enumerate().map(fill).collect();
    target_histogram(&mut stream, &binned, &mut state, &rows, &fills).unwrap();
    let thresholds: Vec<Vec<f32>> =
        places.iter().map(|place| (1..place.bins).map(|bin| f32::from(bin) - 0.5).collect()).collect();
    let nodes = ranges.clone().map(|range| {
        let mut cell = vec![0; target.words()];
        range.for_each(|row| target.add(row, &mut cell));
        let mut totals = TargetTotals::default();
        target.totals(&cell, &mut totals);
        (cell, totals)
    });
    let all: Vec<u32> = (0..places.len() as u32).collect();
    let search = |slot: usize| {
        let (cell, totals) = &nodes[slot];
        let bounds = SplitBounds { totals, count: target.count(cell), min_samples_leaf };
        let cells = if by_rows { NodeCells::Rows(0, ranges[slot].clone()) } else { NodeCells::Slot(slot) };
        let at_random = at_random.map(|draw| (draw, 5 + slot as u64));
        TargetSearch { cells, node: TargetNode { target, cell, bounds }, features: &all, at_random }
    };
    let searches = [search(0), search(1)];
    target_split(&mut stream, &binned, &mut state, &thresholds, &searches).unwrap()
}

/// The largest gain of any split of the rows by a feature whose bins have an order, row by row.
fn largest_gain<T: TreeTarget>(
    codes: &Codes,
    places: &[FeaturePlace],
    target: &T,
    rows: &[u32],
    min_samples_leaf: u64,
) -> Option<f64> {
    let mut whole = vec![0; target.words()];
    rows.iter().for_each(|row| target.add(*row as usize, &mut whole));
    let mut totals = TargetTotals::default();
    target.totals(&whole, &mut totals);
    let mut best: Option<f64> = None;
    for (column, place) in places.iter().enumerate().filter(|(_, place)| !place.categorical) {
        for last in 0..place.bins {
            for missing_left in [false, true] {
                let goes_left = |code: u16| code <= last || missing_left && code == place.bins;
                let mut left = vec![0; target.words()];
                let own = rows.iter().filter(|row| goes_left(u16::from(codes.code(**row, column))));
                own.for_each(|row| target.add(*row as usize, &mut left));
                let present = rows.iter().any(|row| u16::from(codes.code(*row, column)) <= last);
                let bounds = SplitBounds { totals: &totals, count: target.count(&whole), min_samples_leaf };
                if present && bounds.allow(target.count(&left)) {
                    let gain = target.gain(&totals, &left);
                    best = Some(best.map_or(gain, |best| best.max(gain)));
                }
            }
        }
    }
    best
}

fn check<T: TreeTarget>(codes: &Codes, target: &T, what: &str) {
    let places = features(codes);
    for (middle, min_samples_leaf) in [(codes.rows / 3, 1), (codes.rows - 1, 7)] {
        let how = Search { middle, min_samples_leaf, by_rows: false, at_random: None };
        let wanted = found(&Device::Cpu, codes, &places, target, how);
        for (name, device) in devices() {
            let found = found(device, codes, &places, target, how);
            assert_eq!(found, wanted, "{name}: {what}, {} rows, {middle}", codes.rows);
        }
        if min_samples_leaf == 1 {
            check_other_ways(codes, target, how, what);
        }
        let rows: Vec<u32> = (middle as u32..codes.rows as u32).collect();
        let largest = largest_gain(codes, &places, target, &rows, min_samples_leaf);
        let own = wanted[1].as_ref().filter(|split| !places[split.rule.feature as usize].categorical);
        if let (Some(largest), Some(split)) = (largest, own) {
            assert_eq!(split.gain, largest, "{what}, {} rows", codes.rows);
        }
        let gain = wanted[1].as_ref().map_or(-1.0, |split| split.gain);
        assert!(gain >= largest.unwrap_or(-1.0), "{what}, {} rows: {gain} and {largest:?}", codes.rows);
    }
}

/// By rows, and at random thresholds.
fn check_other_ways<T: TreeTarget>(codes: &Codes, target: &T, how: Search, what: &str) {
    let numbers: Vec<FeaturePlace> =
        features(codes).into_iter().map(|place| FeaturePlace { categorical: false, ..place }).collect();
    for at_random in [None, Some(FeatureDraw::new(11, 3, numbers.len(), numbers.len()))] {
        let mut all = features(codes);
        for by_rows in [false, true] {
            let how = Search { at_random, ..how };
            let wanted = found(&Device::Cpu, codes, &all, target, how);
            for (name, device) in devices().into_iter().filter(|(_, device)| takes(device, target, by_rows)) {
                let found = found(device, codes, &all, target, Search { by_rows, ..how });
                let random = at_random.is_some();
                assert_eq!(found, wanted, "{name}: {what}, {} rows, by rows {by_rows}, random {random}", codes.rows);
            }
            // Nodes with categories are not searched by rows.
            all.clone_from(&numbers);
        }
    }
}

/// Whether a device searches such a target.
fn takes<T: TreeTarget>(device: &Device, target: &T, by_rows: bool) -> bool {
    !by_rows || matches!(device, Device::Gpu(_)) && target.words() <= 7
}

#[test]
fn classes_are_split_alike_on_every_device_and_best() {
    for (rows, columns) in [(2, [2, 3, 4, 5, 2]), (65, [256, 255, 5, 17, 2]), (1000, [256, 3, 40, 256, 9])] {
        let codes = Codes::new(rows, &columns, rows as u64);
        let mut numbers = Numbers::new(3);
        let weights: Vec<f64> = (0..rows).map(|_| 0.25 + numbers.below(1000) as f64 / 100.0).collect();
        for (classes, criterion) in [
            (2, Criterion::Gini),
            (2, Criterion::Entropy),
            (3, Criterion::Gini),
            (5, Criterion::Entropy),
            (4, Criterion::Misclassification),
            (9, Criterion::Gini),
        ] {
            // The classes lean on the first column.
            let class = |row: usize| (numbers.below(classes) + codes.code(row as u32, 0) as usize / 64) % classes;
            let labels: Vec<u32> = (0..rows).map(class).map(|class| class as u32).collect();
            for weights in [None, Some(&weights[..])] {
                let fixed = FixedWeights::for_classes("test", rows, weights).unwrap();
                let target = ClassTarget::new(&labels, classes, fixed, criterion);
                check(&codes, &target, &format!("{classes} classes by {criterion:?}"));
            }
        }
    }
}

#[test]
fn numbers_are_split_alike_on_every_device_and_best() {
    for (rows, columns) in [(3, [2, 3, 4, 5, 2]), (257, [256, 255, 5, 17, 2]), (1000, [256, 3, 40, 256, 9])] {
        let codes = Codes::new(rows, &columns, 7 + rows as u64);
        for outputs in [1, 3] {
            let mut numbers = Numbers::new(5);
            let value = |at: usize| numbers.below(1000) as f32 / 7.0 + f32::from(codes.code((at / outputs) as u32, 3));
            let values: Vec<f32> = (0..rows * outputs).map(value).collect();
            let weights: Vec<f32> = (0..rows).map(|row| 0.5 + (row % 7) as f32).collect();
            for weights in [None, Some(&weights[..])] {
                let fixed = FixedValues::new("test", &values, outputs, weights).unwrap();
                check(&codes, &fixed.target(None), &format!("{outputs} outputs"));
            }
        }
    }
}

#[test]
fn what_does_not_fit_is_refused_alike() {
    let codes = Codes::new(10, &[3, 3], 15);
    let places = features(&codes);
    let labels = [0, 1, 0, 1, 0, 1, 0, 1, 0, 1];
    let target = ClassTarget::new(&labels, 2, FixedWeights::for_classes("test", 10, None).unwrap(), Criterion::Gini);
    let (totals, outside) = (TargetTotals::default(), NodeCells::Rows(0, 3..11));
    for (name, device) in devices() {
        let mut stream = device.stream();
        let binned = Binned::new(&mut stream, codes.view(), &codes.starts, &places).unwrap();
        let mut state = GrowState::new(&stream);
        state.begin_targets(&mut stream, &mut (0..10).collect(), &[target.rows()]).unwrap();
        let first = NodeCells::Slot(0);
        let places_of = [(&[5, 5][..], &[2][..], &first), (&[5, 5, 5], &[0], &first), (&[5, 5], &[0], &outside)];
        for (cell, features, cells) in places_of {
            let bounds = SplitBounds { totals: &totals, count: 10, min_samples_leaf: 1 };
            let node = TargetNode { target: &target, cell, bounds };
            let search = TargetSearch { cells: cells.clone(), node, features, at_random: None };
            let refused = target_split(&mut stream, &binned, &mut state, &[vec![], vec![]], &[search]);
            assert!(refused.is_err(), "{name}: {refused:?}");
        }
    }
}
