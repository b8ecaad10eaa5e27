//! Few and many clusters.

use gristmill::ops;
use gristmill::prelude::*;

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    [[50_000, 128, 16], [200_000, 8, 256], [200_000, 32, 64]].map(case).to_vec()
}

fn case([rows, columns, clusters]: [usize; 3]) -> Case {
    let work = Work::Bytes(4 * (rows * (columns + 1)) as u64);
    Case::new("cluster/centroid_sum", format!("{rows}x{columns}, k={clusters}"), work, move |device| {
        let (x, centers) = (uniform(rows, columns)?.to(device)?, uniform(clusters, columns)?.to(device)?);
        let labels: Vec<u32> = (0..rows as u32).map(|row| row.wrapping_mul(2_654_435_761) % clusters as u32).collect();
        let labels = DeviceVec::from_slice(&labels, device)?;
        let mut stream = device.stream();
        let job: Job = Box::new(move || {
            ops::centroid_sum(&mut stream, &x, &labels, None, &centers)?;
            stream.finish()
        });
        Ok(job)
    })
}
