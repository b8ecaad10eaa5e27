//! The latent layer of a variational autoencoder, both ways.

use gristmill::DeviceVec;
use gristmill::ops::neural::{LatentShape, latent_backward, latent_forward, zeros};

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    [(256, 20), (4096, 64)].map(|(rows, columns)| case(LatentShape { rows, columns })).to_vec()
}

fn case(shape: LatentShape) -> Case {
    let (wide, narrow) = (shape.rows * shape.input_stride(), shape.rows * shape.stride());
    let bytes = Work::Bytes(4 * (3 * wide + 2 * narrow) as u64);
    Case::new("neural/latent", format!("{}×{}", shape.rows, shape.columns), bytes, move |device| {
        let inputs = DeviceVec::from_slice(uniform(1, wide)?.as_slice(), device)?;
        let slopes = DeviceVec::from_slice(uniform(1, narrow)?.as_slice(), device)?;
        let mut stream = device.stream();
        let (mut values, mut back) = (zeros(&mut stream, narrow)?, zeros(&mut stream, wide)?);
        let job: Job = Box::new(move || {
            latent_forward(&mut stream, &inputs, shape, Some((1, 0)), &mut values)?;
            latent_backward(&mut stream, (&inputs, &slopes), shape, (0.1, (1, 0)), &mut back)?;
            stream.finish()
        });
        Ok(job)
    })
}
