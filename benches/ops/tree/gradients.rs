//! Gradients and Hessians of the logistic loss.

use gristmill::cpu::tree::gradients::{Derivatives, LossRows, RowLoss, gradients};
use gristmill::ops::tree::gradients::TargetColumns;
use gristmill::prelude::*;

use super::super::case::{Case, Job, Work};
use super::boosting_rows;

pub fn cases() -> Vec<Case> {
    [100_000, 1_000_000].map(case).to_vec()
}

fn case(rows: usize) -> Case {
    Case::new("tree/gradients", rows.to_string(), Work::Bytes(16 * rows as u64), move |device| {
        let scores: Vec<f32> = (0..rows).map(|row| (row % 1001) as f32 / 100.0 - 5.0).collect();
        let targets: Vec<f32> = (0..rows).map(|row| (row % 2) as f32).collect();
        if let Device::Cpu = device {
            let (mut g, mut h) = (vec![0.0; rows], vec![0.0; rows]);
            let job: Job = Box::new(move || {
                let input = LossRows { scores: &scores, targets: &targets, weights: None };
                gradients(RowLoss::Logistic, input, Derivatives { gradients: &mut g, hessians: &mut h });
                Ok(())
            });
            return Ok(job);
        }
        let mut stream = device.stream();
        let columns = [targets];
        let mut on = boosting_rows(&mut stream, TargetColumns::Numbers(&columns), scores)?;
        let job: Job = Box::new(move || {
            on.gradients(&mut stream, &[RowLoss::Logistic])?;
            stream.finish()
        });
        Ok(job)
    })
}
