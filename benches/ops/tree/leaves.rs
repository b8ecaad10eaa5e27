//! The sums of 31 leaves.

use gristmill::cpu::tree::fixed_point::FixedPoint;
use gristmill::cpu::tree::gradients::{Gradients, RowLoss};
use gristmill::cpu::tree::leaves::leaf_sums as on_cpu;
use gristmill::cpu::tree::monotone::UNBOUNDED;
use gristmill::ops::tree::GrowState;
use gristmill::ops::tree::gradients::TargetColumns;
use gristmill::ops::tree::leaves::{LeafRows, leaf_sums};
use gristmill::prelude::*;

use super::super::case::{Case, Job, Work};
use super::boosting_rows;

const LEAVES: usize = 31;

pub fn cases() -> Vec<Case> {
    [100_000, 1_000_000].map(case).to_vec()
}

fn case(rows: usize) -> Case {
    Case::new("tree/leaves", rows.to_string(), Work::Bytes(12 * rows as u64), move |device| {
        let ends = (0..LEAVES).map(move |leaf| leaf * rows / LEAVES..(leaf + 1) * rows / LEAVES);
        let targets: Vec<f32> = (0..rows).map(|row| (row % 1001) as f32 / 100.0 - 5.0).collect();
        if let Device::Cpu = device {
            let order: Vec<u32> = (0..rows as u32).collect();
            let own = Gradients { gradients: targets, hessians: vec![1.0; rows], largest: [5.01, 1.0] };
            let fixed = FixedPoint::new(own.largest[0], own.largest[1], rows);
            let job: Job = Box::new(move || {
                let leaves: Vec<&[u32]> = ends.clone().map(|rows| &order[rows]).collect();
                on_cpu(&leaves, &own, &fixed);
                Ok(())
            });
            return Ok(job);
        }
        let mut stream = device.stream();
        let columns = [targets];
        let mut on = boosting_rows(&mut stream, TargetColumns::Numbers(&columns), vec![0.0; rows])?;
        on.gradients(&mut stream, &[RowLoss::Squared])?;
        let mut state = GrowState::new(&stream);
        state.begin_boosting(&mut stream, &mut on, None)?;
        let leaves: Vec<LeafRows> = ends.map(|rows| LeafRows { tree: 0, rows, bounds: UNBOUNDED }).collect();
        let job: Job = Box::new(move || leaf_sums(&mut stream, &mut state, &mut on, &leaves).map(|_| ()));
        Ok(job)
    })
}
