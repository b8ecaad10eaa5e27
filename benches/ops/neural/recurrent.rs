//! All steps of long short-term memory, both ways.

use gristmill::DeviceVec;
use gristmill::ops::neural::{Cell, RecurrentShape, Tail, recurrent_backward, recurrent_forward, zeros};

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    [(48, 128, 64), (256, 256, 32)].map(|(rows, units, steps)| case(rows, units, steps)).to_vec()
}

fn case(rows: usize, units: usize, steps: usize) -> Case {
    let shape = RecurrentShape { first: 0, inputs: units, units, steps, cell: Cell::Lstm };
    let work = Work::Operations(4 * (rows * steps * units * shape.sums()) as u64);
    Case::new("neural/recurrent", format!("{rows}×{units}×{steps}"), work, move |device| {
        let parameters = DeviceVec::from_slice(uniform(1, shape.parameters())?.as_slice(), device)?;
        let slope = DeviceVec::from_slice(uniform(rows, steps * units)?.as_slice(), device)?;
        let mut stream = device.stream();
        let lengths = shape.kept().into_iter();
        let mut kept = lengths.map(|length| zeros(&mut stream, rows * length)).collect::<Result<Vec<_>, _>>()?;
        let mut out = zeros(&mut stream, rows * steps * units)?;
        let job: Job = Box::new(move || {
            let layer = (&parameters, shape);
            recurrent_forward(&mut stream, layer, rows, &mut kept, &mut out, (Tail::default(), false))?;
            recurrent_backward(&mut stream, layer, rows, &slope, &mut kept)?;
            stream.finish()
        });
        Ok(job)
    })
}
