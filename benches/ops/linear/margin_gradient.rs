//! The loss and gradient of one plane on a tall matrix, and of ten planes on a wide one.

use gristmill::ops::linear::margin_gradient::{ClassPlanes, ClassRows, ClassTargets, MarginLoss, margin_gradient};

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    [[10_000, 64, 1], [500_000, 64, 1], [60_000, 784, 10]].map(case).to_vec()
}

fn case([rows, columns, planes]: [usize; 3]) -> Case {
    let work = match planes {
        1 => Work::Bytes(4 * (rows * columns) as u64),
        _ => Work::Operations(4 * (rows * columns * planes) as u64),
    };
    Case::new("linear/margin_gradient", format!("{rows}x{columns}x{planes}"), work, move |device| {
        let x = uniform(rows, columns)?.to(device)?;
        let classes: Vec<u32> = (0..rows).map(|row| (row * 7 % planes.max(2)) as u32).collect();
        let targets = ClassTargets::new(&x, ClassRows { classes: &classes, weights: None })?;
        let coef = uniform(planes, columns)?;
        let intercept = vec![0.0; planes];
        let mut stream = device.stream();
        let job: Job = Box::new(move || {
            let planes = ClassPlanes { coef: coef.as_slice(), intercept: &intercept };
            margin_gradient(&mut stream, &x, &targets, planes, MarginLoss::Softmax)?;
            stream.finish()
        });
        Ok(job)
    })
}
