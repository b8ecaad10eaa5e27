use gristmill::cpu::tree::best_split::GradientRules;
use gristmill::cpu::tree::fixed_point::totals;
use gristmill::cpu::tree::{BinLayout, FeaturePlace};
use gristmill::ops::tree::best_split::best_split;
use gristmill::ops::tree::histogram::histogram;
use gristmill::ops::tree::partition::partition;
use gristmill::ops::tree::two_levels::{ChildSearch, are_possible, two_levels};
use gristmill::ops::tree::{Binned, GrowState, HistogramFill, NodePartition, SplitSearch};
use gristmill::prelude::*;

use super::{Codes, gradients, mixed};
use crate::support::{baseline, gpu};

/// Some with a bin for missing values, some in a column with others' codes.
fn layout(codes: &[usize]) -> BinLayout {
    let place = |(column, codes): (usize, &usize)| {
        let (codes, missing) = (*codes as u16, column % 3 == 1 && *codes > 1);
        let column = Some(column as u32);
        if codes > 4 && column.is_some_and(|column| column % 4 == 3) {
            // Code 0 and the last are those of others; the default is the first, the last or that of missing values.
            let bins = codes - 1 - u16::from(missing);
            let default = Some([0, bins - 1 + u16::from(missing)][codes as usize % 2]);
            return FeaturePlace { column, offset: 1, bins, missing, default, ..FeaturePlace::default() };
        }
        FeaturePlace { column, bins: codes - u16::from(missing), missing, ..FeaturePlace::default() }
    };
    BinLayout::new(codes.iter().enumerate().map(place).collect(), codes)
}

/// Two trees: the children of both roots, as they are found one step after the other on the CPU.
#[test]
fn children_are_searched_as_they_are_one_level_after_the_other() {
    let rules = GradientRules { units: [1e-3, 2e-4], l1: 0.1, l2: 0.5, min_hessian: 1e-3, min_count: 1, min_gain: 0.0 };
    for rows in [2, 3, 63, 64, 65, 257, 1000, 70_000] {
        let columns = mixed(11);
        let (codes, layout) = (Codes::new(rows, &columns, 1), layout(&columns));
        let [one, other] = [1, 2].map(|seed| gradients(rows, seed).1);
        let order: Vec<u32> = (0..rows as u32).collect();
        let root = |tree: usize| SplitSearch {
            slot: tree,
            node: totals([&one, &other][tree], &order),
            rules,
            features: (0..columns.len() as u32).filter(|feature| tree == 0 || feature % 2 == 0).collect(),
            monotone: None,
        };
        let roots = [root(0), root(1)];
        let fills =
            [0, 1].map(|tree| HistogramFill { tree, rows: tree * rows..(tree + 1) * rows, slot: tree, parent: None });
        let begin = |device: &Device| {
            let mut stream = device.stream();
            let binned = Binned::new(&mut stream, codes.view(), layout.starts(), layout.places()).unwrap();
            let mut state = GrowState::new(&stream);
            let mut packed = [one.clone(), other.clone()];
            state.begin(&mut stream, &mut [&order[..], &order[..]].concat(), &mut packed).unwrap();
            histogram(&mut stream, &binned, &mut state, &fills).unwrap();
            (stream, binned, state)
        };
        let (mut stream, binned, mut state) = begin(&Device::Cpu);
        assert!(!are_possible(&binned));
        let splits = best_split(&mut stream, &binned, &mut state, &roots).unwrap();
        let mut wanted = vec![];
        for (tree, split) in splits.iter().enumerate() {
            let Some(split) = split else { continue };
            let first = tree * rows;
            let node = NodePartition { rows: first..first + rows, route: layout.route(&split.rule), left: None };
            let left = partition(&mut stream, &binned, &mut state, &[node]).unwrap()[0];
            assert_eq!(left as u64, split.left.count);
            let fill = |slot: usize, rows| HistogramFill { tree, rows, slot, parent: None };
            let of_children = [fill(2, first..first + left), fill(3, first + left..first + rows)];
            histogram(&mut stream, &binned, &mut state, &of_children).unwrap();
            let sums = [split.left, roots[tree].node.minus(split.left)];
            let searches = [2, 3].map(|slot| SplitSearch { slot, node: sums[slot - 2], ..roots[tree].clone() });
            wanted.push((tree, best_split(&mut stream, &binned, &mut state, &searches).unwrap()));
        }
        let wanted_order = state.order(&mut stream).unwrap().to_vec();
        for (name, device) in [("gpu", gpu()), ("baseline", baseline())] {
            let (mut stream, binned, mut state) = begin(device);
            let child = |tree: usize| ChildSearch {
                search: tree,
                tree,
                rows: tree * rows..(tree + 1) * rows,
                slot: 4 + tree,
                features: [roots[tree].features.clone(), roots[tree].features.clone()],
            };
            let found = two_levels(&mut stream, &binned, &mut state, &roots, &[child(0), child(1)]).unwrap();
            let Some(found) = found else { panic!("{name}: {rows} rows") };
            assert_eq!(found.splits, splits, "{name}: {rows}");
            for (tree, wanted) in &wanted {
                assert_eq!(found.children[*tree].to_vec(), *wanted, "{name}: {rows}, tree {tree}");
            }
            assert_eq!(state.order(&mut stream).unwrap(), wanted_order, "{name}: {rows}");
        }
    }
}
