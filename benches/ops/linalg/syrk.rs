//! Tall matrices, weighted by nothing, centred.

use gristmill::ops;

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    [[10_000, 32], [100_000, 128], [500_000, 128]].map(case).to_vec()
}

fn case([rows, columns]: [usize; 2]) -> Case {
    let work = Work::Operations(2 * (rows * columns * columns) as u64);
    Case::new("linalg/syrk", format!("{rows}x{columns}"), work, move |device| {
        let x = uniform(rows, columns)?.to(device)?;
        let center = vec![0.1; columns];
        let mut stream = device.stream();
        let job: Job = Box::new(move || {
            ops::syrk(&mut stream, &x, None, Some(&center))?;
            stream.finish()
        });
        Ok(job)
    })
}
