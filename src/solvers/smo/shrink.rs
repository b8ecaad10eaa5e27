//! Shrinking: variables that rest at a bound, and in all likelihood stay there, are left out until the others are solved
//! (Joachims 1999). Rows of the kernel matrix are shorter then, and more of them are kept.

use super::measure::extremes;
use super::rows::Change;
use super::working_set::{self, part_of};
use super::{Ending, KernelMatrix, Piece, RowCache, Walk};
use crate::cpu::svm::block::row_of;
use crate::error::Result;

/// Rounds before the first look, and between two.
const ROUNDS: usize = 16;
/// Variables below which none is left out.
const FEWEST: usize = 2048;
/// The share of the variables that must rest.
const SHARE: f64 = 0.4;
/// What was left out is looked at for the first time when the others violate their conditions by so many times `tol`.
const EARLIER: f64 = 10.0;

/// Rounds until the violation of all variables is at most `tol`; whether it was told to end.
pub(super) fn run(
    walk: &mut Walk<'_>,
    kernel: &mut KernelMatrix<'_>,
    tol: f64,
    ending: &mut Ending<'_>,
) -> Result<bool> {
    let shrinks = matches!(kernel, KernelMatrix::Rows(_)) && walk.variables.beta.len() >= FEWEST;
    let mut aim = EARLIER * tol;
    loop {
        let mut next = walk.rounds + ROUNDS;
        let mut rows = vec![];
        let stopped = working_set::run(walk, kernel, tol, ending, |walk, violation| {
            if !shrinks || walk.rounds < next || violation <= aim {
                return false;
            }
            next = walk.rounds + ROUNDS;
            rows = rows_in_the_running(walk);
            (rows.len() as f64) < (1.0 - SHARE) * last_row(walk.pieces) as f64
        })?;
        let KernelMatrix::Rows(cache) = kernel else { return Ok(stopped) };
        if rows.len() as f64 >= (1.0 - SHARE) * last_row(walk.pieces) as f64 || rows.is_empty() || stopped {
            return Ok(stopped);
        }
        let (before, changes, stopped) = without_the_rest(walk, cache, &rows, aim, ending)?;
        // The slopes of all, those of the part too, follow from the same sums.
        walk.variables.slope = before;
        kernel.add(walk.pieces, &mut walk.variables.slope, &changes)?;
        if stopped {
            return Ok(true);
        }
        aim = tol;
    }
}

fn last_row(pieces: &[Piece]) -> usize {
    pieces.iter().map(|piece| piece.row + piece.count).max().unwrap_or(0)
}

/// The rows of variables that are between their bounds, or violate their conditions with some other variable.
fn rows_in_the_running(walk: &Walk<'_>) -> Vec<usize> {
    let (variables, found) = (&walk.variables, extremes(&walk.variables, walk.pieces));
    let mut runs = vec![false; last_row(walk.pieces)];
    for piece in walk.pieces {
        let (least, greatest) = found[piece.group];
        for at in piece.first..piece.first + piece.count {
            let slope = variables.slope[at];
            let rests = match (variables.beta[at] > variables.low[at], variables.beta[at] < variables.high[at]) {
                (false, true) => slope > greatest,
                (true, false) => slope < least,
                (false, false) => true,
                (true, true) => false,
            };
            runs[piece.row + at - piece.first] |= !rests;
        }
    }
    (0..runs.len()).filter(|row| runs[*row]).collect()
}

/// Solves the problem of some rows, the others held. The slopes that hold without what changed, that, and whether it was told
/// to end.
fn without_the_rest(
    walk: &mut Walk<'_>,
    cache: &mut RowCache<'_>,
    rows: &[usize],
    tol: f64,
    ending: &mut Ending<'_>,
) -> Result<(Vec<f64>, Vec<Change>, bool)> {
    let (mut pieces, mut chosen) = (vec![], vec![]);
    for piece in walk.pieces {
        let [row, end] = [piece.row, piece.row + piece.count].map(|row| rows.partition_point(|other| *other < row));
        pieces.push(Piece { first: chosen.len(), count: end - row, row, group: piece.group });
        chosen.extend(rows[row..end].iter().map(|other| piece.first + other - piece.row));
    }
    let variables = part_of(&walk.variables, &chosen);
    let (start, linear) = (variables.beta.clone(), variables.slope.clone());
    let base = walk.objectives.last().copied().unwrap_or(0.0);
    let mut part = Walk {
        pieces: &pieces,
        linear: &linear,
        start: Some((base, &start)),
        variables,
        steps: walk.steps,
        rounds: walk.rounds,
        objectives: std::mem::take(&mut walk.objectives),
    };
    let source = cache.source().part(rows)?;
    let mut kernel = KernelMatrix::Rows(cache.part(&*source, rows));
    let stopped = working_set::run(&mut part, &mut kernel, tol, ending, |_, _| false)?;
    if let KernelMatrix::Rows(used) = &kernel {
        cache.count(used);
    }
    let Walk { variables, steps, rounds, objectives, .. } = part;
    (walk.steps, walk.rounds, walk.objectives) = (steps, rounds, objectives);
    let mut slope = walk.variables.slope.clone();
    let mut changes = vec![];
    for (place, &at) in chosen.iter().enumerate() {
        let factor = variables.beta[place] - start[place];
        if factor != 0.0 {
            walk.variables.beta[at] = variables.beta[place];
            slope[at] += walk.variables.ridge_of(at) * factor;
            changes.push(Change { factor, row: row_of(walk.pieces, at), keep: walk.variables.is_free(at) });
        }
    }
    Ok((slope, changes, stopped))
}
