//! The values of a dense layer.

use gristmill::DeviceVec;
use gristmill::ops::neural::{Activation, DenseShape, Tail, dense_forward, zeros};

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    [[256, 784, 256], [256, 256, 10], [1024, 1024, 1024]].map(case).to_vec()
}

fn case([rows, inputs, outputs]: [usize; 3]) -> Case {
    let work = Work::Operations(2 * (rows * inputs * outputs) as u64);
    Case::new("neural/dense", format!("{rows}x{inputs}x{outputs}"), work, move |device| {
        let shape = DenseShape { first: 0, inputs, outputs };
        let x = DeviceVec::from_slice(uniform(rows, shape.input_stride())?.as_slice(), device)?;
        let parameters = DeviceVec::from_slice(uniform(1, shape.parameters())?.as_slice(), device)?;
        let mut stream = device.stream();
        let mut out = zeros(&mut stream, rows * shape.output_stride())?;
        let tail = Tail { activation: Activation::Relu, dropout: None };
        let job: Job = Box::new(move || {
            dense_forward(&mut stream, &x, (&parameters, shape), rows, &mut out, tail)?;
            stream.finish()
        });
        Ok(job)
    })
}
