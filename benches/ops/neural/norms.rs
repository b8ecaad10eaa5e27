//! Sizes of a gradient.

use gristmill::DeviceVec;
use gristmill::ops::neural::{PIECE, gradient_norms, zeros};

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    [1 << 18, 1 << 24].map(case).to_vec()
}

fn case(count: usize) -> Case {
    Case::new("neural/norms", count.to_string(), Work::Bytes(8 * count as u64), move |device| {
        let parameters = DeviceVec::from_slice(uniform(1, count)?.as_slice(), device)?;
        let gradient = DeviceVec::from_slice(uniform(1, count)?.as_slice(), device)?;
        let pieces: Vec<u32> = (0..count).step_by(PIECE).flat_map(|at| [at as u32, (at + PIECE) as u32]).collect();
        let mut stream = device.stream();
        let mut out = zeros(&mut stream, 2 * pieces.len())?;
        let pieces = DeviceVec::from_slice(&pieces, device)?;
        let job: Job = Box::new(move || {
            gradient_norms(&mut stream, (&parameters, &gradient), &pieces, &mut out)?;
            stream.finish()
        });
        Ok(job)
    })
}
