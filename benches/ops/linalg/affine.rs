//! The columns of a tall matrix moved and stretched.

use gristmill::ops;

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    [[100_000, 8], [500_000, 32], [20_000, 784]].map(case).to_vec()
}

fn case([rows, columns]: [usize; 2]) -> Case {
    let work = Work::Bytes(8 * (rows * columns) as u64);
    Case::new("linalg/affine", format!("{rows}x{columns}"), work, move |device| {
        let x = uniform(rows, columns)?.to(device)?;
        let lines = (0..columns).map(|column| (0.1 * column as f64, 2.0, -1.0)).collect();
        let mut stream = device.stream();
        let job: Job = Box::new(move || {
            ops::affine(&mut stream, &x, &lines)?;
            stream.finish()
        });
        Ok(job)
    })
}
