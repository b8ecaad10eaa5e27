//! A sweep of value iteration over random outcomes, three for each action.

use gristmill::DeviceVec;
use gristmill::ops::decision::bellman::{BellmanTable, bellman};

use super::super::case::{Case, Job, Work};

const ACTIONS: usize = 4;
const OUTCOMES: usize = 3;

pub fn cases() -> Vec<Case> {
    [10_000, 1_000_000].map(case).to_vec()
}

fn case(states: usize) -> Case {
    let rows = states * ACTIONS;
    let work = Work::Bytes((12 * rows * OUTCOMES + 8 * rows) as u64);
    Case::new("decision/bellman", format!("{states}x{ACTIONS}, {OUTCOMES} each"), work, move |device| {
        let offsets: Vec<u32> = (0..=rows).map(|row| (row * OUTCOMES) as u32).collect();
        let outcomes = (0..rows * OUTCOMES).map(|at| ((at.wrapping_mul(2_654_435_761) % states) as u32, 1.0 / 3.0));
        let rewards: Vec<f32> = (0..rows).map(|row| (row % 7) as f32).collect();
        let table = BellmanTable::new(device, ACTIONS, &offsets, outcomes, &rewards)?;
        let values = DeviceVec::from_slice(&vec![1.0_f32; states], device)?;
        let mut out = DeviceVec::from_slice(&vec![0.0_f32; states], device)?;
        let mut changes = DeviceVec::from_slice(&vec![0.0_f32; table.changes_len()], device)?;
        let mut stream = device.stream();
        let job: Job = Box::new(move || {
            bellman(&mut stream, &table, 0.9, &values, &mut out, &mut changes)?;
            stream.finish()
        });
        Ok(job)
    })
}
