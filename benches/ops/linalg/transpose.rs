//! Square and tall matrices turned.

use gristmill::ops;

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    [[512, 512], [4096, 4096], [500_000, 32]].map(case).to_vec()
}

fn case([rows, columns]: [usize; 2]) -> Case {
    let work = Work::Bytes(8 * (rows * columns) as u64);
    Case::new("linalg/transpose", format!("{rows}x{columns}"), work, move |device| {
        let x = uniform(rows, columns)?.to(device)?;
        let mut stream = device.stream();
        let job: Job = Box::new(move || {
            ops::transpose(&mut stream, &x)?;
            stream.finish()
        });
        Ok(job)
    })
}
