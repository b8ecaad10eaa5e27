//! A·Bᵀ of squares, and of a tall matrix with a few rows.

use gristmill::ops::{self, Layout};
use gristmill::prelude::*;

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    [[512; 3], [1024; 3], [2048; 3], [100_000, 32, 64]].map(case).to_vec()
}

fn case([m, n, k]: [usize; 3]) -> Case {
    let work = Work::Operations(2 * (m * n * k) as u64);
    Case::new("linalg/gemm", format!("{m}x{n}x{k}"), work, move |device| {
        let (a, b) = (uniform(m, k)?.to(device)?, uniform(n, k)?.to(device)?);
        let mut c = Matrix::zeros(m, n)?.to(device)?;
        let mut stream = device.stream();
        let job: Job = Box::new(move || {
            ops::gemm_into(&mut stream, Layout::NT, (1.0, &a), &b, (0.0, &mut c))?;
            stream.finish()
        });
        Ok(job)
    })
}
