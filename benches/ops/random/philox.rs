//! Normals, the dearest kind.

use gristmill::ops;
use gristmill::ops::random::philox::Draw;

use super::super::case::{Case, Job, Work};

pub fn cases() -> Vec<Case> {
    [100_000, 1_000_000, 10_000_000].map(case).to_vec()
}

fn case(count: usize) -> Case {
    Case::new("random/philox", count.to_string(), Work::Bytes(4 * count as u64), move |device| {
        let mut stream = device.stream();
        let job: Job = Box::new(move || {
            ops::random_normals(&mut stream, Draw::new(1, 0), count)?;
            stream.finish()
        });
        Ok(job)
    })
}
