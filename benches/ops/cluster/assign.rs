//! Few and many centres.

use gristmill::ops;

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    [[50_000, 128, 16], [200_000, 8, 256], [200_000, 32, 64]].map(case).to_vec()
}

fn case([rows, columns, centers]: [usize; 3]) -> Case {
    let work = Work::Operations(3 * (rows * columns * centers) as u64);
    Case::new("cluster/assign", format!("{rows}x{columns}, k={centers}"), work, move |device| {
        let (x, centers) = (uniform(rows, columns)?.to(device)?, uniform(centers, columns)?.to(device)?);
        let mut stream = device.stream();
        let job: Job = Box::new(move || {
            ops::assign(&mut stream, &x, &centers)?;
            stream.finish()
        });
        Ok(job)
    })
}
