//! Sequential minimal optimisation (Platt 1998) with second-order pairs (Fan, Chen and Lin 2005), for every form of the
//! support vector machine: min ½·βᵀKβ + ½·Σ ridge·β² + qᵀβ, low ≤ β ≤ high, the sums over one or two groups of β given.
//!
//! A small problem is solved in one go on the kernel matrix. A large one is solved by working sets: the variables that
//! violate their conditions most, the kernel rows of which are computed as one product and kept while there is room.

mod measure;
mod on_device;
mod rows;
mod shrink;
mod working_set;

pub(crate) use crate::cpu::svm::{Piece, Variables};
use measure::measure;
pub(crate) use measure::{Measured, measure_at};
pub(crate) use on_device::{DeviceKernel, DeviceRows, solve_on_device};
pub(crate) use rows::{BLOCK_COLUMNS, ChosenRows, KernelMatrix, RowCache, RowSource};

use rows::Change;

use crate::cpu::svm::add_rows;
use crate::cpu::svm::block::{Block, minimize, row_of};
use crate::error::Result;

/// Variables up to which a whole matrix is worked on directly.
const DIRECT: usize = 1000;
/// Steps between reports.
const STEPS: usize = 20_000;

/// A problem: its variables with their bounds, where they are in the kernel matrix, and the linear term.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    /// Pieces of the kernel matrix, in the order of the variables.
    pub pieces: Vec<Piece>,
    /// The linear term, one number a variable.
    pub linear: Vec<f64>,
    /// Where it starts, a point that keeps all bounds, and the bounds. The slope is filled in by [`solve`].
    pub variables: Variables,
}

/// When to end, and whom to tell.
pub(crate) struct Ending<'a> {
    /// The violation, and the gap as a share of the objective, that are small enough.
    pub tol: f64,
    /// Steps at most.
    pub max_steps: usize,
    /// Is told steps and violation, and says whether to end now.
    pub report: &'a mut dyn FnMut(usize, f64) -> Result<bool>,
}

/// A solved problem.
#[derive(Debug, Clone)]
pub(crate) struct Solution {
    /// The variables at the end.
    pub variables: Variables,
    /// What was found there, in f64.
    pub measured: Measured,
    /// Pairs that were stepped on.
    pub steps: usize,
    /// Working sets; 1 where all was done at once.
    pub rounds: usize,
    /// Whether violation and gap came to `tol`.
    pub converged: bool,
    /// The objective after each round.
    pub objectives: Vec<f64>,
}

/// Solves a problem on a kernel matrix. The same problem gives the same bits, for any number of threads.
pub(crate) fn solve(problem: Problem, kernel: &mut KernelMatrix<'_>, ending: &mut Ending<'_>) -> Result<Solution> {
    let Problem { pieces, linear, mut variables } = problem;
    start(&pieces, &linear, &mut variables, kernel)?;
    let mut walk =
        Walk { pieces: &pieces, linear: &linear, start: None, variables, steps: 0, rounds: 0, objectives: vec![] };
    let mut tol = ending.tol;
    let converged = loop {
        let stopped = match kernel {
            KernelMatrix::Whole { matrix, stride } if walk.variables.beta.len() <= DIRECT => {
                walk.direct((*matrix, *stride), tol, ending)?
            }
            _ => shrink::run(&mut walk, kernel, tol, ending)?,
        };
        let measured = walk.measure();
        let done = measured.violation <= ending.tol && measured.gap <= ending.tol * measured.objective.abs().max(1.0);
        if done || stopped || walk.steps >= ending.max_steps || tol < ending.tol * 1e-3 {
            break done;
        }
        // The violation was small and the gap was not.
        tol *= 0.25;
    };
    let measured = walk.measure();
    let Walk { variables, steps, rounds, objectives, .. } = walk;
    Ok(Solution { variables, measured, steps, rounds, converged, objectives })
}

/// A problem on its way.
struct Walk<'a> {
    pieces: &'a [Piece],
    linear: &'a [f64],
    /// The objective at a point whose slope is `linear`, and that point; of the whole problem, 0 at 0.
    start: Option<(f64, &'a [f64])>,
    variables: Variables,
    steps: usize,
    rounds: usize,
    objectives: Vec<f64>,
}

impl Walk<'_> {
    fn measure(&self) -> Measured {
        measure(&self.variables, self.linear, self.pieces)
    }

    /// Notes a round; whether to end.
    fn report(&mut self, steps: usize, violation: f64, ending: &mut Ending<'_>) -> Result<bool> {
        self.steps += steps;
        self.rounds += 1;
        let (base, begun) = self.start.unwrap_or((0.0, &[]));
        let moved = |(at, beta): (usize, &f64)| {
            let change = beta - begun.get(at).copied().unwrap_or(0.0);
            change * (self.variables.slope[at] + self.linear[at])
        };
        let sum: f64 = self.variables.beta.iter().enumerate().map(moved).sum();
        self.objectives.push(base + 0.5 * sum);
        (ending.report)(self.steps, violation)
    }

    /// All variables at once, on the whole matrix; whether it was told to end.
    fn direct(&mut self, (matrix, stride): (&[f32], usize), tol: f64, ending: &mut Ending<'_>) -> Result<bool> {
        loop {
            let block = Block { matrix, stride, pieces: self.pieces };
            let steps = STEPS.min(ending.max_steps - self.steps);
            let ended = minimize(block, &mut self.variables, tol, steps);
            let stopped = self.report(ended.steps, ended.violation, ending)?;
            if stopped || ended.violation <= tol || ended.steps < steps || self.steps >= ending.max_steps {
                return Ok(stopped);
            }
        }
    }
}

/// The slope at the start.
fn start(pieces: &[Piece], linear: &[f64], variables: &mut Variables, kernel: &mut KernelMatrix<'_>) -> Result<()> {
    let ridges = (0..linear.len()).map(|at| linear[at] + variables.ridge_of(at) * variables.beta[at]);
    variables.slope = ridges.collect();
    let used: Vec<usize> = (0..linear.len()).filter(|at| variables.beta[*at] != 0.0).collect();
    // Where a problem begins away from 0, most of these variables will move.
    let keep = used.len() <= kernel.capacity() / 2;
    let change = |&at: &usize| Change { factor: variables.beta[at], row: row_of(pieces, at), keep };
    let changes: Vec<Change> = used.iter().map(change).collect();
    kernel.add(pieces, &mut variables.slope, &changes)
}

/// Columns that a task adds rows to.
const COLUMNS: usize = 2048;

/// Adds Σ factor·(row of K) to the slopes.
pub(crate) fn add_kernel_rows(
    pieces: &[Piece],
    slope: &mut [f64],
    kernel: &KernelMatrix<'_>,
    factors: &[(f64, usize)],
) {
    use rayon::prelude::*;
    let rows: Vec<(f64, &[f32])> = factors.iter().map(|(factor, row)| (*factor, kernel.row(*row))).collect();
    for piece in pieces {
        let slope = &mut slope[piece.first..piece.first + piece.count];
        slope.par_chunks_mut(COLUMNS).enumerate().for_each(|(chunk, slope)| {
            let first = piece.row + chunk * COLUMNS;
            let part: Vec<(f64, &[f32])> =
                rows.iter().map(|(factor, row)| (*factor, &row[first..first + slope.len()])).collect();
            add_rows(slope, &part);
        });
    }
}
