//! All rows of one node, half of them to the left.

use gristmill::cpu::tree::Route;
use gristmill::ops::tree::NodePartition;
use gristmill::ops::tree::partition::partition;

use super::super::case::{Case, Job, Work};
use super::{binned, state};

pub fn cases() -> Vec<Case> {
    [20_000, 100_000, 500_000].map(case).to_vec()
}

fn case(rows: usize) -> Case {
    Case::new("tree/partition", rows.to_string(), Work::Bytes(9 * rows as u64), move |device| {
        let mut stream = device.stream();
        let (binned, mut state) = (binned(&mut stream, rows, 8)?, state(&mut stream, rows)?);
        let route = Route { column: 5, left: [0x5555_5555; 8] };
        let job: Job = Box::new(move || {
            partition(&mut stream, &binned, &mut state, &[NodePartition { rows: 0..rows, route, left: None }])
                .map(|_| ())
        });
        Ok(job)
    })
}
