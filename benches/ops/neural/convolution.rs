//! The values of a convolution.

use gristmill::DeviceVec;
use gristmill::ops::neural::{Activation, ConvolutionShape, Tail, Windows, convolution_forward, zeros};

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    [[28, 1, 32], [14, 32, 64]].map(case).to_vec()
}

fn case([side, channels, filters]: [usize; 3]) -> Case {
    let images = 128;
    let windows = Windows { height: side, width: side, channels, size: [3, 3], step: 1, padding: 1 };
    let shape = ConvolutionShape { first: 0, windows, filters };
    let work = Work::Operations(2 * (images * shape.output_stride() * windows.depth()) as u64);
    Case::new("neural/convolution", format!("{side}x{side}x{channels}x{filters}"), work, move |device| {
        let x = DeviceVec::from_slice(uniform(images, windows.image_stride())?.as_slice(), device)?;
        let parameters = DeviceVec::from_slice(uniform(1, shape.parameters())?.as_slice(), device)?;
        let mut stream = device.stream();
        let mut out = zeros(&mut stream, images * shape.output_stride())?;
        let tail = Tail { activation: Activation::Relu, dropout: None };
        let job: Job = Box::new(move || {
            convolution_forward(&mut stream, &x, (&parameters, shape), images, &mut out, tail)?;
            stream.finish()
        });
        Ok(job)
    })
}
