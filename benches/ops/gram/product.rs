//! A Gaussian Gram matrix times one vector, without storing it.

use gristmill::kernel_methods::Kernel;

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    let case = |[rows, columns]: [usize; 2]| {
        let work = Work::Operations((2 * rows * rows * (columns + 1)) as u64);
        Case::new("gram/product", format!("{rows}x{rows}x{columns}"), work, move |device| {
            let (x, v) = (uniform(rows, columns)?.to(device)?, uniform(rows, 1)?.to(device)?);
            let mut stream = device.stream();
            let job: Job = Box::new(move || {
                Kernel::rbf(0.1).product(&mut stream, &x, &x, &v)?;
                stream.finish()
            });
            Ok(job)
        })
    };
    [[512, 8], [4096, 8], [8192, 64]].map(case).to_vec()
}
