//! An activation by itself.

use gristmill::DeviceVec;
use gristmill::ops::neural::{Activation, Tail, activate_forward, zeros};

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    vec![case(256, 25_088)]
}

fn case(rows: usize, columns: usize) -> Case {
    let work = Work::Bytes(8 * (rows * columns) as u64);
    Case::new("neural/activate", format!("{rows}x{columns}"), work, move |device| {
        let x = DeviceVec::from_slice(uniform(rows, columns)?.as_slice(), device)?;
        let mut stream = device.stream();
        let mut out = zeros(&mut stream, rows * columns)?;
        let tail = Tail { activation: Activation::Relu, dropout: None };
        let job: Job = Box::new(move || {
            activate_forward(&mut stream, &x, (rows, columns), &mut out, tail)?;
            stream.finish()
        });
        Ok(job)
    })
}
