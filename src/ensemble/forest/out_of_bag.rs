//! Predictions of the trees for the rows they did not draw: a test without a test set.

use rayon::prelude::*;

use crate::array::Matrix;
use crate::cpu::reduce::argmax;
use crate::cpu::tree::target::FixedWeights;
use crate::data::Labels;
use crate::tree::Tree;

/// Rows that go through the trees together.
const BLOCK: usize = 256;

/// The rows that a tree drew, as bits.
#[derive(Debug, Clone)]
pub(super) struct InBag(Vec<u64>);

impl InBag {
    pub(super) fn new(times: &[u32]) -> InBag {
        let word =
            |times: &[u32]| times.iter().enumerate().fold(0, |word, (at, times)| word | u64::from(*times > 0) << at);
        InBag(times.chunks(64).map(word).collect())
    }

    fn has(&self, row: usize) -> bool {
        self.0[row / 64] >> (row % 64) & 1 == 1
    }
}

/// The mean over the trees that did not draw a row of their values for it, n×outputs; NaN where all drew it. Trees in
/// their order.
pub(super) fn out_of_bag(x: &Matrix, trees: &[Tree], bags: &[InBag]) -> Vec<f64> {
    let outputs = trees.first().map_or(0, Tree::outputs);
    let mut means = vec![0.0; x.rows() * outputs];
    means.par_chunks_mut((BLOCK * outputs).max(1)).enumerate().for_each(|(block, means)| {
        let mut votes = [0_u32; BLOCK];
        for (tree, bag) in trees.iter().zip(bags) {
            for (at, (means, votes)) in means.chunks_exact_mut(outputs).zip(&mut votes).enumerate() {
                let row = block * BLOCK + at;
                if !bag.has(row) {
                    let values = tree.value(tree.leaf_of(x.row(row)));
                    means.iter_mut().zip(values).for_each(|(mean, value)| *mean += value);
                    *votes += 1;
                }
            }
        }
        for (means, votes) in means.chunks_exact_mut(outputs).zip(votes) {
            means.iter_mut().for_each(|mean| *mean /= f64::from(votes));
        }
    });
    means
}

/// The share of the rows that count and have probabilities whose likeliest class is right.
pub(super) fn accuracy_of_known(probabilities: &Matrix, y: &Labels, weights: &FixedWeights) -> Option<f64> {
    let known = |row: &usize| weights.words[*row] != 0 && !probabilities.get(*row, 0).is_nan();
    let rows: Vec<usize> = (0..probabilities.rows()).filter(known).collect();
    let right = |row: &&usize| argmax(probabilities.row(**row)) as u32 == y.codes()[**row];
    (!rows.is_empty()).then(|| rows.iter().filter(right).count() as f64 / rows.len() as f64)
}
