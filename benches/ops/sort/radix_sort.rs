//! Random keys with a payload.

use gristmill::ops;
use gristmill::ops::random::philox::Draw;

use super::super::case::{Case, Job, Work};

pub fn cases() -> Vec<Case> {
    [100_000, 1_000_000, 10_000_000].map(case).to_vec()
}

fn case(count: usize) -> Case {
    Case::new("sort/radix_sort", count.to_string(), Work::Bytes(16 * count as u64), move |device| {
        let mut stream = device.stream();
        let keys = ops::random_bits(&mut stream, Draw::new(1, 0), count)?;
        let payload = ops::random_bits(&mut stream, Draw::new(2, 0), count)?;
        let job: Job = Box::new(move || {
            ops::radix_sort(&mut stream, &keys, &payload)?;
            stream.finish()
        });
        Ok(job)
    })
}
