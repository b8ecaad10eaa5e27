//! Tall and square matrices.

use gristmill::ops;

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    [[100_000, 10], [500_000, 64], [4096, 4096]].map(case).to_vec()
}

fn case([rows, columns]: [usize; 2]) -> Case {
    let work = Work::Bytes(4 * (rows * columns) as u64);
    Case::new("reduce/column_sums", format!("{rows}x{columns}"), work, move |device| {
        let x = uniform(rows, columns)?.to(device)?;
        let mut stream = device.stream();
        let job: Job = Box::new(move || {
            ops::column_sums(&mut stream, &x)?;
            stream.finish()
        });
        Ok(job)
    })
}
