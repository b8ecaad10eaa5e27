//! Slopes of tied weights.

use gristmill::DeviceVec;
use gristmill::ops::neural::{TiedBlocks, tie_slopes};

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    [(784, 256), (2048, 2048)].map(|(rows, columns)| case(rows, columns)).to_vec()
}

fn case(rows: usize, columns: usize) -> Case {
    let count = rows * columns;
    Case::new("neural/tie", format!("{rows}×{columns}"), Work::Bytes(16 * count as u64), move |device| {
        let mut gradient = DeviceVec::from_slice(uniform(1, 2 * count)?.as_slice(), device)?;
        let blocks = TiedBlocks { rows, columns, firsts: [0, count] };
        let mut stream = device.stream();
        let job: Job = Box::new(move || {
            tie_slopes(&mut stream, &mut gradient, blocks)?;
            stream.finish()
        });
        Ok(job)
    })
}
