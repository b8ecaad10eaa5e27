//! Numbers in fixed point.

use super::weights::power_of_two_within;
use super::{
    FixedWeights, NodeSummary, RegressionCriterion, ScoreKind, SplitBounds, SplitScore, SummarySource, TargetTotals,
    TreeTarget, best_cut,
};
use crate::cpu::tree::target_squares::sum_of_squares;
use crate::cpu::tree::{NodeSquares, TargetRows, ValueRows};
use crate::error::Result;

/// Bits of a fixed-point weight that is no integer; the rest of a sum's 62 bits is for the targets.
const WEIGHT_BITS: u32 = 16;
/// Bits of a sum without its sign.
const SUM_BITS: u32 = 62;

/// Targets n×p with weights, as integers and as they are.
#[derive(Debug, Clone)]
pub struct FixedValues<'a> {
    /// The targets less their mean in units of `unit`, n×p; 0 in rows that do not count.
    fixed: Vec<i64>,
    /// What 1 in fixed point stands for: a power of two.
    unit: f64,
    /// What was taken off each output.
    means: Vec<f64>,
    /// The targets as they were given, n×p.
    targets: &'a [f32],
    outputs: usize,
    weights: Option<Vec<f64>>,
    packed: FixedWeights,
    /// Whether the integers are the weights, not rounded.
    weighs_exactly: bool,
    criterion: RegressionCriterion,
}

/// Fixed-point targets with integer weights, by row and output.
#[derive(Debug, Clone, Copy)]
pub struct RankedValues<'a> {
    values: &'a [i64],
    packed: &'a FixedWeights,
    /// Numbers of a row.
    pub outputs: usize,
}

impl RankedValues<'_> {
    /// A row's target and weight.
    pub fn of(&self, row: usize, output: usize) -> (i64, u64) {
        (self.values[row * self.outputs + output], self.packed.words[row] >> self.packed.count_bits)
    }
}

impl<'a> FixedValues<'a> {
    /// Targets n×`outputs`. Their mean is taken off first; what is left has as many bits as sums of all rows leave.
    pub fn new(
        op: &'static str,
        targets: &'a [f32],
        outputs: usize,
        weights: Option<&[f32]>,
    ) -> Result<FixedValues<'a>> {
        let weights: Option<Vec<f64>> =
            weights.map(|weights| weights.iter().map(|weight| f64::from(*weight)).collect());
        let rows = targets.len() / outputs.max(1);
        let packed = FixedWeights::new(op, rows, weights.as_deref(), WEIGHT_BITS)?;
        let of = |output: usize| move |row: usize| f64::from(targets[row * outputs + output]);
        let means: Vec<f64> = (0..outputs).map(|output| mean(rows, of(output), weights.as_deref())).collect();
        // Rows that do not count are nothing, so that they do not make the others coarser.
        let residual = |at: usize| match packed.words[at / outputs] {
            0 => 0.0,
            _ => f64::from(targets[at]) - means[at % outputs],
        };
        let farthest = (0..rows * outputs).map(|at| residual(at).abs()).fold(0.0, f64::max);
        let heaviest = u64::BITS - packed.largest.leading_zeros();
        let most = 2_f64.powi((SUM_BITS - packed.count_bits - heaviest) as i32);
        let scale = if farthest > 0.0 { power_of_two_within(most, farthest) } else { 1.0 };
        let fixed = (0..rows * outputs).map(|at| (residual(at) * scale).round() as i64).collect();
        let criterion = RegressionCriterion::SquaredError;
        let is_exact = |(weight, word): (&f64, &u64)| packed.weight(*word) * packed.unit == weight.max(0.0);
        let weighs_exactly = weights.as_ref().is_none_or(|weights| weights.iter().zip(&packed.words).all(is_exact));
        Ok(FixedValues {
            fixed,
            unit: 1.0 / scale,
            means,
            targets,
            outputs,
            weights,
            packed,
            weighs_exactly,
            criterion,
        })
    }

    /// The same targets with this criterion instead of the squared error.
    pub fn with_criterion(self, criterion: RegressionCriterion) -> FixedValues<'a> {
        FixedValues { criterion, ..self }
    }

    /// What a tree learns that counts each row as often as `times` says, or once.
    pub fn target(&self, times: Option<&[u32]>) -> ValueTarget<'_> {
        match times {
            None => ValueTarget { values: self, packed: self.packed.clone(), times: None },
            Some(times) => {
                ValueTarget { values: self, packed: self.packed.repeated(times), times: Some(times.to_vec()) }
            }
        }
    }
}

/// The weighted mean of one output.
fn mean(rows: usize, of: impl Fn(usize) -> f64, weights: Option<&[f64]>) -> f64 {
    match weights {
        None => (0..rows).map(of).sum::<f64>() / rows as f64,
        Some(weights) => {
            let sum: f64 = weights.iter().enumerate().map(|(row, weight)| weight * of(row)).sum();
            sum / weights.iter().sum::<f64>()
        }
    }
}

/// Numbers of rows for one tree: a cell has a word for weight and count, and one for the sum of each output.
#[derive(Debug, Clone)]
pub struct ValueTarget<'a> {
    values: &'a FixedValues<'a>,
    packed: FixedWeights,
    times: Option<Vec<u32>>,
}

impl ValueTarget<'_> {
    /// The targets as the functions in `cpu` take them.
    #[inline(always)]
    fn value_rows(&self) -> ValueRows<'_> {
        let (outputs, count_bits) = (self.values.outputs, self.packed.count_bits);
        ValueRows { values: &self.values.fixed, words: &self.packed.words, count_bits, outputs }
    }

    /// One output, without a branch but for a new best.
    fn best_cut_of_one(&self, bounds: &SplitBounds<'_>, cells: &[u64]) -> Option<(usize, f64)> {
        let (mut weights, mut sum) = (0_u64, 0_u64);
        let (mut best, mut best_at) = (-1.0, 0);
        let (pairs, _) = cells.as_chunks::<2>();
        for (at, [word, value]) in pairs[..pairs.len() - 1].iter().enumerate() {
            weights = weights.wrapping_add(*word);
            sum = sum.wrapping_add(*value);
            let gain = self.gain(bounds.totals, &[weights, sum]);
            if gain > best && bounds.allow(self.packed.count(weights)) {
                (best, best_at) = (gain, at);
            }
        }
        (best >= 0.0).then_some((best_at, best))
    }

    /// One number of a row as it was given.
    #[inline(always)]
    fn given(&self, row: u32, output: usize) -> f32 {
        self.values.targets[row as usize * self.values.outputs + output]
    }

    /// The weighted median of one output.
    fn median(&self, rows: &[u32], output: usize) -> f64 {
        let of = |row: &u32| (self.given(*row, output), self.packed.words[*row as usize] >> self.packed.count_bits);
        weighted_median(&mut rows.iter().map(of).collect::<Vec<(f32, u64)>>())
    }

    /// The weight of a row as it was given.
    fn weight(&self, row: usize) -> f64 {
        let weight = self.values.weights.as_ref().map_or(1.0, |weights| weights[row]);
        self.times.as_ref().map_or(weight, |times| weight * f64::from(times[row]))
    }
}

impl TreeTarget for ValueTarget<'_> {
    fn words(&self) -> usize {
        1 + self.outputs()
    }

    fn outputs(&self) -> usize {
        self.values.outputs
    }

    fn counts(&self, row: usize) -> bool {
        self.packed.words[row] != 0
    }

    #[inline(always)]
    fn add(&self, row: usize, cell: &mut [u64]) {
        self.value_rows().add(row, cell);
    }

    fn rows(&self) -> TargetRows<'_> {
        TargetRows::Values(self.value_rows())
    }

    /// A single row is; sums of more do not tell.
    fn is_pure(&self, cell: &[u64]) -> bool {
        self.count(cell) <= 1
    }

    #[inline(always)]
    fn count(&self, cell: &[u64]) -> u64 {
        self.packed.count(cell[0])
    }

    fn totals(&self, cell: &[u64], totals: &mut TargetTotals) {
        totals.weight = self.packed.weight(cell[0]);
        totals.parts.clear();
        totals.parts.extend(cell[1..].iter().map(|sum| *sum as i64 as f64));
        totals.purity = 0.0;
    }

    /// Σ (Sₗ·W − S·Wₗ)² / (W·Wₗ·Wᵣ) over the outputs: Wₗ·Wᵣ/W times the squared difference of the sides' means.
    #[inline(always)]
    fn gain(&self, totals: &TargetTotals, left: &[u64]) -> f64 {
        let left_weight = self.packed.weight(left[0]);
        let right_weight = totals.weight - left_weight;
        let mut sum = 0.0;
        for (part, total) in left[1..].iter().zip(&totals.parts) {
            let difference = *part as i64 as f64 * totals.weight - total * left_weight;
            sum += difference * difference;
        }
        sum / (totals.weight * (left_weight * right_weight))
    }

    fn score(&self) -> SplitScore {
        SplitScore { kind: ScoreKind::Variance, count_bits: self.packed.count_bits }
    }

    fn best_cut(&self, bounds: &SplitBounds<'_>, cells: &[u64]) -> Option<(usize, f64)> {
        match self.outputs() {
            1 => self.best_cut_of_one(bounds, cells),
            _ => best_cut(self, bounds, cells),
        }
    }

    fn profile(&self, cell: &[u64], profile: &mut Vec<f64>) -> f64 {
        let weight = self.packed.weight(cell[0]);
        profile.extend(cell[1..].iter().map(|sum| *sum as i64 as f64 / weight));
        weight
    }

    fn gain_unit(&self) -> f64 {
        let squared = match self.values.criterion {
            RegressionCriterion::SquaredError => self.values.unit,
            RegressionCriterion::AbsoluteError => 1.0,
        };
        self.packed.unit * self.values.unit * squared / self.outputs() as f64
    }

    fn by_medians(&self) -> Option<RankedValues<'_>> {
        let absolute = self.values.criterion == RegressionCriterion::AbsoluteError;
        absolute.then(|| RankedValues { values: &self.values.fixed, packed: &self.packed, outputs: self.outputs() })
    }

    fn summary_source(&self) -> SummarySource {
        let is_mean = self.values.criterion == RegressionCriterion::SquaredError;
        // Weights that were rounded would show in means.
        if is_mean && self.values.weighs_exactly { SummarySource::Squares } else { SummarySource::Rows }
    }

    fn summary(&self, rows: &[u32], cell: &[u64], values: &mut Vec<f64>) -> NodeSummary {
        match self.summary_source() {
            SummarySource::Rows => self.summary_of_rows(rows, cell, values),
            _ => {
                let first = rows.first().copied().unwrap_or(0);
                let squares = |output: usize| sum_of_squares(self.value_rows(), rows, output);
                self.summary_of_sums(first, squares, cell, values)
            }
        }
    }

    fn summary_of_squares(&self, squares: &NodeSquares, cell: &[u64], values: &mut Vec<f64>) -> NodeSummary {
        self.summary_of_sums(squares.first, |output| squares.squares[output], cell, values)
    }
}

impl ValueTarget<'_> {
    /// Mean and variance from integers: W weight, S sum, Q sum of squares. The variance is (W·Q − S²) / W², whose numerator has
    /// at most 124 bits and no rounding; it is 0 where all are equal, and nowhere else (Cauchy and Schwarz).
    fn summary_of_sums(
        &self,
        first: u32,
        squares: impl Fn(usize) -> u128,
        cell: &[u64],
        values: &mut Vec<f64>,
    ) -> NodeSummary {
        let (weight, unit) = (self.packed.weight(cell[0]), self.values.unit);
        let whole = u128::from(cell[0] >> self.packed.count_bits);
        let (mut impurity, mut pure) = (0.0, true);
        for (output, sum) in cell[1..].iter().map(|sum| *sum as i64).enumerate() {
            let size = u128::from(sum.unsigned_abs());
            let spread = (whole * squares(output)).saturating_sub(size * size);
            impurity += spread as f64 / (weight * weight) * (unit * unit);
            // Numbers that are equal in fixed point predict the first of them as it was given: equal ones themselves.
            values.push(match spread {
                0 => f64::from(self.given(first, output)),
                _ => self.values.means[output] + sum as f64 / weight * unit,
            });
            pure &= spread == 0;
        }
        let impurity = impurity / self.outputs() as f64;
        NodeSummary { weight: weight * self.packed.unit, count: self.count(cell), impurity, pure }
    }

    /// Mean and variance, or median and absolute deviation, in f64 from targets and weights as they were given, the rows in
    /// their order.
    fn summary_of_rows(&self, rows: &[u32], cell: &[u64], values: &mut Vec<f64>) -> NodeSummary {
        let weight: f64 = rows.iter().map(|row| self.weight(*row as usize)).sum();
        let (mut impurity, mut pure) = (0.0, true);
        for output in 0..self.outputs() {
            let of = |row: &u32| f64::from(self.given(*row, output));
            let center = match self.values.criterion {
                RegressionCriterion::SquaredError => {
                    rows.iter().map(|row| self.weight(*row as usize) * of(row)).sum::<f64>() / weight
                }
                RegressionCriterion::AbsoluteError => self.median(rows, output),
            };
            let loss = |row: &u32| match self.values.criterion {
                RegressionCriterion::SquaredError => {
                    self.weight(*row as usize) * (of(row) - center) * (of(row) - center)
                }
                RegressionCriterion::AbsoluteError => self.weight(*row as usize) * (of(row) - center).abs(),
            };
            impurity += rows.iter().map(loss).sum::<f64>() / weight;
            let equal = rows.windows(2).all(|pair| of(&pair[0]) == of(&pair[1]));
            // The mean of equal numbers is that number, whatever their sum was rounded to.
            values.push(if equal { rows.first().map_or(0.0, of) } else { center });
            pure &= equal;
        }
        let impurity = if pure { 0.0 } else { impurity / self.outputs() as f64 };
        NodeSummary { weight, count: self.count(cell), impurity, pure }
    }
}

/// The weighted median of numbers: the mean of the two in the middle where exactly half of the weight is on each side.
pub fn weighted_median(numbers: &mut [(f32, u64)]) -> f64 {
    numbers.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
    let total: u64 = numbers.iter().map(|(_, weight)| weight).sum();
    let mut below = 0;
    for (at, (number, weight)) in numbers.iter().enumerate() {
        below += weight;
        if 2 * below == total
            && let Some((next, _)) = numbers.get(at + 1)
        {
            return (f64::from(*number) + f64::from(*next)) / 2.0;
        }
        if 2 * below >= total {
            return f64::from(*number);
        }
    }
    0.0
}
