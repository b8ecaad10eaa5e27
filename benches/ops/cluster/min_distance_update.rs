//! As many candidates as k-means++ tries for 64 clusters.

use gristmill::ops;

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    [[50_000, 128, 6], [500_000, 32, 6]].map(case).to_vec()
}

fn case([rows, columns, candidates]: [usize; 3]) -> Case {
    let work = Work::Operations(3 * (rows * columns * candidates) as u64);
    Case::new(
        "cluster/min_distance_update",
        format!("{rows}x{columns}, {candidates} candidates"),
        work,
        move |device| {
            let (x, candidates) = (uniform(rows, columns)?.to(device)?, uniform(candidates, columns)?.to(device)?);
            let mut stream = device.stream();
            let first = ops::min_distance_update(&mut stream, &x, &candidates, None, None)?;
            let job: Job = Box::new(move || {
                ops::min_distance_update(&mut stream, &x, &candidates, Some((&first, 0)), None)?;
                stream.finish()
            });
            Ok(job)
        },
    )
}
