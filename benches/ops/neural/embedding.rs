//! The slopes by a table of tokens.

use gristmill::DeviceVec;
use gristmill::ops::neural::{EmbeddingShape, embedding_weight_slope, zeros};

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    vec![case(64, 64)]
}

fn case(rows: usize, steps: usize) -> Case {
    let shape = EmbeddingShape { first: 0, tokens: 96, width: 64, steps };
    let work = Work::Bytes(4 * (rows * shape.outputs()) as u64);
    Case::new("neural/embedding", format!("{rows}x{steps}x64"), work, move |device| {
        let tokens: Vec<f32> = (0..rows * steps).map(|at| (at * 31 % 96) as f32).collect();
        let x = DeviceVec::from_slice(&tokens, device)?;
        let slopes = DeviceVec::from_slice(uniform(rows, shape.outputs())?.as_slice(), device)?;
        let mut stream = device.stream();
        let mut gradient = zeros(&mut stream, shape.tokens * shape.width)?;
        let job: Job = Box::new(move || {
            embedding_weight_slope(&mut stream, (&x, &slopes), shape, rows, &mut gradient)?;
            stream.finish()
        });
        Ok(job)
    })
}
