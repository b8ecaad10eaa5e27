//! Coordinate descent for many rows at once.

use gristmill::ops::decomposition::row_descent::{StepPenalty, row_descent};

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    [(10_000, 16), (2_000, 128)].map(case).to_vec()
}

fn case((n, k): (usize, usize)) -> Case {
    let work = Work::Operations(10 * (n * k * k) as u64);
    Case::new("decomposition/row_descent", format!("{n}×{k}, 5 passes"), work, move |device| {
        let noise = uniform(k, k)?;
        let product = |row: usize, column: usize| {
            if row == column { k as f32 } else { noise.get(row.min(column), row.max(column)) }
        };
        let values = (0..k * k).map(|at| product(at / k, at % k)).collect();
        let gram = gristmill::Matrix::from_vec(k, k, values)?.to(device)?;
        let (products, mut coef) = (uniform(n, k)?.to(device)?, uniform(n, k)?.to(device)?);
        let mut stream = device.stream();
        let job: Job = Box::new(move || {
            let penalty = StepPenalty { l1: 0.1, l2: 0.0, positive: false };
            row_descent(&mut stream, &gram, &products, &mut coef, penalty, (5, 0.0))?;
            stream.finish()
        });
        Ok(job)
    })
}
