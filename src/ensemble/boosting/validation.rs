//! Rows that are watched, and when their loss says that it is enough.

use super::leaves::add_to_others;
use super::settings::Settings;
use super::truths::{Start, Truths};
use crate::array::Matrix;
use crate::cpu::random::permutation::permutation;
use crate::tree::Tree;

/// The stream of the seed that chooses the rows to hold out.
const HOLD_OUT_STREAM: u32 = 0xb005;

/// The share of the rows to hold out, drawn from each group (class) alike; at least one row stays in each.
pub(super) fn hold_out(groups: &[u32], share: f64, seed: u64) -> Vec<bool> {
    let count = groups.iter().max().map_or(0, |most| *most as usize + 1);
    let mut wanted = vec![0_usize; count];
    groups.iter().for_each(|group| wanted[*group as usize] += 1);
    wanted.iter_mut().for_each(|rows| *rows = ((*rows as f64 * share).round() as usize).min(rows.saturating_sub(1)));
    let mut held = vec![false; groups.len()];
    for row in permutation(seed, HOLD_OUT_STREAM, groups.len() as u32) {
        let wanted = &mut wanted[groups[row as usize] as usize];
        held[row as usize] = *wanted > 0;
        *wanted = wanted.saturating_sub(1);
    }
    held
}

/// Validation rows of their own, with their scores.
pub(super) struct Watched<'a> {
    pub x: Matrix,
    pub truths: Truths<'a>,
    pub scores: Vec<Vec<f32>>,
    rows: Vec<u32>,
}

impl<'a> Watched<'a> {
    /// Rows before the first tree.
    pub fn new(x: Matrix, mut truths: Truths<'a>, start: &Start) -> Watched<'a> {
        let scores = truths.begin(start);
        let rows = (0..x.rows() as u32).collect();
        Watched { x, truths, scores, rows }
    }

    /// Adds a round's trees, one an output, and says what the loss is now.
    pub fn add(&mut self, trees: &[Tree]) -> f64 {
        for (tree, scores) in trees.iter().zip(&mut self.scores) {
            add_to_others(tree, &self.x, &self.rows, scores);
        }
        self.truths.loss(&self.scores, None)
    }
}

/// The loss after each round, and whether it still falls.
pub(super) struct Patience {
    rounds: Option<usize>,
    tol: f64,
    pub curve: Vec<f64>,
    best: f64,
    /// Rounds up to the best one.
    pub best_rounds: usize,
}

impl Patience {
    pub fn new(settings: &Settings) -> Patience {
        let (rounds, tol) = (settings.n_iter_no_change, settings.tol);
        Patience { rounds, tol, curve: vec![], best: f64::INFINITY, best_rounds: 0 }
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
