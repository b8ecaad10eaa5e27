//! Timing a job: warm first, then repeats, then the minimum and the median, because times here come in two modes.

use std::time::{Duration, Instant};

use gristmill::prelude::*;

use crate::suite::case::{Case, Job, Work};

/// Seconds of one case on one device.
#[derive(Debug, Clone, Copy)]
pub struct Timing {
    pub median: f64,
    pub minimum: f64,
}

/// How long each case is repeated, and the minimum number of runs.
#[derive(Debug, Clone, Copy)]
pub struct BenchConfig {
    pub time: Duration,
    pub min_runs: usize,
}

/// Prepares the case on every device, runs each once to warm it, then takes turns, so that a slow moment of the
/// machine meets all of them.
pub fn measure(case: &Case, devices: &[Device], config: BenchConfig) -> Result<Vec<Timing>> {
    let mut jobs: Vec<Job> = devices.iter().map(|device| case.prepare(device)).collect::<Result<_>>()?;
    let mut seconds = vec![vec![]; jobs.len()];
    for job in &mut jobs {
        job()?;
        job()?;
    }
    let start = Instant::now();
    while seconds[0].len() < config.min_runs || start.elapsed() < config.time {
        for (job, seconds) in jobs.iter_mut().zip(&mut seconds) {
            let begin = Instant::now();
            job()?;
            seconds.push(begin.elapsed().as_secs_f64());
        }
    }
    Ok(seconds.into_iter().map(summary).collect())
}

fn summary(mut seconds: Vec<f64>) -> Timing {
    seconds.sort_by(f64::total_cmp);
    Timing { median: seconds[seconds.len() / 2], minimum: seconds[0] }
}

/// Speed by the minimum, in 10⁹ operations or bytes a second, with its unit.
pub fn speed(work: Work, timing: Timing) -> (f64, &'static str) {
    match work {
        Work::Operations(count) => (count as f64 / timing.minimum / 1e9, "GFLOP/s"),
        Work::Bytes(count) => (count as f64 / timing.minimum / 1e9, "GB/s"),
    }
}
