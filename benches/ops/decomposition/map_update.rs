//! Units of a map at their means.

use gristmill::DeviceVec;
use gristmill::ops::decomposition::map_update::map_update;

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    [(400, 64), (4096, 784)].map(case).to_vec()
}

fn case((k, d): (usize, usize)) -> Case {
    let work = Work::Bytes(12 * (k * d) as u64);
    Case::new("decomposition/map_update", format!("{k}×{d}"), work, move |device| {
        let (mut units, sums) = (uniform(k, d)?.to(device)?, uniform(k, d)?.to(device)?);
        let counts = DeviceVec::from_slice(&vec![2.0_f32; k], device)?;
        let mut stream = device.stream();
        let job: Job = Box::new(move || {
            map_update(&mut stream, &mut units, &sums, &counts)?;
            stream.finish()
        });
        Ok(job)
    })
}
