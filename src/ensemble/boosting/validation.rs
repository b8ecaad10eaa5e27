//! Validation rows, and early stopping by their loss.

use super::leaves::add_to_others;
use super::settings::Settings;
use super::targets::{BoostingTargets, Start};
use crate::array::Matrix;
use crate::cpu::random::permutation::permutation;
use crate::error::{Error, Result};
use crate::tree::Tree;

/// The stream of the seed that chooses the rows to hold out.
const HOLD_OUT_STREAM: u32 = 0xb005;

/// The share of the rows to hold out, drawn from each group (class) alike; at least one row stays in each. Rows of
/// weight 0 are neither held out nor counted.
pub fn hold_out(groups: &[u32], weights: Option<&[f32]>, share: f64, seed: u64) -> Result<Vec<bool>> {
    let count = groups.iter().max().map_or(0, |most| *most as usize + 1);
    let counts = |row: usize| weights.is_none_or(|weights| weights[row] > 0.0);
    let mut sizes = vec![0_usize; count];
    (0..groups.len()).filter(|row| counts(*row)).for_each(|row| sizes[groups[row] as usize] += 1);
    let mut wanted = held_of_each(&sizes, share);
    if wanted.iter().all(|wanted| *wanted == 0) {
        let rule = "none where every class has one row only, or used with validation rows of their own".to_string();
        let got = format!("{} rows that count", sizes.iter().sum::<usize>());
        return Err(Error::param("n_iter_no_change", rule, got));
    }
    let mut held = vec![false; groups.len()];
    for row in permutation(seed, HOLD_OUT_STREAM, groups.len() as u32) {
        let (row, wanted) = (row as usize, &mut wanted[groups[row as usize] as usize]);
        held[row] = *wanted > 0 && counts(row);
        *wanted -= usize::from(held[row]);
    }
    Ok(held)
}

/// How many rows of each group are held out: its share, rounded, and where that leaves fewer than the share of all rows
/// (or none), one more of the groups that lack most, the first of equals.
pub fn held_of_each(sizes: &[usize], share: f64) -> Vec<usize> {
    let of = |rows: usize| (rows as f64 * share).round() as usize;
    let mut wanted: Vec<usize> = sizes.iter().map(|rows| of(*rows).min(rows.saturating_sub(1))).collect();
    let all = of(sizes.iter().sum()).max(1);
    let lacks = |group: usize| sizes[group] as f64 * share - wanted[group] as f64;
    let mut more: Vec<(usize, f64)> = (0..sizes.len()).map(|group| (group, lacks(group))).collect();
    more.retain(|(group, _)| wanted[*group] + 1 < sizes[*group]);
    more.sort_by(|one, other| other.1.total_cmp(&one.1));
    let missing = all.saturating_sub(wanted.iter().sum());
    more.into_iter().take(missing).for_each(|(group, _)| wanted[group] += 1);
    wanted
}

/// Validation rows of their own, with their scores.
pub(super) struct ValidationRows<'a> {
    pub x: Matrix,
    pub targets: BoostingTargets<'a>,
    pub scores: Vec<Vec<f32>>,
    rows: Vec<u32>,
}

impl<'a> ValidationRows<'a> {
    /// Rows before the first tree.
    pub fn new(x: Matrix, mut targets: BoostingTargets<'a>, start: &Start) -> Result<ValidationRows<'a>> {
        let scores = targets.begin(start, |_| true)?;
        let rows = (0..x.rows() as u32).collect();
        Ok(ValidationRows { x, targets, scores, rows })
    }

    /// Adds a round's trees, one an output, and returns the loss.
    pub fn add(&mut self, trees: &[Tree]) -> f64 {
        for (tree, scores) in trees.iter().zip(&mut self.scores) {
            add_to_others(tree, &self.x, &self.rows, scores);
        }
        self.targets.loss(&self.scores, None)
    }

    /// Takes the scores after a round from where they were added up, and returns the loss.
    pub fn set_scores(&mut self, scores: Vec<Vec<f32>>) -> f64 {
        self.scores = scores;
        self.targets.loss(&self.scores, None)
    }
}

/// The loss after each round, and whether it still falls.
pub(super) struct EarlyStopping {
    rounds: Option<usize>,
    tol: f64,
    pub curve: Vec<f64>,
    best: f64,
    /// Rounds up to the best one.
    pub best_rounds: usize,
}

impl EarlyStopping {
    pub fn new(settings: &Settings) -> EarlyStopping {
        let (rounds, tol) = (settings.n_iter_no_change, settings.tol);
        EarlyStopping { rounds, tol, curve: vec![], best: f64::INFINITY, best_rounds: 0 }
    }

    /// Whether the loss has not fallen by more than `tol` for the given number of rounds.
    pub fn is_over(&mut self, loss: f64) -> bool {
        self.curve.push(loss);
        if loss < self.best - self.tol || self.best_rounds == 0 {
            self.best = loss;
            self.best_rounds = self.curve.len();
        }
        self.rounds.is_some_and(|rounds| self.curve.len() >= self.best_rounds + rounds)
    }

    /// Rounds worth keeping: up to the best one, if losses decide.
    pub fn kept(&self, rounds: usize) -> usize {
        if self.rounds.is_some() && !self.curve.is_empty() { self.best_rounds } else { rounds }
    }
}
