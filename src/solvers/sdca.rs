//! Stochastic dual coordinate ascent (Shalev-Shwartz and Zhang 2013): one variable at a time, without an offset, and so
//! without a sum that has to stay.
//!
//! min ½·βᵀKβ + ½·Σ ridge·β² + qᵀβ, low ≤ β ≤ high. Each step is exact: β ← clip(β − slope/curvature).

use super::smo::{Ending, KernelMatrix, Measured, Piece, Problem, Solution, Variables, add_kernel_rows, measure_at};
use crate::cpu::linalg::linear_predictor::dot;
use crate::cpu::random::permutation::permutation;
use crate::cpu::svm::block::{MOST_GROUPS, row_of};
use crate::error::Result;

/// The stream of random numbers for the order of the first epoch; each epoch has the next.
const STREAM: u32 = 0x7364_0000;
/// Variables that are visited with the kernel rows of all of them there.
const VISITED: usize = 256;

/// What slopes come from.
pub(crate) enum Space<'k, 'm> {
    /// Rows of the kernel matrix: all slopes are kept.
    Kernel(&'k mut KernelMatrix<'m>),
    /// The rows themselves (n×d), for the linear kernel: the weights Σ β·row are kept, and a step costs d.
    Linear { x: &'k [f32], columns: usize },
}

/// Epochs over all variables in a random order, until the gap is at most `tol` of the objective and no step is larger than
/// the conditions allow.
pub(crate) fn solve(
    problem: Problem,
    mut space: Space<'_, '_>,
    ending: &mut Ending<'_>,
    seed: u64,
) -> Result<Solution> {
    let Problem { pieces, linear, mut variables } = problem;
    let n = linear.len();
    variables.slope = linear.clone();
    let rows: Vec<usize> = (0..n).map(|at| row_of(&pieces, at)).collect();
    let mut weights = match &space {
        Space::Linear { columns, .. } => vec![0.0; *columns],
        Space::Kernel(_) => vec![],
    };
    let diagonal = diagonal_of(&mut space, &rows, &variables)?;
    let together = match &space {
        Space::Linear { .. } => n.max(1),
        Space::Kernel(kernel) => VISITED.min(kernel.capacity()),
    };
    let (mut steps, mut epoch, mut objectives) = (0, 0, vec![]);
    loop {
        let order = permutation(seed, STREAM.wrapping_add(epoch as u32), n as u32);
        for visited in order.chunks(together) {
            let visited: Vec<usize> = visited.iter().map(|at| *at as usize).collect();
            if let Space::Kernel(kernel) = &mut space {
                kernel.bring(&visited.iter().map(|at| rows[*at]).collect::<Vec<_>>())?;
            }
            for at in visited {
                let row = rows[at];
                if let Space::Linear { x, columns } = &space {
                    let own = dot(&x[row * columns..(row + 1) * columns], &weights);
                    variables.slope[at] = own + linear[at] + variables.ridge_of(at) * variables.beta[at];
                }
                let change = step(&variables, at, diagonal[at]);
                if change == 0.0 {
                    continue;
                }
                steps += 1;
                variables.beta[at] += change;
                match &space {
                    Space::Linear { x, columns } => {
                        let values = x[row * columns..(row + 1) * columns].iter();
                        weights.iter_mut().zip(values).for_each(|(sum, value)| *sum += change * f64::from(*value));
                    }
                    Space::Kernel(kernel) => {
                        variables.slope[at] += change * variables.ridge_of(at);
                        add_kernel_rows(&pieces, &mut variables.slope, kernel, &[(change, row)]);
                    }
                }
            }
        }
        epoch += 1;
        if let Space::Linear { x, columns } = &space {
            for (at, row) in rows.iter().enumerate() {
                let own = dot(&x[row * columns..(row + 1) * columns], &weights);
                variables.slope[at] = own + linear[at] + variables.ridge_of(at) * variables.beta[at];
            }
        }
        let measured = measure(&variables, &linear, &pieces);
        objectives.push(measured.objective);
        let small = ending.tol * measured.objective.abs().max(1.0);
        let converged = measured.violation <= ending.tol && measured.gap <= small;
        let stopped = (ending.report)(epoch, measured.violation)?;
        if converged || stopped || epoch >= ending.max_steps {
            return Ok(Solution { variables, measured, steps, rounds: epoch, converged, objectives });
        }
    }
}

/// By how much a variable changes.
fn step(variables: &Variables, at: usize, curvature: f64) -> f64 {
    let beta = variables.beta[at];
    let wanted = beta - variables.slope[at] / curvature;
    wanted.clamp(variables.low[at], variables.high[at]) - beta
}

/// k(x, x) + ridge of each variable, above 0.
fn diagonal_of(space: &mut Space<'_, '_>, rows: &[usize], variables: &Variables) -> Result<Vec<f64>> {
    let mut values = vec![];
    match space {
        Space::Linear { x, columns } => {
            let own = |row: &usize| &x[row * *columns..(row + 1) * *columns];
            values.extend(rows.iter().map(|row| own(row).iter().map(|x| f64::from(*x).powi(2)).sum::<f64>()));
        }
        Space::Kernel(kernel) => {
            for some in rows.chunks(VISITED.min(kernel.capacity())) {
                kernel.bring(some)?;
                values.extend(some.iter().map(|row| f64::from(kernel.row(*row)[*row])));
            }
        }
    }
    Ok(values.iter().enumerate().map(|(at, value)| (value + variables.ridge_of(at)).max(1e-12)).collect())
}

/// As for SMO, with an offset of 0 and slopes that have to point outwards at bounds.
fn measure(variables: &Variables, linear: &[f64], pieces: &[Piece]) -> Measured {
    let mut measured = measure_at(variables, linear, pieces, [0.0; MOST_GROUPS]);
    let wrong = |at: usize| {
        let (beta, slope) = (variables.beta[at], variables.slope[at]);
        let falls = if beta > variables.low[at] { slope.max(0.0) } else { 0.0 };
        let rises = if beta < variables.high[at] { (-slope).max(0.0) } else { 0.0 };
        falls.max(rises)
    };
    measured.violation = (0..linear.len()).map(wrong).fold(0.0, f64::max);
    measured
}
