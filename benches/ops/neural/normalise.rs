//! A batch normalisation of images.

use gristmill::DeviceVec;
use gristmill::ops::neural::{NormaliseShape, Tail, Together, normalise_forward, normalise_statistics, zeros};

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    [Together::Channels, Together::Rows].map(case).to_vec()
}

fn case(together: Together) -> Case {
    let (rows, places, channels) = (128, 196, 64);
    let shape = NormaliseShape { together, first: 0, places, channels, epsilon: 1e-5 };
    let work = Work::Bytes(16 * (rows * shape.stride()) as u64);
    Case::new("neural/normalise", format!("{together:?} {rows}x{places}x{channels}"), work, move |device| {
        let x = DeviceVec::from_slice(uniform(rows, shape.stride())?.as_slice(), device)?;
        let parameters = DeviceVec::from_slice(uniform(1, shape.parameters())?.as_slice(), device)?;
        let mut stream = device.stream();
        let mut known = zeros(&mut stream, 2 * shape.sets(rows))?;
        let mut out = zeros(&mut stream, rows * shape.stride())?;
        let job: Job = Box::new(move || {
            normalise_statistics(&mut stream, &x, &parameters, rows, shape, &mut known)?;
            let made = (&mut out, Tail::default());
            normalise_forward(&mut stream, &x, (&parameters, Some(&known)), rows, shape, made)?;
            stream.finish()
        });
        Ok(job)
    })
}
