//! The diagonal of a polynomial Gram matrix.

use gristmill::kernel_methods::Kernel;

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    let case = |[rows, columns]: [usize; 2]| {
        let work = Work::Bytes((4 * rows * columns) as u64);
        Case::new("gram/diagonal", format!("{rows}x{columns}"), work, move |device| {
            let x = uniform(rows, columns)?.to(device)?;
            let mut stream = device.stream();
            let job: Job = Box::new(move || Kernel::polynomial(2).diagonal(&mut stream, &x).map(drop));
            Ok(job)
        })
    };
    [[1024, 64], [65_536, 64]].map(case).to_vec()
}
