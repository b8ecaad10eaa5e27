//! A round of a machine on two classes: a working set is chosen, solved on its kernel matrix, and all slopes follow.

use gristmill::ops::svm::working_set::{SET, WorkingSets};

use super::super::case::{Case, Job, Work, uniform};

pub fn cases() -> Vec<Case> {
    [10_000, 1_000_000].map(case).to_vec()
}

fn case(count: usize) -> Case {
    Case::new("svm/working_set", format!("{count}"), Work::Bytes(160 * count as u64), move |device| {
        let sign = |at: usize| if at.is_multiple_of(2) { 1.0_f32 } else { -1.0 };
        let limits: Vec<[f32; 4]> =
            (0..count).map(|at| [sign(at).min(0.0), sign(at).max(0.0), 0.0, -sign(at)]).collect();
        let mut sets = WorkingSets::new(device, (count, count), &limits, &vec![0.0; count])?;
        let square = uniform(SET, SET)?;
        let near = |at: usize| if at / SET == at % SET { 2.0 } else { 0.001 * square.as_slice()[at] };
        let square = gristmill::Matrix::from_vec(SET, SET, (0..SET * SET).map(near).collect())?.to(device)?;
        let sums = uniform(count, 1)?.to(device)?;
        let mut stream = device.stream();
        let job: Job = Box::new(move || {
            sets.choose(&mut stream, [Some(0.0), None])?;
            sets.solve(&mut stream, &square, 1e-3, 256)?;
            sets.follow(&mut stream, Some(&sums), [0.0; 2])?;
            Ok(())
        });
        Ok(job)
    })
}
