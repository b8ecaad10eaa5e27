//! Histograms, splits and partitions against slow, obvious versions.

mod categories;
mod monotone;
mod splitters;
mod targets;

use gristmill::cpu::random::philox::Philox;
use gristmill::cpu::tree::best_split::{GradientNode, GradientRules, best_split};
use gristmill::cpu::tree::fixed_point::{LIMIT, pack};
use gristmill::cpu::tree::histogram::{Histogram, HistogramJob, histograms};
use gristmill::cpu::tree::monotone::MonotoneLimit;
use gristmill::cpu::tree::partition::{Route, partition};
use gristmill::cpu::tree::{BinnedRows, FeaturePlace, GradientSums};

/// Binned rows with `codes[c]` codes in column c, and a gradient and a Hessian each.
struct Case {
    rows: usize,
    stride: usize,
    bins: Vec<u8>,
    columns: Vec<u8>,
    starts: Vec<u32>,
    values: Vec<(i32, u32)>,
    packed: Vec<u64>,
}

impl Case {
    fn new(rows: usize, codes: &[u32], seed: u64) -> Case {
        let numbers = Philox::new(seed, 7);
        let stride = codes.len().next_multiple_of(8);
        let (mut bins, mut columns) = (vec![0; rows * stride], vec![0; rows * codes.len()]);
        for row in 0..rows {
            for (column, codes) in codes.iter().enumerate() {
                let code = numbers.below((row * codes_len(codes) + column) as u64, *codes) as u8;
                bins[row * stride + column] = code;
                columns[column * rows + row] = code;
            }
        }
        let values: Vec<(i32, u32)> = (0..rows as u64)
            .map(|row| {
                // Among them the largest there can be, so that a field that overflowed would show.
                let gradient = Philox::new(seed, 8).below(row, 2 * LIMIT as u32 + 1) as i32 - LIMIT;
                let hessian = Philox::new(seed, 9).below(row, LIMIT as u32 + 1);
                if row % 3 == 0 { (-LIMIT, LIMIT as u32) } else { (gradient, hessian) }
            })
            .collect();
        let packed = values.iter().map(|(gradient, hessian)| pack(*gradient, *hessian)).collect();
        let mut starts = vec![0];
        codes.iter().for_each(|codes| starts.push(starts[starts.len() - 1] + codes));
        Case { rows, stride, bins, columns, starts, values, packed }
    }

    fn view(&self) -> BinnedRows<'_> {
        BinnedRows { bins: &self.bins, stride: self.stride, columns: &self.columns }
    }

    fn histogram(&self, rows: &[u32]) -> Histogram {
        let mut into = Histogram::zeros(3);
        let job = HistogramJob { rows, packed: &self.packed, into: &mut into };
        histograms(self.view(), &self.starts, vec![job], &mut vec![]);
        into
    }

    fn oracle(&self, rows: &[u32]) -> Vec<GradientSums> {
        let mut sums = vec![GradientSums::default(); *self.starts.last().unwrap() as usize];
        for row in rows.iter().map(|row| *row as usize) {
            for column in 0..self.starts.len() - 1 {
                let cell = &mut sums[self.starts[column] as usize + self.columns[column * self.rows + row] as usize];
                cell.gradient += i64::from(self.values[row].0);
                cell.hessian += u64::from(self.values[row].1);
                cell.count += 1;
            }
        }
        sums
    }
}

fn codes_len(codes: &u32) -> usize {
    *codes as usize + 13
}

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

#[test]
fn histograms_are_the_sums_of_their_rows_at_every_size() {
    for (rows, codes) in [
        (0, vec![3]),
        (1, vec![256]),
        (2, vec![2, 256]),
        (63, vec![1; 9]),
        (193, vec![200; 5]),
        (2039, vec![5; 8]),
        (2041, vec![255; 17]),
        (10_000, vec![256, 1, 2, 3]),
        (70_001, vec![40, 256, 2]),
    ] {
        let case = Case::new(rows, &codes, 5);
        let all: Vec<u32> = (0..rows as u32).collect();
        let some: Vec<u32> = (0..rows as u32).filter(|row| row % 3 != 1).collect();
        for rows in [&all, &some] {
            let found = case.histogram(rows);
            let cells = *case.starts.last().unwrap() as usize;
            assert_eq!(found.range(0..cells).collect::<Vec<GradientSums>>(), case.oracle(rows), "{} rows", rows.len());
        }
    }
}

#[test]
fn one_cell_holds_all_rows_without_overflow() {
    let rows = 300_000;
    let packed = vec![pack(-LIMIT, LIMIT as u32); rows];
    let (bins, columns) = (vec![0; rows * 8], vec![0; rows]);
    let matrix = BinnedRows { bins: &bins, stride: 8, columns: &columns };
    let order: Vec<u32> = (0..rows as u32).collect();
    let mut into = Histogram::default();
    histograms(matrix, &[0, 1], vec![HistogramJob { rows: &order, packed: &packed, into: &mut into }], &mut vec![]);
    let want = GradientSums {
        gradient: -i64::from(LIMIT) * rows as i64,
        hessian: LIMIT as u64 * rows as u64,
        count: rows as u64,
    };
    assert_eq!(into.get(0), want);
}

#[test]
fn the_sibling_is_the_parent_less_the_child_exactly() {
    let case = Case::new(20_000, &[256, 30, 2], 11);
    let (left, right): (Vec<u32>, Vec<u32>) = (0..20_000).partition(|row| row % 7 < 2);
    let mut parent = case.histogram(&(0..20_000).collect::<Vec<u32>>());
    parent.subtract(&case.histogram(&left));
    assert_eq!(parent, case.histogram(&right));
}

#[test]
fn histograms_have_the_same_bits_on_one_two_and_five_threads() {
    let case = Case::new(50_000, &[256; 11], 3);
    let rows: Vec<u32> = (0..50_000).filter(|row| row % 5 != 0).collect();
    let one = pool(1).install(|| case.histogram(&rows));
    for threads in [2, 5] {
        assert_eq!(pool(threads).install(|| case.histogram(&rows)), one);
    }
}

#[test]
fn partitions_are_stable_on_any_number_of_threads() {
    for rows in [0_usize, 1, 2, 65, 16_383, 16_385, 100_000] {
        let case = Case::new(rows, &[7, 256], 2);
        let route = Route { column: 1, left: [0xdead_beef, 0, 1, u32::MAX, 0x0f0f_0f0f, 77, 0, 0x8000_0001] };
        let column = |row: &u32| case.columns[rows + *row as usize];
        // Two nodes with a gap between them.
        let cuts = [(0..rows / 3, route), (rows / 2..rows, route)];
        let order: Vec<u32> = (0..rows as u32).map(|row| (row * 7) % rows as u32).collect();
        let mut want = order.clone();
        let mut want_lefts = vec![];
        for (range, route) in &cuts {
            let (left, right): (Vec<u32>, Vec<u32>) =
                order[range.clone()].iter().partition(|row| route.goes_left(column(row)));
            want_lefts.push(left.len());
            want[range.clone()].copy_from_slice(&[left, right].concat());
        }
        for threads in [1, 2, 5] {
            let (mut found, mut scratch) = (order.clone(), vec![0; rows]);
            let lefts = pool(threads).install(|| partition(case.view(), &mut found, &mut scratch, &cuts));
            assert_eq!((lefts, found), (want_lefts.clone(), want.clone()), "{rows} rows, {threads} threads");
        }
    }
}

/// Every cut of a feature's bins, with missing values on either side, in f64 from the sums.
fn split_oracle(sums: &[GradientSums], bins: usize, rules: &GradientRules) -> Option<(usize, bool, f64)> {
    let total = sums.iter().copied().fold(GradientSums::default(), GradientSums::plus);
    let missing = sums.get(bins).copied().unwrap_or_default();
    let mut best: Option<(usize, bool, f64)> = None;
    for bin in 0..bins {
        for missing_left in [false, true] {
            let mut left = sums[..=bin].iter().copied().fold(GradientSums::default(), GradientSums::plus);
            if missing_left {
                if missing.count == 0 {
                    continue;
                }
                left = left.plus(missing);
            }
            let right = total.minus(left);
            let small = |child: GradientSums| {
                child.count < rules.min_count || child.hessian as f64 * rules.units[1] < rules.min_hessian
            };
            let gain = rules.score(left) + rules.score(right) - rules.score(total);
            if !small(left) && !small(right) && gain > best.map_or(0.0, |best| best.2) {
                best = Some((bin, missing_left, gain));
            }
        }
    }
    best
}

#[test]
fn the_best_split_is_the_best_of_all_cuts() {
    for (seed, bins, missing) in [(1, 2, false), (2, 255, true), (3, 17, true), (4, 1, true), (5, 200, false)] {
        let case = Case::new(3000, &[bins as u32 + u32::from(missing)], seed);
        let rows: Vec<u32> = (0..3000).collect();
        let histogram = case.histogram(&rows);
        let sums = case.oracle(&rows);
        let node = sums.iter().copied().fold(GradientSums::default(), GradientSums::plus);
        for (l1, l2, min_count) in [(0.0, 0.0, 1), (0.5, 2.0, 100)] {
            let units = [1e-3, 2e-4];
            let rules = GradientRules { units, l1, l2, min_hessian: 0.1, min_count, min_gain: 0.0 };
            let cells = FeaturePlace { first: 0, bins: bins as u16, missing, ..FeaturePlace::default() };
            let found = best_split(&histogram, 4, &cells, &GradientNode { sums: node, rules: &rules, limit: None });
            let want = split_oracle(&sums, bins, &rules);
            assert_eq!(
                found.map(|found| (found.rule.bin as usize, found.gain)),
                want.map(|(bin, _, gain)| (bin, gain))
            );
            if let (Some(found), Some((_, want, _)), true) = (found, want, missing) {
                assert_eq!(found.rule.missing_left, want);
            }
        }
    }
}

#[test]
fn a_bin_without_a_cell_is_what_the_others_leave() {
    let case = Case::new(5000, &[6], 9);
    let rows: Vec<u32> = (0..5000).collect();
    let whole = case.histogram(&rows);
    let node = case.oracle(&rows).into_iter().fold(GradientSums::default(), GradientSums::plus);
    let rules = GradientRules { units: [1e-3, 1e-3], l1: 0.0, l2: 0.0, min_hessian: 0.0, min_count: 1, min_gain: 0.0 };
    let plain = FeaturePlace { first: 0, bins: 5, missing: true, ..FeaturePlace::default() };
    let node = GradientNode { sums: node, rules: &rules, limit: None };
    let want = best_split(&whole, 0, &plain, &node);
    for default in 0..6_u16 {
        // The rows outside the default bin, in cells 1.. of a shared column.
        let others: Vec<u32> =
            rows.iter().copied().filter(|row| case.columns[*row as usize] != default as u8).collect();
        let code = |row: &u32| case.columns[*row as usize];
        let codes: Vec<u8> = rows
            .iter()
            .map(|row| match code(row) {
                own if u16::from(own) == default => 0,
                own if u16::from(own) < default => own + 1,
                own => own,
            })
            .collect();
        let bins: Vec<u8> = codes.iter().flat_map(|code| [*code, 0, 0, 0, 0, 0, 0, 0]).collect();
        let matrix = BinnedRows { bins: &bins, stride: 8, columns: &codes };
        let mut shared = Histogram::default();
        histograms(
            matrix,
            &[0, 6],
            vec![HistogramJob { rows: &others, packed: &case.packed, into: &mut shared }],
            &mut vec![],
        );
        let cells =
            FeaturePlace { first: 1, bins: 5, missing: true, default: Some(default), ..FeaturePlace::default() };
        assert_eq!(best_split(&shared, 0, &cells, &node), want);
    }
}

#[test]
fn sets_of_categories_are_scored_within_the_bounds_of_their_node() {
    let rules = GradientRules { units: [1e-3, 2e-4], l1: 0.0, l2: 0.5, min_hessian: 1e-3, min_count: 3, min_gain: 0.0 };
    let mut bounded = 0;
    for seed in 0..60 {
        let numbers = Philox::new(seed, 12);
        let (bins, mut histogram, mut node) = (4, Histogram::zeros(4), GradientSums::default());
        for bin in 0..bins {
            let sums = GradientSums {
                gradient: i64::from(numbers.below(4 * bin, 20_000)) - 10_000,
                hessian: u64::from(numbers.below(4 * bin + 1, 90_000)) + 1,
                count: u64::from(numbers.below(4 * bin + 2, 40)) + 3,
            };
            histogram.set(bin as usize, sums);
            node = node.plus(sums);
        }
        let cells = FeaturePlace { first: 0, bins: 4, missing: false, categorical: true, ..FeaturePlace::default() };
        let limit = MonotoneLimit { bounds: [-0.1, 0.15], direction: 0 };
        // Four categories can be split in two in seven ways.
        let splits = (1..8_usize).filter_map(|choice| {
            let chosen = (0..4).filter(|bin| choice >> bin & 1 == 1).map(|bin| histogram.get(bin));
            let left = chosen.fold(GradientSums::default(), GradientSums::plus);
            let scores = limit.score(&rules, left) + limit.score(&rules, node.minus(left));
            Some(scores - limit.score(&rules, node)).filter(|gain| *gain > 1e-9)
        });
        let of = |limit| GradientNode { sums: node, rules: &rules, limit };
        let want = splits.reduce(f64::max);
        let found = best_split(&histogram, 0, &cells, &of(Some(limit))).map(|found| found.gain);
        let close = |found: f64, want: f64| (found - want).abs() <= 1e-9 * want.max(1.0);
        assert!(
            found.zip(want).map_or(found == want, |(found, want)| close(found, want)),
            "{seed}: {found:?} {want:?}"
        );
        let free = best_split(&histogram, 0, &cells, &of(None)).map(|found| found.gain);
        bounded += usize::from(free != found);
    }
    assert!(bounded > 30, "{bounded}");
}
