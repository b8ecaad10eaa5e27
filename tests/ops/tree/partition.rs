use std::ops::Range;

use gristmill::cpu::tree::Route;
use gristmill::ops::tree::partition::partition;
use gristmill::ops::tree::{Binned, GrowState, NodePartition};
use gristmill::prelude::*;

use super::{Codes, Numbers, gradients, mixed};
use crate::support::{devices, gpu_with};

fn route(numbers: &mut Numbers, columns: usize) -> Route {
    let left = std::array::from_fn(|_| (numbers.below(1 << 30) as u32) << 2 | numbers.below(4) as u32);
    Route { column: numbers.below(columns) as u32, left }
}

/// Those that go left, then the others, and how many went left.
fn oracle(codes: &Codes, order: &mut [u32], cuts: &[NodePartition]) -> Vec<usize> {
    let mut lefts = vec![];
    for cut in cuts {
        let goes_left = |row: &u32| cut.route.goes_left(codes.code(*row, cut.route.column as usize));
        let (left, right): (Vec<u32>, Vec<u32>) = order[cut.rows.clone()].iter().copied().partition(goes_left);
        lefts.push(left.len());
        order[cut.rows.clone()].copy_from_slice(&[left, right].concat());
    }
    lefts
}

/// Divides twice, the second time without asking how many went left, and compares.
fn check(device: &Device, codes: &Codes, ranges: &[Range<usize>], label: &str) {
    let mut numbers = Numbers::new(50);
    let columns = codes.starts.len() - 1;
    let mut stream = device.stream();
    let binned = Binned::new(&mut stream, codes.view(), &codes.starts, &[]).unwrap();
    let mut state = GrowState::new(&stream);
    let mut order: Vec<u32> = (0..codes.rows as u32).collect();
    state.begin(&mut stream, &mut order.clone(), &mut [gradients(codes.rows, 1).1]).unwrap();
    for is_known in [false, true] {
        let cut =
            |rows: &Range<usize>| NodePartition { rows: rows.clone(), route: route(&mut numbers, columns), left: None };
        let mut cuts: Vec<NodePartition> = ranges.iter().map(cut).collect();
        let lefts = oracle(codes, &mut order, &cuts);
        if is_known {
            cuts.iter_mut().zip(&lefts).for_each(|(cut, left)| cut.left = Some(*left));
        }
        assert_eq!(partition(&mut stream, &binned, &mut state, &cuts).unwrap(), lefts, "{label}");
        assert!(state.order(&mut stream).unwrap() == order, "{label}");
    }
}

#[test]
fn rows_are_divided_stably_at_edge_sizes() {
    for (name, device) in devices() {
        for rows in [0, 1, 2, 31, 32, 33, 63, 64, 65, 255, 256, 257, 1000, 70_000] {
            let columns = if rows < 1000 { 9 } else { 3 };
            check(
                device,
                &Codes::new(rows, &mixed(columns), 51),
                std::slice::from_ref(&(0..rows)),
                &format!("{name}: {rows}"),
            );
        }
    }
}

#[test]
fn many_nodes_are_divided_at_once_and_the_rows_between_them_stay() {
    let codes = Codes::new(10_000, &mixed(20), 52);
    for (name, device) in devices() {
        check(device, &codes, &[3..4, 4..4, 5..5000, 5000..5033, 6000..10_000], name);
        let every_other: Vec<Range<usize>> = (0..2500).map(|at| 4 * at..4 * at + 3).collect();
        check(device, &codes, &every_other, name);
    }
}

#[test]
fn chunks_and_budgets_do_not_show() {
    let codes = Codes::new(50_000, &mixed(20), 53);
    let split = [1, 2, 7, 64, 1000].map(|rows| DeviceOptions::default().chunk_rows(rows));
    let tight = [2, 16, 128].map(|mebibytes| DeviceOptions::default().memory_budget(mebibytes << 20));
    for (number, options) in split.into_iter().chain(tight).enumerate() {
        let device = gpu_with(options.mark_outputs(true));
        check(&device, &codes, &[0..17, 17..30_000, 30_010..50_000], &format!("options {number}"));
    }
}

#[test]
fn what_does_not_fit_is_refused_alike() {
    let codes = Codes::new(10, &[3, 3], 54);
    let route = Route { column: 1, left: [1; 8] };
    let cut = |rows: Range<usize>, route: Route| NodePartition { rows, route, left: None };
    for (name, device) in devices() {
        let mut stream = device.stream();
        let binned = Binned::new(&mut stream, codes.view(), &codes.starts, &[]).unwrap();
        let mut state = GrowState::new(&stream);
        state.begin(&mut stream, &mut (0..10).collect(), &mut [gradients(10, 1).1]).unwrap();
        let wrong = [
            vec![cut(0..11, route)],
            vec![cut(4..8, route), cut(7..9, route)],
            vec![cut(0..5, Route { column: 2, ..route })],
        ];
        for cuts in wrong {
            let refused = partition(&mut stream, &binned, &mut state, &cuts);
            assert!(matches!(refused, Err(Error::Shape { op: "partition", .. })), "{name}: {refused:?}");
        }
    }
}
