//! The rows of a matrix within a radius of each of its rows, about one in a hundred.

use gristmill::{Metric, ops};

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    [([2000, 16], 1.75), ([10_000, 16], 1.75), ([4000, 64], 5.3)].map(case).to_vec()
}

fn case(([rows, columns], radius): ([usize; 2], f32)) -> Case {
    let work = Work::Operations(3 * (rows * rows * columns) as u64);
    Case::new("neighbors/radius_neighbors", format!("{rows}x{rows}x{columns}, {radius}"), work, move |device| {
        let x = uniform(rows, columns)?.to(device)?;
        let mut stream = device.stream();
        let job: Job =
            Box::new(move || ops::radius_neighbors(&mut stream, &x, &x, radius, Metric::Euclidean).map(|_| ()));
        Ok(job)
    })
}
