//! Orthogonal matching pursuit of many rows.

use gristmill::ops::decomposition::sparse_code::{Pursuit, sparse_code};
use gristmill::ops::{self, Layout};

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    [(10_000, 256, 8), (1_000, 1_000, 16)].map(case).to_vec()
}

fn case((n, k, nonzeros): (usize, usize, usize)) -> Case {
    let work = Work::Operations((n * k * nonzeros * nonzeros) as u64);
    Case::new("decomposition/sparse_code", format!("{n}×{k}, {nonzeros} atoms"), work, move |device| {
        let mut stream = device.stream();
        let (rows, atoms) = (uniform(n, 64)?.to(device)?, uniform(k, 64)?.to(device)?);
        let products = ops::gemm(&mut stream, Layout::NT, &rows, &atoms)?;
        let gram = ops::gemm(&mut stream, Layout::NT, &atoms, &atoms)?;
        let job: Job = Box::new(move || {
            let pursuit = Pursuit { nonzeros, tolerance: 0.0 };
            sparse_code(&mut stream, &products, &gram, None, pursuit)?;
            stream.finish()
        });
        Ok(job)
    })
}
