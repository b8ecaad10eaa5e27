//! All pairs of a matrix with itself.

use gristmill::ops;

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    [[512, 64], [2048, 64], [1024, 784]].map(case).to_vec()
}

fn case([rows, columns]: [usize; 2]) -> Case {
    let work = Work::Operations(3 * (rows * rows * columns) as u64);
    Case::new("distance/chebyshev", format!("{rows}x{rows}x{columns}"), work, move |device| {
        let x = uniform(rows, columns)?.to(device)?;
        let mut stream = device.stream();
        let job: Job = Box::new(move || {
            ops::chebyshev(&mut stream, &x, &x)?;
            stream.finish()
        });
        Ok(job)
    })
}
