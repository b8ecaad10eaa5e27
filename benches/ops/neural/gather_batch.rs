//! The rows of a batch.

use gristmill::DeviceVec;
use gristmill::ops::neural::{Batch, gather_batch, zeros};

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    vec![case([60_000, 784, 256])]
}

fn case([rows, columns, batch]: [usize; 3]) -> Case {
    let work = Work::Bytes(8 * (batch * columns) as u64);
    Case::new("neural/gather_batch", format!("{batch} of {rows}x{columns}"), work, move |device| {
        let (x, y) = (uniform(rows, columns)?.to(device)?, uniform(rows, 1)?.to(device)?);
        let order: Vec<u32> = (0..rows as u32).map(|row| row * 7919 % rows as u32).collect();
        let order = DeviceVec::from_slice(&order, device)?;
        let mut stream = device.stream();
        let (mut x_out, mut y_out) = (zeros(&mut stream, batch * columns)?, zeros(&mut stream, batch * 4)?);
        let job: Job = Box::new(move || {
            let batch = Batch { order: &order, first: 0, rows: batch, noise: None };
            gather_batch(&mut stream, (&x, &y), batch, (&mut x_out, &mut y_out))?;
            stream.finish()
        });
        Ok(job)
    })
}
