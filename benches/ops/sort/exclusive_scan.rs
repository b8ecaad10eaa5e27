//! Vectors of a hundred thousand to ten million counts.

use gristmill::ops;
use gristmill::ops::random::philox::Draw;

use super::super::case::{Case, Job, Work};

pub fn cases() -> Vec<Case> {
    [100_000, 1_000_000, 10_000_000].map(case).to_vec()
}

fn case(count: usize) -> Case {
    Case::new("sort/exclusive_scan", count.to_string(), Work::Bytes(8 * count as u64), move |device| {
        let mut stream = device.stream();
        let x = ops::random_integers(&mut stream, Draw::new(1, 0), count, 100)?;
        let job: Job = Box::new(move || {
            ops::exclusive_scan(&mut stream, &x)?;
            stream.finish()
        });
        Ok(job)
    })
}
