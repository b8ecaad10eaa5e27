//! The medians of the residuals of 31 leaves.

use gristmill::cpu::tree::leaf_quantiles::{Residuals, leaf_quantiles as on_cpu};
use gristmill::cpu::tree::monotone::UNBOUNDED;
use gristmill::ops::tree::GrowState;
use gristmill::ops::tree::gradients::TargetColumns;
use gristmill::ops::tree::leaf_quantiles::{QuantileTask, leaf_quantiles};
use gristmill::ops::tree::leaves::LeafRows;
use gristmill::prelude::*;

use super::super::case::{Case, Job, Work};
use super::boosting_rows;

const LEAVES: usize = 31;

pub fn cases() -> Vec<Case> {
    [100_000, 1_000_000].map(case).to_vec()
}

fn case(rows: usize) -> Case {
    Case::new("tree/leaf_quantiles", rows.to_string(), Work::Bytes(36 * rows as u64), move |device| {
        let ends = (0..LEAVES).map(move |leaf| leaf * rows / LEAVES..(leaf + 1) * rows / LEAVES);
        let targets: Vec<f32> = (0..rows).map(|row| (row * 7919 % 10_007) as f32 / 100.0 - 50.0).collect();
        let scores = vec![0.0; rows];
        if let Device::Cpu = device {
            let order: Vec<u32> = (0..rows as u32).collect();
            let job: Job = Box::new(move || {
                let leaves: Vec<&[u32]> = ends.clone().map(|rows| &order[rows]).collect();
                on_cpu(&leaves, 0.5, &Residuals::new(&targets, &scores, None));
                Ok(())
            });
            return Ok(job);
        }
        let mut stream = device.stream();
        let columns = [targets];
        let mut on = boosting_rows(&mut stream, TargetColumns::Numbers(&columns), scores)?;
        let mut state = GrowState::new(&stream);
        state.begin_boosting(&mut stream, &mut on, None)?;
        let leaves: Vec<LeafRows> = ends.map(|rows| LeafRows { tree: 0, rows, bounds: UNBOUNDED }).collect();
        let job: Job = Box::new(move || {
            let task = QuantileTask { leaves: &leaves, nodes: &leaves, share: 0.5, with_steps: false };
            leaf_quantiles(&mut stream, &mut state, &mut on, &task).map(|_| ())
        });
        Ok(job)
    })
}
