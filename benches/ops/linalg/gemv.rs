//! A tall and a square matrix with a vector, then the transpose with one.

use gristmill::ops;
use gristmill::prelude::*;

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    [[10_000, 64], [500_000, 64], [8192, 8192]].map(case).to_vec()
}

fn case([rows, columns]: [usize; 2]) -> Case {
    let work = Work::Bytes(8 * (rows * columns) as u64);
    Case::new("linalg/gemv", format!("{rows}x{columns}"), work, move |device| {
        let x = uniform(rows, columns)?.to(device)?;
        let right = DeviceVec::from_slice(uniform(columns, 1)?.as_slice(), device)?;
        let left = DeviceVec::from_slice(uniform(rows, 1)?.as_slice(), device)?;
        let mut stream = device.stream();
        let job: Job = Box::new(move || {
            ops::gemv(&mut stream, &x, &right)?;
            ops::gemv_transposed(&mut stream, &x, &left)?;
            stream.finish()
        });
        Ok(job)
    })
}
