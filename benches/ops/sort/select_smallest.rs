//! The 512 smallest of many keys, the working set of a support vector machine.

use gristmill::ops;
use gristmill::prelude::*;

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    [100_000, 1_000_000, 10_000_000].map(case).to_vec()
}

fn case(count: usize) -> Case {
    Case::new("sort/select_smallest", count.to_string(), Work::Bytes(4 * count as u64), move |device| {
        let keys = DeviceVec::from_slice(uniform(count, 1)?.as_slice(), device)?;
        let mut stream = device.stream();
        let job: Job = Box::new(move || {
            ops::select_smallest(&mut stream, &keys, None, 512)?;
            stream.finish()
        });
        Ok(job)
    })
}
