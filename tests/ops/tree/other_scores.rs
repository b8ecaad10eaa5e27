use gristmill::cpu::tree::RowSample;
use gristmill::cpu::tree::gradients::RowLoss;
use gristmill::cpu::tree::other_scores::other_scores;
use gristmill::cpu::tree::predict::{CATEGORIES, FlatNode, FlatTrees, MISSING_LEFT};
use gristmill::cpu::tree::{BinSet, UNKNOWN};
use gristmill::ops::tree::gradients::TargetColumns;
use gristmill::ops::tree::other_scores::add_to_others;
use gristmill::ops::tree::{BoostingRows, GrowState, HeldOutRows};
use gristmill::prelude::*;

use crate::support::{baseline, bits, gpu, numbers};

const COLUMNS: usize = 3;

/// Two trees: numbers, missing values and categories; and a leaf alone.
fn trees() -> FlatTrees {
    let mut trees = FlatTrees::default();
    let bins = trees.add_bins(&[0, 1, UNKNOWN, 2, 0]);
    let mut left = BinSet::default();
    [0, 2, UNKNOWN].into_iter().for_each(|bin| left.insert(bin));
    let set = trees.add_set(bins, &left);
    let leaf = |number: u32| FlatNode { threshold: 0.0, feature: 0, children: [number; 2] };
    let nodes = [
        FlatNode { threshold: 0.1, feature: MISSING_LEFT, children: [1, 2] },
        leaf(1),
        FlatNode { threshold: set, feature: 2 | CATEGORIES, children: [3, 4] },
        FlatNode { threshold: -0.4, feature: 1, children: [5, 6] },
        leaf(4),
        leaf(5),
        leaf(6),
    ];
    trees.push(nodes, 3);
    trees.push([leaf(0)], 0);
    trees
}

/// The value of each leaf, and of each node of the first tree.
const LEAVES: [f32; 5] = [0.5, -1.25, 3.0e-3, 7.0, -0.75];
const NODES: [f32; 7] = [0.0, LEAVES[0], 0.0, 0.0, LEAVES[1], LEAVES[2], LEAVES[3]];

fn matrix(rows: usize, seed: u64) -> Matrix {
    let mut x = numbers(COLUMNS * rows, seed);
    for (row, values) in x.chunks_exact_mut(COLUMNS).enumerate() {
        values[2] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 1.5, -0.0, f32::NAN][row % 9];
        if row % 11 == 5 {
            values[0] = f32::NAN;
        }
    }
    Matrix::from_vec(rows, COLUMNS, x).unwrap()
}

fn expected(x: &Matrix, rows: &[u32], scores: &[Vec<f32>]) -> Vec<Vec<f32>> {
    let (trees, mut scores) = (trees(), scores.to_vec());
    let x = (x.as_slice(), COLUMNS);
    other_scores((&trees, 0), x, rows, |node| NODES[node as usize], &mut scores[0]);
    other_scores((&trees, 1), x, rows, |_| LEAVES[4], &mut scores[1]);
    scores
}

/// Every seventh row has no part in the trees; of the others a sample has.
#[test]
fn rows_outside_the_sample_and_held_out_get_what_the_cpu_adds() {
    for (name, device) in [("gpu", gpu()), ("baseline", baseline())] {
        for rows in [1, 2, 63, 64, 65, 255, 257, 1000, 70_000] {
            let (x, held) = (matrix(rows, 1), matrix(rows / 3 + 1, 2));
            let scores = |rows: usize, seed: u64| [numbers(rows, seed), numbers(rows, seed + 1)];
            let (before, held_before) = (scores(rows, 3), scores(held.rows(), 5));
            let order: Vec<u32> = (0..rows as u32).filter(|row| row % 7 != 3).collect();
            let targets = [vec![0.0; rows], vec![0.0; rows]];
            let mut stream = device.stream();
            let columns = TargetColumns::Numbers(&targets);
            let mut on = BoostingRows::new(&mut stream, columns, None, &before, &order).unwrap().unwrap();
            on.keep_values(x.to(device).unwrap());
            on.keep_held_out(HeldOutRows::new(&mut stream, &held, &held_before).unwrap().unwrap());
            let mut state = GrowState::new(&stream);
            on.gradients(&mut stream, &[RowLoss::Squared; 2]).unwrap();
            let sample = RowSample::new(9, 77, 0.6);
            let drawn = sample.of(&order, rows);
            let begun = state.begin_boosting(&mut stream, &mut on, Some(&sample)).unwrap();
            assert_eq!(begun.count, drawn.len(), "{name}: {rows}");
            assert!(begun.totals.iter().all(|totals| totals.count == drawn.len() as u64), "{name}: {rows}");
            let others: Vec<u32> = order.iter().copied().filter(|row| drawn.binary_search(row).is_err()).collect();
            let found = state.order(&mut stream).unwrap();
            for own in found.chunks_exact(order.len()) {
                assert_eq!(own, [&drawn[..], &others[..]].concat(), "{name}: {rows}");
            }
            add_to_others(&mut stream, &mut state, &mut on, &trees(), &LEAVES).unwrap();
            let all: Vec<u32> = (0..held.rows() as u32).collect();
            let wanted = expected(&x, &others, &before);
            for (output, wanted) in wanted.iter().enumerate() {
                let found = on.read_scores(&mut stream, output).unwrap();
                assert_eq!(bits(&found), bits(wanted), "{name}: {rows}");
            }
            let found = on.held_out().unwrap().read_scores(&mut stream).unwrap();
            for (found, wanted) in found.iter().zip(expected(&held, &all, &held_before)) {
                assert_eq!(bits(found), bits(&wanted), "{name}: {rows}");
            }
            let most = others.iter().flat_map(|row| wanted.iter().map(|scores| scores[*row as usize].abs()));
            let largest = on.largest_scores(&mut stream).unwrap();
            assert_eq!(largest[0], most.fold(0.0, f32::max), "{name}: {rows}");
        }
    }
}

#[test]
fn rows_that_are_held_out_stay_on_the_cpu_where_they_are() {
    assert!(HeldOutRows::new(&mut Device::Cpu.stream(), &matrix(3, 1), &[vec![0.0; 3]]).unwrap().is_none());
}
