//! The scores after each round.

use super::boosted::Boosted;
use crate::array::Matrix;

/// Scores that take in one round after the other.
pub(super) struct StagedScores<'a> {
    model: &'a Boosted,
    x: Matrix,
    scores: Vec<f64>,
    round: usize,
}

impl<'a> StagedScores<'a> {
    /// The scores of rows that fit the model, before the first round.
    pub fn new(model: &'a Boosted, x: Matrix) -> StagedScores<'a> {
        let scores = model.baseline().iter().copied().cycle().take(x.rows() * model.outputs()).collect();
        StagedScores { model, x, scores, round: 0 }
    }
}

impl Iterator for StagedScores<'_> {
    /// n×outputs.
    type Item = Vec<f64>;

    fn next(&mut self) -> Option<Vec<f64>> {
        if self.round == self.model.rounds() {
            return None;
        }
        let outputs = self.model.outputs();
        let trees = &self.model.trees()[self.round * outputs..][..outputs];
        for (row, scores) in self.scores.chunks_exact_mut(outputs).enumerate() {
            let row = self.x.row(row);
            scores.iter_mut().zip(trees).for_each(|(score, tree)| *score += tree.value(tree.leaf_of(row))[0]);
        }
        self.round += 1;
        Some(self.scores.clone())
    }
}
