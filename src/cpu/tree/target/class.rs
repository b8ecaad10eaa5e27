//! Classes in fixed point.

use super::criterion::self_information;
use super::{
    Criterion, FixedWeights, NodeSummary, ScoreKind, SplitBounds, SplitScore, SummarySource, TargetTotals, TreeTarget,
    best_cut,
};
use crate::cpu::tree::{ClassRows, NodeSquares, TargetRows};

/// Classes of rows: a cell has a word for each class, with the weight and the count of its rows.
#[derive(Debug, Clone)]
pub struct ClassTarget<'a> {
    codes: &'a [u32],
    classes: usize,
    weights: FixedWeights,
    criterion: Criterion,
}

impl<'a> ClassTarget<'a> {
    /// Each row's class is below `classes`.
    pub fn new(codes: &'a [u32], classes: usize, weights: FixedWeights, criterion: Criterion) -> ClassTarget<'a> {
        debug_assert_eq!(codes.len(), weights.words.len());
        ClassTarget { codes, classes, weights, criterion }
    }
}

impl TreeTarget for ClassTarget<'_> {
    fn words(&self) -> usize {
        self.classes
    }

    fn outputs(&self) -> usize {
        self.classes
    }

    fn counts(&self, row: usize) -> bool {
        self.weights.words[row] != 0
    }

    #[inline(always)]
    fn add(&self, row: usize, cell: &mut [u64]) {
        let word = &mut cell[self.codes[row] as usize];
        *word = word.wrapping_add(self.weights.words[row]);
    }

    fn rows(&self) -> TargetRows<'_> {
        TargetRows::Classes(ClassRows { codes: self.codes, words: &self.weights.words, classes: self.classes })
    }

    fn is_pure(&self, cell: &[u64]) -> bool {
        cell.iter().filter(|word| **word != 0).count() <= 1
    }

    #[inline(always)]
    fn count(&self, cell: &[u64]) -> u64 {
        cell.iter().map(|word| self.weights.count(*word)).sum()
    }

    fn totals(&self, cell: &[u64], totals: &mut TargetTotals) {
        totals.parts.clear();
        totals.parts.extend(cell.iter().map(|word| self.weights.weight(*word)));
        totals.weight = totals.parts.iter().sum();
        totals.purity = match self.criterion {
            Criterion::Gini => 0.0,
            Criterion::Entropy => purity_by_entropy(totals.parts.iter().copied(), totals.weight),
            Criterion::Misclassification => totals.parts.iter().copied().fold(0.0, f64::max),
        };
    }

    /// Gini: Σ (l·W − c·Wₗ)² / (W·Wₗ·Wᵣ) over the classes, l of c on the left: the decrease without a difference of
    /// nearly equal numbers. The others are what the sides have, less what the node has.
    #[inline(always)]
    fn gain(&self, totals: &TargetTotals, left: &[u64]) -> f64 {
        let weight = |word: &u64| self.weights.weight(*word);
        let left_weight: f64 = left.iter().map(weight).sum();
        let right_weight = totals.weight - left_weight;
        match self.criterion {
            Criterion::Gini if left.len() == 2 => gini_of_two(totals, weight(&left[0]), left_weight),
            Criterion::Gini => {
                let mut sum = 0.0;
                for (word, part) in left.iter().zip(&totals.parts) {
                    let difference = weight(word) * totals.weight - part * left_weight;
                    sum += difference * difference;
                }
                sum / (totals.weight * (left_weight * right_weight))
            }
            Criterion::Entropy => {
                let rest = || left.iter().zip(&totals.parts).map(|(word, part)| part - weight(word));
                let sides =
                    purity_by_entropy(left.iter().map(weight), left_weight) + purity_by_entropy(rest(), right_weight);
                (sides - totals.purity).max(0.0)
            }
            Criterion::Misclassification => {
                let rest = left.iter().zip(&totals.parts).map(|(word, part)| part - weight(word));
                left.iter().map(weight).fold(0.0, f64::max) + rest.fold(0.0, f64::max) - totals.purity
            }
        }
    }

    fn score(&self) -> SplitScore {
        let kind = match self.criterion {
            Criterion::Gini if self.classes == 2 => ScoreKind::GiniOfTwo,
            Criterion::Gini => ScoreKind::Gini,
            Criterion::Entropy => ScoreKind::Entropy,
            Criterion::Misclassification => ScoreKind::Misclassification,
        };
        SplitScore { kind, count_bits: self.weights.count_bits }
    }

    fn best_cut(&self, bounds: &SplitBounds<'_>, cells: &[u64]) -> Option<(usize, f64)> {
        match (self.criterion, self.classes) {
            (Criterion::Gini, 2) => self.best_cut_of_two(bounds, cells),
            _ => best_cut(self, bounds, cells),
        }
    }

    fn profile(&self, cell: &[u64], profile: &mut Vec<f64>) -> f64 {
        let weight: f64 = cell.iter().map(|word| self.weights.weight(*word)).sum();
        let first = if self.classes == 2 { 1 } else { 0 };
        profile.extend(cell[first..].iter().map(|word| self.weights.weight(*word) / weight));
        weight
    }

    fn gain_unit(&self) -> f64 {
        self.weights.unit
    }

    fn summary_source(&self) -> SummarySource {
        SummarySource::Cell
    }

    fn summary(&self, _: &[u32], cell: &[u64], values: &mut Vec<f64>) -> NodeSummary {
        let first = values.len();
        values.extend(cell.iter().map(|word| self.weights.weight(*word)));
        let parts = &mut values[first..];
        let (weight, impurity) = (parts.iter().sum::<f64>(), self.criterion.impurity(parts));
        parts.iter_mut().for_each(|part| *part /= weight);
        NodeSummary { weight: weight * self.weights.unit, count: self.count(cell), impurity, pure: self.is_pure(cell) }
    }

    fn summary_of_squares(&self, _: &NodeSquares, cell: &[u64], values: &mut Vec<f64>) -> NodeSummary {
        self.summary(&[], cell, values)
    }
}

impl ClassTarget<'_> {
    /// Two classes by Gini, without a branch but for a new best.
    fn best_cut_of_two(&self, bounds: &SplitBounds<'_>, cells: &[u64]) -> Option<(usize, f64)> {
        let (mut first, mut second) = (0_u64, 0_u64);
        let (mut best, mut best_at) = (-1.0, 0);
        let (pairs, _) = cells.as_chunks::<2>();
        for (at, [one, other]) in pairs[..pairs.len() - 1].iter().enumerate() {
            first = first.wrapping_add(*one);
            second = second.wrapping_add(*other);
            let count = self.weights.count(first) + self.weights.count(second);
            let (part, rest) = (self.weights.weight(first), self.weights.weight(second));
            let gain = gini_of_two(bounds.totals, part, part + rest);
            if gain > best && bounds.allow(count) {
                (best, best_at) = (gain, at);
            }
        }
        (best >= 0.0).then_some((best_at, best))
    }
}

/// The gain of a split in two classes, whose squares are equal.
#[inline(always)]
fn gini_of_two(totals: &TargetTotals, part: f64, left_weight: f64) -> f64 {
    let difference = part * totals.weight - totals.parts[0] * left_weight;
    2.0 * (difference * difference) / (totals.weight * (left_weight * (totals.weight - left_weight)))
}

/// Σ c·log₂ c − W·log₂ W: minus the weight times the entropy.
#[inline(always)]
fn purity_by_entropy(parts: impl Iterator<Item = f64>, weight: f64) -> f64 {
    parts.map(self_information).sum::<f64>() - self_information(weight)
}
