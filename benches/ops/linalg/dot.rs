//! Vectors of a hundred thousand to ten million values.

use gristmill::ops;
use gristmill::prelude::*;

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    [100_000, 1_000_000, 10_000_000].map(case).to_vec()
}

fn case(count: usize) -> Case {
    Case::new("linalg/dot", count.to_string(), Work::Bytes(8 * count as u64), move |device| {
        let x = DeviceVec::from_slice(uniform(count, 1)?.as_slice(), device)?;
        let y = DeviceVec::from_slice(uniform(count, 1)?.as_slice(), device)?;
        let mut stream = device.stream();
        let job: Job = Box::new(move || ops::dot(&mut stream, &x, &y).map(|_| ()));
        Ok(job)
    })
}
