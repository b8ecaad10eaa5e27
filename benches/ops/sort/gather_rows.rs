//! Rows in a random order.

use gristmill::ops;
use gristmill::ops::random::philox::Draw;

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    [[100_000, 10], [500_000, 32], [1_000_000, 16]].map(case).to_vec()
}

fn case([rows, columns]: [usize; 2]) -> Case {
    let work = Work::Bytes(8 * (rows * columns) as u64);
    Case::new("sort/gather_rows", format!("{rows}x{columns}"), work, move |device| {
        let x = uniform(rows, columns)?.to(device)?;
        let order = ops::permutation(&mut device.stream(), Draw::new(1, 0), rows)?;
        let mut stream = device.stream();
        let job: Job = Box::new(move || {
            ops::gather_rows(&mut stream, &x, &order)?;
            stream.finish()
        });
        Ok(job)
    })
}
