//! Images flipped and shifted.

use gristmill::DeviceVec;
use gristmill::ops::neural::{Augmentation, augment, zeros};

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    vec![case(256)]
}

fn case(images: usize) -> Case {
    let work = Work::Bytes(8 * (images * 784) as u64);
    Case::new("neural/augment", format!("{images}x28x28"), work, move |device| {
        let x = DeviceVec::from_slice(uniform(images, 784)?.as_slice(), device)?;
        let mut stream = device.stream();
        let mut out = zeros(&mut stream, images * 784)?;
        let how = Augmentation { height: 28, width: 28, channels: 1, flip: true, shift: 2, key: 1, step: 1 };
        let job: Job = Box::new(move || {
            augment(&mut stream, &x, images, how, &mut out)?;
            stream.finish()
        });
        Ok(job)
    })
}
