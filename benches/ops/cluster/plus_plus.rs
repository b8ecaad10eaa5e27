//! Starting centres of k-means.

use gristmill::ops;

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    [[50_000, 32, 16]].map(case).to_vec()
}

fn case([rows, columns, clusters]: [usize; 3]) -> Case {
    let trials = 2 + (clusters as f64).ln() as usize;
    let work = Work::Operations(3 * (rows * columns * clusters * trials) as u64);
    Case::new("cluster/plus_plus", format!("{rows}x{columns}, {clusters} centres"), work, move |device| {
        let x = uniform(rows, columns)?.to(device)?;
        let mut stream = device.stream();
        let job: Job = Box::new(move || ops::plus_plus(&mut stream, &x, None, clusters, (1, 0)).map(|_| ()));
        Ok(job)
    })
}
