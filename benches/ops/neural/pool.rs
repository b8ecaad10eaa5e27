//! The largest of windows.

use gristmill::DeviceVec;
use gristmill::ops::neural::{Pooling, Tail, Windows, pool_forward, zeros};

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    [Pooling::Max, Pooling::Mean].map(case).to_vec()
}

fn case(pooling: Pooling) -> Case {
    let images = 128;
    let windows = Windows { height: 28, width: 28, channels: 32, size: [2, 2], step: 2, padding: 0 };
    let outputs = windows.count() * windows.channels;
    let work = Work::Bytes(4 * (images * (windows.image_stride() + 2 * outputs)) as u64);
    Case::new("neural/pool", format!("{pooling:?} {images}x28x28x32"), work, move |device| {
        let x = DeviceVec::from_slice(uniform(images, windows.image_stride())?.as_slice(), device)?;
        let mut stream = device.stream();
        let mut out = zeros(&mut stream, images * outputs)?;
        let mut winners = zeros(&mut stream, images * outputs)?;
        let job: Job = Box::new(move || {
            let made = (&mut out, &mut winners);
            pool_forward(&mut stream, &x, (pooling, windows), images, made, Tail::default())?;
            stream.finish()
        });
        Ok(job)
    })
}
