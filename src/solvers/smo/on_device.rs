//! SMO where the rows live: working sets are chosen, solved and followed on the device, and the host waits once a round for a
//! few sums. The kernel matrix is not stored.

use super::measure::{Measured, measure};
use super::{Ending, Problem, Solution};
use crate::array::{DeviceMatrix, DeviceVec};
use crate::device::{Device, Stream};
use crate::error::Result;
use crate::ops::svm::working_set::{Limits, Standing, WorkingSets};

/// By how much a working set is brought closer to its solution than all variables are to theirs.
const CLOSER: f64 = 0.03;
/// Steps of a round at most.
const STEPS: usize = 1024;
/// Rounds without any progress after which rounding is taken to leave no more.
const IDLE: usize = 64;

/// A kernel matrix whose parts a device computes.
pub(crate) trait DeviceKernel {
    /// Where the rows are.
    fn device(&self) -> &Device;

    /// Rows of the matrix.
    fn count(&self) -> usize;

    /// Some of the rows, by numbers on the device.
    fn chosen(&self, stream: &mut Stream, index: &DeviceVec<u32>) -> Result<Box<dyn DeviceRows + '_>>;
}

/// Rows of a kernel matrix on a device.
pub(crate) trait DeviceRows {
    /// The matrix of these rows with one another.
    fn square(&self, stream: &mut Stream) -> Result<DeviceMatrix>;

    /// The sum of these rows, each so many times (m×1), as a column: n×1.
    fn times(&self, stream: &mut Stream, factors: &DeviceMatrix) -> Result<DeviceMatrix>;
}

/// Solves a problem whose variable i belongs to row i mod n, those of the first group first.
pub(crate) fn solve_on_device(
    problem: Problem,
    kernel: &dyn DeviceKernel,
    ending: &mut Ending<'_>,
) -> Result<Solution> {
    let Problem { pieces, linear, mut variables } = problem;
    let device = kernel.device();
    let mut stream = device.stream();
    let limits = |at: usize| -> Limits {
        [variables.low[at], variables.high[at], variables.ridge_of(at), linear[at]].map(|value| value as f32)
    };
    let limits: Vec<Limits> = (0..linear.len()).map(limits).collect();
    let beta: Vec<f32> = variables.beta.iter().map(|beta| *beta as f32).collect();
    let second = pieces.iter().filter(|piece| piece.group == 1).map(|piece| piece.first).min();
    let groups = if second.is_some() { 2 } else { 1 };
    let place = (kernel.count(), second.unwrap_or(linear.len()));
    let mut sets = WorkingSets::new(device, place, &limits, &beta)?;
    let begun = at_the_start(&mut stream, kernel, &beta)?;
    let mut standing = sets.follow(&mut stream, begun.as_ref(), [0.0; 2])?;
    let (mut objectives, mut rounds, mut idle) = (vec![], 0, 0);
    let (mut tol, mut best) = (ending.tol, f64::INFINITY);
    let converged = loop {
        let violation = violation_of(&standing);
        let offsets = offsets_of(&standing);
        if violation <= tol {
            // The gap was that of the offsets of the round before.
            standing = sets.follow(&mut stream, None, offsets)?;
            let small = ending.tol * standing.objective.abs().max(1.0);
            if standing.gap <= small && standing.shortfall <= ending.tol {
                break true;
            }
            tol *= 0.25;
            if tol < ending.tol * 1e-3 {
                break false;
            }
            continue;
        }
        let steps = standing.steps as usize;
        if steps >= ending.max_steps || idle >= IDLE {
            break false;
        }
        let middle = |(least, most): (f64, f64)| (least < most).then_some((0.5 * (least + most)) as f32);
        let mut middles = standing.extremes.map(middle);
        middles.iter_mut().skip(groups).for_each(|middle| *middle = None);
        let index = sets.choose(&mut stream, middles)?;
        let chosen = kernel.chosen(&mut stream, index)?;
        let near = (CLOSER * violation).max(0.5 * tol) as f32;
        let square = chosen.square(&mut stream)?;
        let change = sets.solve(&mut stream, &square, near, STEPS.min(ending.max_steps - steps))?;
        let sums = chosen.times(&mut stream, &change)?;
        standing = sets.follow(&mut stream, Some(&sums), offsets)?;
        rounds += 1;
        let now = violation_of(&standing);
        let progress = now < best || objectives.last().is_none_or(|last| standing.objective < *last);
        idle = if progress { 0 } else { idle + 1 };
        best = best.min(now);
        objectives.push(standing.objective);
        if (ending.report)(standing.steps as usize, violation)? {
            break false;
        }
    };
    // The result: coefficients, and the slopes that say on which side of the margin each row is.
    variables.beta = sets.beta().to_vec(&mut stream)?.into_iter().map(f64::from).collect();
    variables.slope = sets.slope().to_vec(&mut stream)?.into_iter().take(linear.len()).map(f64::from).collect();
    for (at, beta) in variables.beta.iter_mut().enumerate() {
        // Bounds were rounded to f32.
        let [low, high, ..] = limits[at];
        *beta = match *beta as f32 {
            value if value <= low => variables.low[at],
            value if value >= high => variables.high[at],
            _ => beta.clamp(variables.low[at], variables.high[at]),
        };
    }
    let measured: Measured = measure(&variables, &linear, &pieces);
    let steps = standing.steps as usize;
    Ok(Solution { variables, measured, steps, rounds, converged, objectives })
}

/// K·β where the variables do not begin at 0.
fn at_the_start(stream: &mut Stream, kernel: &dyn DeviceKernel, beta: &[f32]) -> Result<Option<DeviceMatrix>> {
    let n = kernel.count();
    let mut sums = vec![0.0_f32; n];
    beta.iter().enumerate().for_each(|(at, beta)| sums[at % n] += beta);
    let used: Vec<u32> = (0..n as u32).filter(|row| sums[*row as usize] != 0.0).collect();
    if used.is_empty() {
        return Ok(None);
    }
    let factors: Vec<f32> = used.iter().map(|row| sums[*row as usize]).collect();
    let factors = crate::array::Matrix::from_vec(used.len(), 1, factors)?.to(kernel.device())?;
    let index = DeviceVec::from_slice(&used, kernel.device())?;
    let chosen = kernel.chosen(stream, &index)?;
    chosen.times(stream, &factors).map(Some)
}

fn violation_of(standing: &Standing) -> f64 {
    standing.extremes.iter().map(|(least, most)| most - least).fold(0.0, f64::max)
}

/// The mean slope of free variables; without any, the middle of what the others allow.
fn offsets_of(standing: &Standing) -> [f64; 2] {
    let of = |group: usize| {
        let ((sum, count), (least, most)) = (standing.free[group], standing.extremes[group]);
        match (least.is_finite(), most.is_finite()) {
            _ if count > 0.0 => sum / count,
            (true, true) => 0.5 * (least + most),
            (true, false) => least,
            (false, true) => most,
            _ => 0.0,
        }
    };
    [of(0), of(1)]
}
