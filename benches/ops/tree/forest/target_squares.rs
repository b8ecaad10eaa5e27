//! The squares of 4096 leaves of numbers.

use std::ops::Range;

use gristmill::cpu::tree::target::{FixedValues, TreeTarget, ValueTarget};
use gristmill::ops::tree::GrowState;
use gristmill::ops::tree::target_squares::target_squares;

use super::super::super::case::{Case, Job, Work};

const LEAVES: usize = 4096;

pub fn cases() -> Vec<Case> {
    [100_000, 1_000_000].map(case).to_vec()
}

fn case(rows: usize) -> Case {
    Case::new("tree/forest/target_squares", rows.to_string(), Work::Bytes(20 * rows as u64), move |device| {
        let targets: &'static [f32] = Vec::leak((0..rows).map(|row| (row % 1001) as f32 / 100.0 - 5.0).collect());
        let values: &'static FixedValues<'static> = Box::leak(Box::new(FixedValues::new("bench", targets, 1, None)?));
        let target: &'static ValueTarget<'static> = Box::leak(Box::new(values.target(None)));
        let mut stream = device.stream();
        let mut state = GrowState::new(&stream);
        state.begin_targets(&mut stream, &mut (0..rows as u32).collect(), &[target.rows()])?;
        let leaf = |leaf: usize| (0, leaf * rows / LEAVES..(leaf + 1) * rows / LEAVES);
        let leaves: Vec<(usize, Range<usize>)> = (0..LEAVES).map(leaf).collect();
        let job: Job = Box::new(move || target_squares(&mut stream, &mut state, &[target.rows()], &leaves).map(|_| ()));
        Ok(job)
    })
}
