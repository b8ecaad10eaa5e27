//! All pairs of a matrix with itself.

use gristmill::ops;

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    [[1024, 64], [4096, 64], [8192, 64], [2048, 784]].map(case).to_vec()
}

fn case([rows, columns]: [usize; 2]) -> Case {
    let work = Work::Operations(3 * (rows * rows * columns) as u64);
    Case::new("distance/sq_euclidean", format!("{rows}x{rows}x{columns}"), work, move |device| {
        let x = uniform(rows, columns)?.to(device)?;
        let mut stream = device.stream();
        let job: Job = Box::new(move || {
            ops::sq_euclidean(&mut stream, &x, &x)?;
            stream.finish()
        });
        Ok(job)
    })
}
