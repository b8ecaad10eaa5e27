//! Large problems: the variables that violate their conditions most are solved by themselves, then all slopes follow.

use super::rows::Change;
use super::{Ending, KernelMatrix, Walk, measure::extremes};
use crate::cpu::svm::block::{Block, MOST_GROUPS, Piece, Variables, minimize, row_of};
use crate::error::Result;

/// Variables of a working set: their part of the kernel matrix stays in a cache, or nearly, where many are between their
/// bounds.
const USUAL: usize = 512;
const MOST: usize = 1024;
/// By how much a working set is brought closer to its solution than all variables are to theirs.
const CLOSER: f64 = 0.03;

/// Rounds until the violation is at most `tol`, or `enough` says that they did what they should; whether it was told to end.
pub(super) fn run(
    walk: &mut Walk<'_>,
    kernel: &mut KernelMatrix<'_>,
    tol: f64,
    ending: &mut Ending<'_>,
    mut enough: impl FnMut(&Walk<'_>, f64) -> bool,
) -> Result<bool> {
    let mut recent: Vec<usize> = vec![];
    loop {
        let found = extremes(&walk.variables, walk.pieces);
        let violation = found.iter().map(|(least, most)| most - least).fold(0.0, f64::max);
        if violation <= tol || walk.steps >= ending.max_steps || enough(walk, violation) {
            return Ok(false);
        }
        let chosen = choose(walk, &recent);
        let rows: Vec<usize> = chosen.iter().map(|at| row_of(walk.pieces, *at)).collect();
        let (matrix, pieces) = (kernel.square(&rows)?, by_group(walk.pieces, &chosen));
        let mut part = part_of(&walk.variables, &chosen);
        let before = part.beta.clone();
        let block = Block { matrix: &matrix, stride: chosen.len(), pieces: &pieces };
        let near = (CLOSER * violation).max(0.5 * tol);
        let ended = minimize(block, &mut part, near, ending.max_steps - walk.steps);
        let mut changes = vec![];
        for (place, &at) in chosen.iter().enumerate() {
            let factor = part.beta[place] - before[place];
            if factor != 0.0 {
                walk.variables.beta[at] = part.beta[place];
                walk.variables.slope[at] += walk.variables.ridge_of(at) * factor;
                changes.push(Change { factor, row: rows[place], keep: walk.variables.is_free(at) });
            }
        }
        kernel.add(walk.pieces, &mut walk.variables.slope, &changes)?;
        recent = chosen;
        if walk.report(ended.steps, violation, ending)? {
            return Ok(true);
        }
        if ended.steps == 0 {
            return Ok(false); // Rounding leaves no pair that improves.
        }
    }
}

/// The variables of the next round, by group and number: of half of them the least slopes that may rise and the greatest that
/// may fall, and of the last round those that are between their bounds.
fn choose(walk: &Walk<'_>, recent: &[usize]) -> Vec<usize> {
    let variables = &walk.variables;
    let kept: Vec<usize> = recent.iter().copied().filter(|at| variables.is_free(*at)).collect();
    let most = if kept.len() > USUAL / 2 { MOST } else { USUAL };
    let mut chosen = kept;
    chosen.truncate(most / 2);
    let mut taken = vec![false; variables.beta.len()];
    chosen.iter().for_each(|at| taken[*at] = true);
    let found = extremes(variables, walk.pieces);
    let groups = walk.pieces.iter().map(|piece| piece.group + 1).max().unwrap_or(1);
    let share = ((most - chosen.len()) / (2 * groups)).max(1);
    for (group, &(least, greatest)) in found.iter().enumerate().take(groups) {
        let own = || walk.pieces.iter().filter(move |piece| piece.group == group);
        let all = || own().flat_map(|piece| piece.first..piece.first + piece.count);
        // Only what violates its conditions with some other variable is worth a place.
        let risers = all().filter(|&at| variables.slope[at] < greatest && variables.beta[at] < variables.high[at]);
        take_least(risers.map(|at| (variables.slope[at], at)).collect(), share, &mut taken, &mut chosen);
        let fallers = all().filter(|&at| variables.slope[at] > least && variables.beta[at] > variables.low[at]);
        take_least(fallers.map(|at| (-variables.slope[at], at)).collect(), share, &mut taken, &mut chosen);
    }
    chosen.sort_unstable();
    chosen
}

/// Takes the `count` smallest that are not taken yet; among equal ones, the first.
fn take_least(mut values: Vec<(f64, usize)>, count: usize, taken: &mut [bool], chosen: &mut Vec<usize>) {
    let order = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    values.retain(|(_, at)| !taken[*at]);
    if values.len() > count {
        values.select_nth_unstable_by(count - 1, order);
        values.truncate(count);
    }
    for (_, at) in values {
        taken[at] = true;
        chosen.push(at);
    }
}

/// The pieces of chosen variables, ascending: one for each group that has any.
fn by_group(pieces: &[Piece], chosen: &[usize]) -> Vec<Piece> {
    let group_of = |at: &usize| pieces.iter().rfind(|piece| piece.first <= *at).map_or(0, |piece| piece.group);
    let mut first = 0;
    let mut found = vec![];
    for group in 0..MOST_GROUPS {
        let count = chosen[first..].iter().take_while(|at| group_of(at) == group).count();
        if count > 0 {
            found.push(Piece { first, count, row: first, group });
        }
        first += count;
    }
    found
}

/// Some of the variables, with what is known of them.
pub(super) fn part_of(variables: &Variables, chosen: &[usize]) -> Variables {
    let pick = |values: &[f64]| match values.is_empty() {
        true => vec![],
        false => chosen.iter().map(|at| values[*at]).collect(),
    };
    Variables {
        beta: pick(&variables.beta),
        slope: pick(&variables.slope),
        low: pick(&variables.low),
        high: pick(&variables.high),
        ridge: pick(&variables.ridge),
    }
}
