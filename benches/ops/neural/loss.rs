//! Softmax, its loss and slopes.

use gristmill::DeviceVec;
use gristmill::ops::neural::loss::sums_of;
use gristmill::ops::neural::{Activation, LossShape, OutputLoss, TargetLayout, output_loss, zeros};

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    [[256, 10], [1024, 784]].map(case).to_vec()
}

fn case([rows, outputs]: [usize; 2]) -> Case {
    let work = Work::Bytes(12 * (rows * outputs) as u64);
    Case::new("neural/loss", format!("{rows}x{outputs}"), work, move |device| {
        let stride = outputs.next_multiple_of(4);
        let start = uniform(rows, stride)?;
        let mut values = DeviceVec::from_slice(start.as_slice(), device)?;
        let targets = DeviceVec::from_slice(&vec![1.0; 4 * rows], device)?;
        let mut stream = device.stream();
        let (mut slopes, mut sums) =
            (zeros(&mut stream, rows * stride)?, zeros(&mut stream, 2 * sums_of(rows, outputs))?);
        let layout = TargetLayout { classes: true, weight: None, columns: 1 };
        let (activation, loss) = (Activation::Softmax, OutputLoss::CategoricalCrossEntropy);
        let shape = LossShape { rows, outputs, activation, loss, targets: layout, scale: 1.0 };
        let job: Job = Box::new(move || {
            output_loss(&mut stream, &mut values, &targets, shape, &mut slopes, (&mut sums, 0))?;
            stream.finish()
        });
        Ok(job)
    })
}
