//! As many centres as k-means usually has, and many more.

use gristmill::ops;
use gristmill::prelude::*;

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    [[64, 32], [1000, 784]].map(case).to_vec()
}

fn case([clusters, columns]: [usize; 2]) -> Case {
    let work = Work::Bytes(12 * (clusters * columns) as u64);
    Case::new("cluster/center_shift", format!("{clusters}x{columns}"), work, move |device| {
        let (mut centers, sums) = (uniform(clusters, columns)?.to(device)?, uniform(clusters, columns)?.to(device)?);
        // Counts so large that the centres hardly move, however often it runs.
        let counts = DeviceVec::from_slice(&vec![1e9_f32; clusters], device)?;
        let mut stream = device.stream();
        let job: Job = Box::new(move || ops::center_shift(&mut stream, &mut centers, &sums, &counts).map(|_| ()));
        Ok(job)
    })
}
