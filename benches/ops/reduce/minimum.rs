//! Vectors of a hundred thousand to ten million values.

use gristmill::ops;
use gristmill::ops::random::philox::Draw;

use super::super::case::{Case, Job, Work};

pub fn cases() -> Vec<Case> {
    [100_000, 1_000_000, 10_000_000].map(case).to_vec()
}

fn case(count: usize) -> Case {
    Case::new("reduce/minimum", count.to_string(), Work::Bytes(4 * count as u64), move |device| {
        let mut stream = device.stream();
        let x = ops::random_normals(&mut stream, Draw::new(1, 0), count)?;
        let job: Job = Box::new(move || {
            ops::minimum(&mut stream, &x)?;
            stream.finish()
        });
        Ok(job)
    })
}
