//! Twenty trees that begin with bootstrap samples of two classes: on the CPU the counts of their draws alone.

use gristmill::cpu::tree::bootstrap::RowDraws;
use gristmill::cpu::tree::target::{ClassTarget, Criterion, FixedWeights, TreeTarget};
use gristmill::ops::tree::GrowState;
use gristmill::ops::tree::bootstrap::{TreeDraws, TreeRows};
use gristmill::prelude::*;

use super::super::super::case::{Case, Job, Work};

const TREES: usize = 20;

pub fn cases() -> Vec<Case> {
    [20_000, 100_000].map(case).to_vec()
}

fn case(rows: usize) -> Case {
    let work = Work::Operations((TREES * rows) as u64);
    Case::new("tree/forest/bootstrap", format!("{TREES} trees of {rows} rows"), work, move |device| {
        let mut stream = device.stream();
        let codes: &'static [u32] = Vec::leak((0..rows as u32).map(|row| row % 7 % 2).collect());
        let weights = FixedWeights::for_classes("bench", rows, None)?;
        let target = ClassTarget::new(codes, 2, weights, Criterion::Gini);
        let (mut state, all) = (GrowState::new(&stream), (0..rows as u32).collect::<Vec<u32>>());
        let draws = RowDraws { seed: 1, stream: 0, draws: rows };
        let count = |tree: usize| draws.times(tree, &all, rows).iter().filter(|times| **times > 0).count();
        let counts: Vec<usize> = (0..TREES).map(count).collect();
        let mut known = false;
        let job: Job = Box::new(move || {
            if matches!(stream.device(), Device::Cpu) {
                (0..TREES).for_each(|tree| drop(draws.times(tree, &all, rows)));
                return Ok(());
            }
            let draws = Some(TreeDraws::Sampled(draws, 0..TREES));
            state.begin_trees(&mut stream, &TreeRows { whole: target.rows(), known, draws, counts: &counts })?;
            known = true;
            stream.finish()
        });
        Ok(job)
    })
}
