//! Full trees of 64 leaves, as many rows as a test set has.

use gristmill::cpu::tree::predict::{FlatNode, FlatTrees};
use gristmill::ops::tree::predict::predict;

use super::super::case::{Case, Job, Work, uniform};

const DEPTH: usize = 6;

pub fn cases() -> Vec<Case> {
    [[10_000, 10], [100_000, 100]].map(case).to_vec()
}

fn case([rows, trees]: [usize; 2]) -> Case {
    let (columns, work) = (28, Work::Operations((4 * rows * trees * DEPTH) as u64));
    Case::new("tree/predict", format!("{rows}x{trees}"), work, move |device| {
        let x = uniform(rows, columns)?.to(device)?;
        let mut walk = FlatTrees::default();
        for tree in 0..trees as u32 {
            let inner = (1 << DEPTH) - 1;
            let step = |node: u32| FlatNode {
                threshold: (node * 7 % 11) as f32 / 11.0 - 0.5,
                feature: (tree + 5 * node) % columns as u32,
                children: if node < inner { [2 * node + 1, 2 * node + 2] } else { [node; 2] },
            };
            walk.push((0..2 * inner + 1).map(step), DEPTH);
        }
        let mut stream = device.stream();
        let mut out = vec![0_u64; rows];
        let job: Job = Box::new(move || {
            predict(&mut stream, &x, &walk, &mut out, 1, |out, _, leaves| {
                out.iter_mut().zip(leaves).for_each(|(out, leaf)| *out += u64::from(*leaf));
            })
        });
        Ok(job)
    })
}
