//! One node of all rows, 256 codes a column.

use gristmill::ops::tree::HistogramFill;
use gristmill::ops::tree::histogram::histogram;

use super::super::case::{Case, Job, Work};
use super::{binned, state};

pub fn cases() -> Vec<Case> {
    [[20_000, 28], [100_000, 28], [500_000, 28]].map(case).to_vec()
}

fn case([rows, columns]: [usize; 2]) -> Case {
    let work = Work::Operations(3 * (rows * columns) as u64);
    Case::new("tree/histogram", format!("{rows}x{columns}"), work, move |device| {
        let mut stream = device.stream();
        let (binned, mut state) = (binned(&mut stream, rows, columns)?, state(&mut stream, rows)?);
        let job: Job = Box::new(move || {
            histogram(
                &mut stream,
                &binned,
                &mut state,
                &[HistogramFill { tree: 0, rows: 0..rows, slot: 0, parent: None }],
            )?;
            stream.finish()
        });
        Ok(job)
    })
}
