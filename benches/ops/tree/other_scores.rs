//! Rows that are held out, led through a tree of 32 leaves.

use gristmill::cpu::tree::other_scores::other_scores;
use gristmill::cpu::tree::predict::{FlatNode, FlatTrees};
use gristmill::ops::tree::gradients::TargetColumns;
use gristmill::ops::tree::other_scores::add_to_others;
use gristmill::ops::tree::{GrowState, HeldOutRows};
use gristmill::prelude::*;

use super::super::case::{Case, Job, Work};
use super::boosting_rows;

const COLUMNS: usize = 8;
const DEPTH: usize = 5;

pub fn cases() -> Vec<Case> {
    [100_000, 1_000_000].map(case).to_vec()
}

/// A full tree.
fn tree() -> FlatTrees {
    let inner = (1 << DEPTH) - 1;
    let node = |number: u32| match number < inner {
        true => {
            FlatNode { threshold: 0.5, feature: number % COLUMNS as u32, children: [2 * number + 1, 2 * number + 2] }
        }
        false => FlatNode { threshold: 0.0, feature: 0, children: [number; 2] },
    };
    let mut trees = FlatTrees::default();
    trees.push((0..2 * inner + 1).map(node), DEPTH);
    trees
}

fn case(rows: usize) -> Case {
    Case::new(
        "tree/other_scores",
        rows.to_string(),
        Work::Bytes((4 * COLUMNS + 8) as u64 * rows as u64),
        move |device| {
            let value = |at: usize| (at * 7919 % 1009) as f32 / 1009.0;
            let x = Matrix::from_vec(rows, COLUMNS, (0..rows * COLUMNS).map(value).collect())?;
            let (trees, mut scores) = (tree(), vec![0.0; rows]);
            if let Device::Cpu = device {
                let all: Vec<u32> = (0..rows as u32).collect();
                let job: Job = Box::new(move || {
                    other_scores((&trees, 0), (x.as_slice(), COLUMNS), &all, |node| node as f32, &mut scores);
                    Ok(())
                });
                return Ok(job);
            }
            let mut stream = device.stream();
            let mut on = boosting_rows(&mut stream, TargetColumns::Numbers(&[vec![0.0; 2]]), vec![0.0; 2])?;
            if let Some(held) = HeldOutRows::new(&mut stream, &x, &[scores])? {
                on.keep_held_out(held);
            }
            let mut state = GrowState::new(&stream);
            state.begin_boosting(&mut stream, &mut on, None)?;
            let values = [1.0; 1 << DEPTH];
            let job: Job = Box::new(move || {
                add_to_others(&mut stream, &mut state, &mut on, &trees, &values)?;
                stream.finish()
            });
            Ok(job)
        },
    )
}
