//! All pairs of a matrix with itself, order 2.5: a logarithm and an exponential a step.

use gristmill::ops;

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    [[256, 64], [1024, 64], [512, 784]].map(case).to_vec()
}

fn case([rows, columns]: [usize; 2]) -> Case {
    let work = Work::Operations(40 * (rows * rows * columns) as u64);
    Case::new("distance/minkowski", format!("{rows}x{rows}x{columns}"), work, move |device| {
        let x = uniform(rows, columns)?.to(device)?;
        let mut stream = device.stream();
        let job: Job = Box::new(move || {
            ops::minkowski(&mut stream, &x, &x, 2.5)?;
            stream.finish()
        });
        Ok(job)
    })
}
