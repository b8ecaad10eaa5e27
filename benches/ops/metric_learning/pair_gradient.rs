//! Triplets of each row with three targets and some impostors.

use gristmill::ops::metric_learning::pair_gradient::{PairLoss, Pairs, pair_gradient};

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    [[1000, 16, 8], [7000, 256, 20]].map(case).to_vec()
}

fn case([rows, columns, width]: [usize; 3]) -> Case {
    let work = Work::Bytes(12 * (rows * columns * width) as u64);
    Case::new("metric_learning/pair_gradient", format!("{rows}x{columns}x{width}"), work, move |device| {
        let z = uniform(rows, columns)?.to(device)?;
        let others = (0..rows * width).map(|at| (at * 7919 % rows) as u32).collect();
        let pairs = Pairs::new(device, rows, (3, width), others)?;
        let loss = PairLoss::Triplets { pull: 0.5, push: 0.5, margin: 1.0 };
        let mut stream = device.stream();
        let job: Job = Box::new(move || {
            pair_gradient(&mut stream, &z, &pairs, loss)?;
            stream.finish()
        });
        Ok(job)
    })
}
