//! y ← a·x + y.

use gristmill::ops;
use gristmill::prelude::*;

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    [100_000, 1_000_000, 10_000_000].map(case).to_vec()
}

fn case(count: usize) -> Case {
    Case::new("linalg/map", count.to_string(), Work::Bytes(12 * count as u64), move |device| {
        let x = DeviceVec::from_slice(uniform(count, 1)?.as_slice(), device)?;
        let mut y = DeviceVec::from_slice(uniform(count, 1)?.as_slice(), device)?;
        let mut stream = device.stream();
        let job: Job = Box::new(move || {
            ops::axpy(&mut stream, 1e-3, &x, &mut y)?;
            stream.finish()
        });
        Ok(job)
    })
}
