use std::ops::Range;

use gristmill::cpu::tree::ClassRows;
use gristmill::cpu::tree::TargetRows;
use gristmill::cpu::tree::ValueRows;
use gristmill::ops::tree::target_histogram::{read, target_histogram};
use gristmill::ops::tree::{Binned, GrowState, HistogramFill};
use gristmill::prelude::*;

use super::{Codes, Numbers, mixed};
use crate::support::{devices, gpu_with};

/// Targets of rows: classes if there are any, else values.
struct Targets {
    classes: Vec<u32>,
    words: Vec<u64>,
    values: Vec<i64>,
    width: usize,
}

impl Targets {
    /// Classes with weights of up to `bits` bits above a count.
    fn classes(rows: usize, classes: usize, bits: u32, seed: u64) -> Targets {
        let mut numbers = Numbers::new(seed);
        let codes = (0..rows).map(|_| numbers.below(classes) as u32).collect();
        let words = (0..rows).map(|_| wide(&mut numbers, bits) << 20 | 1).collect();
        Targets { classes: codes, words, values: vec![], width: classes }
    }

    /// `outputs` numbers a row, of both signs.
    fn values(rows: usize, outputs: usize, seed: u64) -> Targets {
        let mut numbers = Numbers::new(seed);
        let words = (0..rows).map(|_| (numbers.below(3) as u64) << 20 | 1).collect();
        let values = (0..rows * outputs).map(|_| wide(&mut numbers, 40) as i64 - (1 << 39)).collect();
        Targets { classes: vec![], words, values, width: 1 + outputs }
    }

    fn rows(&self) -> TargetRows<'_> {
        match self.values.is_empty() {
            true => TargetRows::Classes(ClassRows { codes: &self.classes, words: &self.words, classes: self.width }),
            false => TargetRows::Values(ValueRows {
                values: &self.values,
                words: &self.words,
                count_bits: 20,
                outputs: self.width - 1,
            }),
        }
    }

    /// Row by row, column by column, in i128.
    fn oracle(&self, codes: &Codes, rows: &[u32]) -> Vec<u64> {
        let columns = codes.starts.len() - 1;
        let mut sums = vec![0_i128; codes.starts[columns] as usize * self.width];
        for &row in rows {
            let at = row as usize;
            for column in 0..columns {
                let cell = (codes.starts[column] as usize + codes.code(row, column) as usize) * self.width;
                if self.values.is_empty() {
                    sums[cell + self.classes[at] as usize] += i128::from(self.words[at]);
                    continue;
                }
                sums[cell] += i128::from(self.words[at]);
                for output in 0..self.width - 1 {
                    let value = self.values[at * (self.width - 1) + output];
                    sums[cell + 1 + output] += i128::from(self.words[at] >> 20) * i128::from(value);
                }
            }
        }
        sums.into_iter().map(|sum| sum as u64).collect()
    }
}

/// A number of up to so many bits.
fn wide(numbers: &mut Numbers, bits: u32) -> u64 {
    let word = (numbers.below(1 << 30) as u64) << 30 | numbers.below(1 << 30) as u64;
    word & ((1 << bits) - 1)
}

/// The histograms of these ranges of the rows, in slots 0, 1, ….
fn made(device: &Device, codes: &Codes, targets: &Targets, ranges: &[Range<usize>]) -> Vec<Vec<u64>> {
    let mut stream = device.stream();
    let binned = Binned::new(&mut stream, codes.view(), &codes.starts, &[]).unwrap();
    let mut state = GrowState::new(&stream);
    let rows = [targets.rows()];
    state.begin_targets(&mut stream, &mut (0..codes.rows as u32).collect(), &rows).unwrap();
    let fill = |(slot, rows): (usize, &Range<usize>)| HistogramFill { tree: 0, rows: rows.clone(), slot, parent: None };
    let fills: Vec<HistogramFill> = ranges.iter().enumerate().map(fill).collect();
    target_histogram(&mut stream, &binned, &mut state, &rows, &fills).unwrap();
    let slots: Vec<usize> = (0..ranges.len()).collect();
    let cells = read(&mut stream, &binned, &state, &slots).unwrap();
    cells.into_iter().map(|cells| cells.into_owned()).collect()
}

fn rows_of(range: &Range<usize>) -> Vec<u32> {
    (range.start as u32..range.end as u32).collect()
}

#[test]
fn sums_are_exact_at_edge_sizes() {
    for (name, device) in devices() {
        for rows in [1, 2, 63, 64, 65, 255, 256, 257, 3000] {
            for columns in [1, 3, 8, 9] {
                let codes = Codes::new(rows, &mixed(columns), 1);
                for targets in [
                    Targets::classes(rows, 2, 1, 2),
                    Targets::classes(rows, 5, 32, 3),
                    Targets::values(rows, 1, 4),
                    Targets::values(rows, 3, 5),
                ] {
                    let found = made(device, &codes, &targets, std::slice::from_ref(&(0..rows)));
                    let wanted = targets.oracle(&codes, &rows_of(&(0..rows)));
                    assert!(found[0] == wanted, "{name}: {rows}×{columns}, {} words", targets.width);
                }
            }
        }
    }
}

#[test]
fn many_nodes_are_counted_at_once_and_empty_ones_are_zero() {
    let codes = Codes::new(9000, &mixed(10), 6);
    let targets = Targets::classes(9000, 3, 10, 7);
    let ranges = [0..1, 1..1, 1..4000, 4000..4001, 4001..4257, 4300..9000];
    for (name, device) in devices() {
        for (range, found) in ranges.iter().zip(made(device, &codes, &targets, &ranges)) {
            assert!(found == targets.oracle(&codes, &rows_of(range)), "{name}: {range:?}");
        }
    }
}

#[test]
fn what_remains_of_the_parent_is_the_sibling_and_trees_have_their_own_words() {
    let codes = Codes::new(3000, &mixed(9), 8);
    let trees = [Targets::values(3000, 2, 9), Targets::values(3000, 2, 10)];
    let rows = [trees[0].rows(), trees[1].rows()];
    let order: Vec<u32> = (0..3000).chain(0..3000).collect();
    for (name, device) in devices() {
        let mut stream = device.stream();
        let binned = Binned::new(&mut stream, codes.view(), &codes.starts, &[]).unwrap();
        let mut state = GrowState::new(&stream);
        state.begin_targets(&mut stream, &mut order.clone(), &rows).unwrap();
        let mut fill =
            |fills: &[HistogramFill]| target_histogram(&mut stream, &binned, &mut state, &rows, fills).unwrap();
        fill(&[0, 1].map(|tree| HistogramFill {
            tree,
            rows: 3000 * tree..3000 * (tree + 1),
            slot: tree,
            parent: None,
        }));
        // Slot 40 makes the device find more room for slots.
        fill(&[HistogramFill { tree: 1, rows: 3000..4100, slot: 40, parent: Some(1) }]);
        let found = read(&mut stream, &binned, &state, &[0, 1, 40]).unwrap();
        assert!(*found[0] == trees[0].oracle(&codes, &rows_of(&(0..3000))), "{name}: the other tree");
        assert!(*found[1] == trees[1].oracle(&codes, &rows_of(&(1100..3000))), "{name}: the sibling");
        assert!(*found[2] == trees[1].oracle(&codes, &rows_of(&(0..1100))), "{name}: the child");
    }
}

#[test]
fn the_largest_words_of_one_cell_do_not_overflow() {
    let rows = 140_000;
    let codes = Codes::new(rows, &[1, 2], 11);
    let targets = Targets { classes: vec![1; rows], words: vec![(1 << 46) - 1; rows], values: vec![], width: 2 };
    for (name, device) in devices() {
        let found = made(device, &codes, &targets, std::slice::from_ref(&(0..rows)));
        assert!(found[0] == targets.oracle(&codes, &rows_of(&(0..rows))), "{name}");
    }
}

#[test]
fn chunks_and_budgets_do_not_show() {
    let codes = Codes::new(40_000, &mixed(20), 12);
    let targets = [Targets::classes(40_000, 3, 20, 13), Targets::values(40_000, 1, 14)];
    let ranges = [0..15_000, 15_000..15_007, 20_000..40_000];
    let split = [1, 7, 1000].map(|rows| DeviceOptions::default().chunk_rows(rows));
    let tight = [4, 16].map(|mebibytes| DeviceOptions::default().memory_budget(mebibytes << 20));
    for (number, options) in split.into_iter().chain(tight).enumerate() {
        let device = gpu_with(options.mark_outputs(true));
        for targets in &targets {
            for (range, found) in ranges.iter().zip(made(&device, &codes, targets, &ranges)) {
                assert!(found == targets.oracle(&codes, &rows_of(range)), "options {number}, {range:?}");
            }
        }
    }
}

#[test]
fn what_does_not_fit_is_refused_alike() {
    for (name, device) in devices() {
        let mut stream = device.stream();
        let codes = Codes::new(10, &[3, 3], 15);
        let binned = Binned::new(&mut stream, codes.view(), &codes.starts, &[]).unwrap();
        let mut state = GrowState::new(&stream);
        let (two, three) = (Targets::classes(10, 2, 3, 16), Targets::classes(10, 3, 3, 17));
        state.begin_targets(&mut stream, &mut (0..10).collect(), &[two.rows()]).unwrap();
        let fill = |tree: usize, rows: Range<usize>| [HistogramFill { tree, rows, slot: 0, parent: None }];
        for (targets, fills) in [(&two, fill(0, 5..11)), (&two, fill(1, 0..5)), (&three, fill(0, 0..5))] {
            let refused = target_histogram(&mut stream, &binned, &mut state, &[targets.rows()], &fills);
            assert!(matches!(refused, Err(Error::Shape { op: "target_histogram", .. })), "{name}: {refused:?}");
        }
        let refused = state.begin_targets(&mut stream, &mut vec![3, 10], &[two.rows()]);
        assert!(matches!(refused, Err(Error::Param { .. })), "{name}: {refused:?}");
    }
}
