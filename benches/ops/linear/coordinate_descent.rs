//! Passes of coordinate descent on the products of columns.

use gristmill::ops::linear::coordinate_descent::{StepPenalty, coordinate_descent};

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    [128, 1024, 2048].map(case).to_vec()
}

fn case(columns: usize) -> Case {
    let work = Work::Bytes(20 * (columns * columns) as u64);
    Case::new("linear/coordinate_descent", format!("{columns}, 5 passes"), work, move |device| {
        let noise = uniform(columns, columns)?;
        let product = |row: usize, column: usize| {
            if row == column { columns as f32 } else { noise.get(row.min(column), row.max(column)) }
        };
        let values = (0..columns * columns).map(|at| product(at / columns, at % columns)).collect();
        let gram = gristmill::Matrix::from_vec(columns, columns, values)?.to(device)?;
        let mut state = uniform(2, columns)?.to(device)?;
        let mut stream = device.stream();
        let job: Job = Box::new(move || {
            let penalty = StepPenalty { l1: 0.1, l2: 0.0, positive: false };
            coordinate_descent(&mut stream, &gram, &mut state, penalty, 5)?;
            stream.finish()
        });
        Ok(job)
    })
}
