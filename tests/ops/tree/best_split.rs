use gristmill::cpu::tree::best_split::{GradientRules, GradientSplit};
use gristmill::cpu::tree::fixed_point::{GradientSums, pack};
use gristmill::cpu::tree::{FeaturePlace, SplitRule};
use gristmill::ops::tree::best_split::best_split;
use gristmill::ops::tree::histogram::histogram;
use gristmill::ops::tree::{Binned, GrowState, HistogramFill, SplitSearch};
use gristmill::prelude::*;

use super::{Codes, Numbers, gradients};
use crate::support::{devices, gpu_with};

const PLAIN: GradientRules =
    GradientRules { units: [1e-3, 2e-4], l1: 0.0, l2: 0.0, min_hessian: 1e-3, min_count: 20, min_gain: 0.0 };

/// A feature for each column: every third with a bin for missing values, every fourth in a column with others' codes.
fn features(codes: &Codes) -> Vec<FeaturePlace> {
    let feature = |(column, ends): (usize, &[u32])| {
        let cells = (ends[1] - ends[0]) as u16;
        let missing = column % 3 == 1 && cells > 1;
        if column % 4 == 3 && cells > 4 {
            // Code 0 and the last are not its own; its default stands among its bins, or is that of missing values.
            let bins = cells - 2 + 1 - u16::from(missing);
            let default = [0, bins / 2, bins - 1 + u16::from(missing)][column / 4 % 3];
            return FeaturePlace {
                first: ends[0] + 1,
                bins,
                missing,
                default: Some(default),
                ..FeaturePlace::default()
            };
        }
        FeaturePlace { first: ends[0], bins: cells - u16::from(missing), missing, ..FeaturePlace::default() }
    };
    codes.starts.windows(2).enumerate().map(feature).collect()
}

/// Every bin of every feature, in f64 from the integers of the rows.
fn oracle(
    codes: &Codes,
    features: &[FeaturePlace],
    pairs: &[(i32, u32)],
    rows: &[u32],
    search: &SplitSearch,
) -> Option<GradientSplit> {
    let mut best: Option<GradientSplit> = None;
    for &number in &search.features {
        let cells = &features[number as usize];
        let column = codes.starts.iter().rposition(|start| *start <= cells.first).unwrap();
        let all = cells.bins + u16::from(cells.missing);
        let mut bins = vec![GradientSums::default(); all as usize];
        for &row in rows {
            let own = u32::from(codes.code(row, column)) + codes.starts[column];
            let bin = match cells.default {
                None => (own - cells.first) as u16,
                Some(default) if own < cells.first || own - cells.first >= u32::from(all) - 1 => default,
                Some(default) => (own - cells.first) as u16 + u16::from((own - cells.first) as u16 >= default),
            };
            let (gradient, hessian) = pairs[row as usize];
            let one = GradientSums { gradient: i64::from(gradient), hessian: u64::from(hessian), count: 1 };
            bins[bin as usize] = bins[bin as usize].plus(one);
        }
        let absent = if cells.missing { bins[cells.bins as usize] } else { GradientSums::default() };
        for bin in 0..cells.bins {
            for missing_left in [false, true] {
                let mut left = bins[..=bin as usize].iter().fold(GradientSums::default(), |sum, bin| sum.plus(*bin));
                if missing_left {
                    left = left.plus(absent);
                }
                let right = search.node.minus(left);
                let rules = &search.rules;
                let allowed = |child: GradientSums| {
                    child.count >= rules.min_count && child.hessian as f64 * rules.units[1] >= rules.min_hessian
                };
                if absent.count == 0 && missing_left || !allowed(left) || !allowed(right) {
                    continue;
                }
                let scores = rules.score(left) + rules.score(right);
                let gain = scores - rules.score(search.node);
                if gain > best.map_or(rules.min_gain, |best| best.gain) && gain > 1e-12 * scores {
                    let missing_left =
                        if absent.count == 0 { 2 * left.count >= search.node.count } else { missing_left };
                    let rule = SplitRule { missing_left, ..SplitRule::at(number, bin, 0.0) };
                    best = Some(GradientSplit { rule, gain, left });
                }
            }
        }
    }
    best
}

struct Case<'a> {
    codes: &'a Codes,
    pairs: &'a [(i32, u32)],
    features: Vec<FeaturePlace>,
    rules: &'a [GradientRules],
    some: bool,
}

impl Case<'_> {
    /// Two nodes, searched by each of the rules.
    fn check(&self, device: &Device, label: &str) {
        let (rows, all) = (self.codes.rows, self.features.len());
        let packed: Vec<u64> = self.pairs.iter().map(|(gradient, hessian)| pack(*gradient, *hessian)).collect();
        let mut stream = device.stream();
        let binned = Binned::new(&mut stream, self.codes.view(), &self.codes.starts, &self.features).unwrap();
        let mut state = GrowState::new(&stream);
        let order: Vec<u32> = (0..rows as u32).collect();
        state.begin(&mut stream, &mut order.clone(), &mut [packed.clone()]).unwrap();
        let ranges = [0..rows, rows / 3..rows];
        let fill = |slot: usize| HistogramFill { tree: 0, rows: ranges[slot].clone(), slot, parent: None };
        histogram(&mut stream, &binned, &mut state, &[fill(0), fill(1)]).unwrap();
        let mut numbers = Numbers::new(70);
        let mut searches = vec![];
        for rules in self.rules {
            for slot in [1, 0] {
                let node = order[ranges[slot].clone()].iter().map(|row| GradientSums::of_row(packed[*row as usize]));
                let node = node.fold(GradientSums::default(), GradientSums::plus);
                let chosen = |feature: &u32| !self.some || numbers.below(3) == 0 || *feature == 0;
                let features = (0..all as u32).filter(chosen).collect();
                searches.push(SplitSearch { slot, node, rules: *rules, features, monotone: None });
            }
        }
        let found = best_split(&mut stream, &binned, &mut state, &searches).unwrap();
        for (search, found) in searches.iter().zip(found) {
            let rows = &order[ranges[search.slot].clone()];
            let wanted = oracle(self.codes, &self.features, self.pairs, rows, search);
            assert_eq!(found, wanted, "{label}: slot {}, {:?}", search.slot, search.rules);
        }
    }
}

fn strange_rules() -> Vec<GradientRules> {
    vec![
        PLAIN,
        GradientRules { l1: 3.0, l2: 7.5, min_count: 1, ..PLAIN },
        GradientRules { l2: 1e-300, min_hessian: 0.0, min_count: 1, ..PLAIN },
        GradientRules { l1: 1e9, ..PLAIN },
        GradientRules { l2: 1e30, ..PLAIN },
        GradientRules { min_hessian: 400.0, min_count: 1, ..PLAIN },
        GradientRules { min_gain: 1e3, ..PLAIN },
        GradientRules { min_count: 1 << 40, ..PLAIN },
        GradientRules { units: [1e-30, 1e-33], min_hessian: 0.0, ..PLAIN },
    ]
}

#[test]
fn the_winner_is_the_one_of_the_oracle_at_edge_sizes() {
    for (name, device) in devices() {
        for rows in [1, 2, 63, 65, 257, 1000, 5000] {
            let sizes: Vec<usize> = (0..13).map(|column| [256, 2, 17, 40, 255, 1, 9][column % 7]).collect();
            let (codes, pairs) = (Codes::new(rows, &sizes, 71), gradients(rows, 72).0);
            let rules = strange_rules();
            for some in [false, true] {
                let case = Case { codes: &codes, pairs: &pairs, features: features(&codes), rules: &rules, some };
                case.check(device, &format!("{name}: {rows}"));
            }
        }
    }
}

#[test]
fn gradients_of_one_sign_hide_small_gains_and_they_are_found() {
    // Large sums, of which the gains are a tiny part: the device cannot tell most features apart.
    let codes = Codes::new(3000, &[60; 30], 73);
    let pairs: Vec<(i32, u32)> = gradients(3000, 74).0.iter().map(|(g, h)| (30_000 + g % 3, 20_000 + h % 5)).collect();
    for (name, device) in devices() {
        let case = Case { codes: &codes, pairs: &pairs, features: features(&codes), rules: &[PLAIN], some: false };
        case.check(device, name);
    }
}

#[test]
fn equal_columns_go_to_the_lowest_feature() {
    let one = Codes::new(2000, &[50], 75);
    let columns = 12;
    let stride = 16;
    let mut bins = vec![0; 2000 * stride];
    (0..2000).for_each(|row| bins[row * stride..][..columns].fill(one.columns[row]));
    let starts = (0..=columns as u32).map(|column| 50 * column).collect();
    let codes = Codes { rows: 2000, stride, bins, columns: one.columns.repeat(columns), starts };
    let pairs = gradients(2000, 76).0;
    let features: Vec<FeaturePlace> = codes
        .starts
        .windows(2)
        .map(|ends| FeaturePlace { first: ends[0], bins: 50, missing: false, ..FeaturePlace::default() })
        .collect();
    for (name, device) in devices() {
        let case = Case { codes: &codes, pairs: &pairs, features: features.clone(), rules: &[PLAIN], some: false };
        case.check(device, name);
    }
}

#[test]
fn chunks_and_budgets_do_not_show() {
    let (codes, pairs, rules) = (Codes::new(3000, &[40; 20], 79), gradients(3000, 80).0, strange_rules());
    let split = [1, 7, 1000].map(|rows| DeviceOptions::default().chunk_rows(rows));
    let tight = [2, 16].map(|mebibytes| DeviceOptions::default().memory_budget(mebibytes << 20));
    for (number, options) in split.into_iter().chain(tight).enumerate() {
        let case = Case { codes: &codes, pairs: &pairs, features: features(&codes), rules: &rules, some: true };
        case.check(&gpu_with(options.mark_outputs(true)), &format!("options {number}"));
    }
}

#[test]
fn a_search_takes_one_read_back_also_where_all_features_are_alike() {
    let codes = Codes::new(4000, &[30; 8], 77);
    // The gradient follows column 0, or nothing at all.
    let clear = |row: u32| (i32::from(codes.code(row, 0)) * 500 - 7000, 1000);
    for is_clear in [true, false] {
        let device = gpu_with(DeviceOptions::default());
        let packed: Vec<u64> = (0..4000)
            .map(|row| if is_clear { clear(row) } else { (30_000, 1000) })
            .map(|(gradient, hessian)| pack(gradient, hessian))
            .collect();
        let features = features(&codes);
        let mut stream = device.stream();
        let binned = Binned::new(&mut stream, codes.view(), &codes.starts, &features).unwrap();
        let mut state = GrowState::new(&stream);
        state.begin(&mut stream, &mut (0..4000).collect(), &mut [packed.clone()]).unwrap();
        histogram(&mut stream, &binned, &mut state, &[HistogramFill { tree: 0, rows: 0..4000, slot: 0, parent: None }])
            .unwrap();
        let node =
            packed.iter().map(|row| GradientSums::of_row(*row)).fold(GradientSums::default(), GradientSums::plus);
        device.profile(true);
        let search = SplitSearch { slot: 0, node, rules: PLAIN, features: (0..8).collect(), monotone: None };
        let found = best_split(&mut stream, &binned, &mut state, &[search]).unwrap();
        let profile = device.profile_report();
        assert_eq!((profile.readbacks, profile.readback_bytes), (1, 32));
        assert_eq!(found[0].is_some(), is_clear);
    }
}

#[test]
fn a_feature_that_is_not_there_is_refused() {
    let codes = Codes::new(10, &[3, 3], 78);
    let features = features(&codes);
    for (name, device) in devices() {
        let mut stream = device.stream();
        let binned = Binned::new(&mut stream, codes.view(), &codes.starts, &features).unwrap();
        let mut state = GrowState::new(&stream);
        let search =
            SplitSearch { slot: 0, node: GradientSums::default(), rules: PLAIN, features: vec![2], monotone: None };
        let refused = best_split(&mut stream, &binned, &mut state, &[search]);
        assert!(matches!(refused, Err(Error::Param { .. })), "{name}: {refused:?}");
    }
}

#[test]
fn levels_are_divided_alike_everywhere_and_without_another_read_back() {
    let sizes: Vec<usize> = (0..9).map(|column| [3, 200, 9, 40, 17][column % 5]).collect();
    for rows in [2, 65, 1000, 4000] {
        let (codes, pairs) = (Codes::new(rows, &sizes, 81), gradients(rows, 82).0);
        let packed: Vec<u64> = pairs.iter().map(|(gradient, hessian)| pack(*gradient, *hessian)).collect();
        let node =
            packed.iter().map(|row| GradientSums::of_row(*row)).fold(GradientSums::default(), GradientSums::plus);
        // All categorical, every second one, and the first of several alike.
        for (number, categorical) in [|_| true, |column| column % 2 == 1, |column: usize| column < 6].iter().enumerate()
        {
            let feature = |(column, ends): (usize, &[u32])| {
                let (cells, missing) = ((ends[1] - ends[0]) as u16, column % 3 == 1);
                let bins = cells - u16::from(missing);
                FeaturePlace {
                    first: ends[0],
                    bins,
                    missing,
                    categorical: categorical(column),
                    ..FeaturePlace::default()
                }
            };
            let features: Vec<FeaturePlace> = codes.starts.windows(2).enumerate().map(feature).collect();
            let search = |device: &Device| {
                let mut stream = device.stream();
                let binned = Binned::new(&mut stream, codes.view(), &codes.starts, &features).unwrap();
                let mut state = GrowState::new(&stream);
                state.begin(&mut stream, &mut (0..rows as u32).collect(), &mut [packed.clone()]).unwrap();
                let fill = |slot: usize| HistogramFill { tree: 0, rows: slot..rows, slot, parent: None };
                histogram(&mut stream, &binned, &mut state, &[fill(0), fill(1)]).unwrap();
                let of = |slot: usize, some: u32| {
                    let node = if slot == 0 { node } else { node.minus(GradientSums::of_row(packed[0])) };
                    let features = (0..9).filter(|feature| feature % some == 0).collect();
                    SplitSearch { slot, node, rules: GradientRules { min_count: 1, ..PLAIN }, features, monotone: None }
                };
                let searches = [of(1, 1), of(0, 1), of(0, 2), of(1, 4)];
                best_split(&mut stream, &binned, &mut state, &searches).unwrap()
            };
            let wanted = search(&Device::Cpu);
            assert!(rows < 1000 || number > 0 || wanted.iter().all(|found| found.unwrap().rule.categories.is_some()));
            for (name, device) in devices() {
                assert_eq!(search(device), wanted, "{name}: {rows} rows, {number}");
            }
        }
    }
}
