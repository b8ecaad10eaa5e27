//! A Gaussian Gram matrix of rows with themselves.

use gristmill::kernel_methods::Kernel;

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    let case = |[rows, columns]: [usize; 2]| {
        let work = Work::Operations((rows * rows * columns) as u64);
        Case::new("gram/matrix", format!("{rows}x{rows}x{columns}"), work, move |device| {
            let x = uniform(rows, columns)?.to(device)?;
            let mut stream = device.stream();
            let job: Job = Box::new(move || {
                Kernel::rbf(0.1).symmetric_matrix(&mut stream, &x)?;
                stream.finish()
            });
            Ok(job)
        })
    };
    [[512, 64], [2048, 64], [8192, 64]].map(case).to_vec()
}
