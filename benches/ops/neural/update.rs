//! A step of Adam.

use gristmill::DeviceVec;
use gristmill::ops::neural::{Memory, StepNumbers, StepRule, WeightPenalty, update, zeros};

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    [1 << 18, 1 << 24].map(case).to_vec()
}

fn case(count: usize) -> Case {
    Case::new("neural/update", count.to_string(), Work::Bytes(28 * count as u64), move |device| {
        let mut parameters = DeviceVec::from_slice(uniform(1, count)?.as_slice(), device)?;
        let gradient = DeviceVec::from_slice(uniform(1, count)?.as_slice(), device)?;
        let ranges = DeviceVec::from_slice(&[0, count as u32], device)?;
        let mut stream = device.stream();
        let mut memory = Memory { first: zeros(&mut stream, count)?, second: zeros(&mut stream, count)? };
        let numbers = StepNumbers {
            rule: StepRule::Adam,
            rate: 1e-3,
            kept: 0.9,
            added: 0.1,
            kept_square: 0.999,
            added_square: 1e-3,
            spread: 1.0,
            epsilon: 1e-8,
            shrink: 1.0,
        };
        let job: Job = Box::new(move || {
            let penalty = WeightPenalty { l1: 0.0, l2: 1e-4, ranges: &ranges };
            update(&mut stream, &numbers, (penalty, None), (&mut parameters, &gradient), &mut memory)?;
            stream.finish()
        });
        Ok(job)
    })
}
