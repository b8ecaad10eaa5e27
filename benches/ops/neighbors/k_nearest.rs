//! The nearest rows of a matrix to each of its rows: by lists, and by selection where k is large.

use gristmill::{Metric, ops};

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    [[2000, 64, 10], [20_000, 64, 10], [20_000, 8, 10], [4000, 784, 5], [4000, 64, 32], [4000, 64, 100]]
        .map(case)
        .to_vec()
}

fn case([rows, columns, k]: [usize; 3]) -> Case {
    let work = Work::Operations(3 * (rows * rows * columns) as u64);
    Case::new("neighbors/k_nearest", format!("{rows}x{rows}x{columns}, {k}"), work, move |device| {
        let x = uniform(rows, columns)?.to(device)?;
        let mut stream = device.stream();
        let job: Job = Box::new(move || {
            ops::k_nearest(&mut stream, &x, &x, k, Metric::Euclidean)?;
            stream.finish()
        });
        Ok(job)
    })
}
