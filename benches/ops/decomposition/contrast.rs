//! A step of independent components.

use gristmill::ops::decomposition::contrast::{Contrast, contrast};

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    [(20, 100_000), (100, 20_000)].map(case).to_vec()
}

fn case((k, n): (usize, usize)) -> Case {
    let work = Work::Operations(4 * (n * k * k) as u64);
    Case::new("decomposition/contrast", format!("{k}×{n}"), work, move |device| {
        let (z, w) = (uniform(k, n)?.to(device)?, uniform(k, k)?.to(device)?);
        let mut stream = device.stream();
        let job: Job = Box::new(move || contrast(&mut stream, Contrast::Logcosh(1.0), &z, &w).map(drop));
        Ok(job)
    })
}
