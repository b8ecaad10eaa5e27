//! One step of expectation and maximisation: densities of rows under full Gaussians, and the sums of the next ones.

use gristmill::ops::mixture::expectation::{Gaussians, MixtureRows, Shape, moments};

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    [[10_000, 4, 3], [100_000, 16, 16], [20_000, 64, 16]].map(case).to_vec()
}

fn case([rows, columns, components]: [usize; 3]) -> Case {
    let work = Work::Operations(4 * (rows * columns * columns * components) as u64);
    Case::new("mixture/expectation", format!("{rows}x{columns}x{components}"), work, move |device| {
        let x = uniform(rows, columns)?.to(device)?;
        let means = uniform(components, columns)?;
        let identity = |at: usize| if at / columns % columns == at % columns { 1.0 } else { 0.0 };
        let gaussians = Gaussians {
            shape: Shape::Full,
            columns,
            center: vec![0.0; columns],
            factors: (0..components * columns * columns).map(identity).collect(),
            offsets: means.as_slice().to_vec(),
            means: means.as_slice().to_vec(),
            heights: vec![0.0; components],
        };
        let mut stream = device.stream();
        let job: Job = Box::new(move || {
            let rows = MixtureRows::new(&mut stream, &x, &gaussians.center, None)?;
            moments(&mut stream, &rows, &gaussians)?;
            stream.finish()
        });
        Ok(job)
    })
}
