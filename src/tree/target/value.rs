//! Numbers in fixed point.

use super::weights::power_of_two_within;
use super::{Bounds, FixedWeights, Summary, Target, Totals, best_cut};
use crate::array::Matrix;
use crate::cpu::tree::TargetRows;
use crate::cpu::tree::value_histogram::ValueRows;
use crate::error::Result;
use crate::tree::criterion::RegressionCriterion;
use crate::tree::ranked_sums::weighted_median;

/// Bits of a fixed-point weight that is no whole number; the rest of a sum's 62 bits is for the targets.
const WEIGHT_BITS: u32 = 16;
/// Bits of a sum without its sign.
const SUM_BITS: u32 = 62;

/// Targets n×p with weights, as integers and as they are.
#[derive(Debug, Clone)]
pub(crate) struct Values {
    /// The targets less their mean in units of `unit`, n×p; 0 in rows that do not count.
    fixed: Vec<i64>,
    /// What 1 in fixed point stands for: a power of two.
    unit: f64,
    targets: Matrix,
    weights: Option<Vec<f64>>,
    packed: FixedWeights,
    criterion: RegressionCriterion,
}

/// Fixed-point targets with whole weights, by row and output.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RankedValues<'a> {
    values: &'a [i64],
    packed: &'a FixedWeights,
    pub(crate) outputs: usize,
}

impl RankedValues<'_> {
    /// A row's target and weight.
    pub(crate) fn of(&self, row: usize, output: usize) -> (i64, u64) {
        (self.values[row * self.outputs + output], self.packed.words[row] >> self.packed.count_bits)
    }
}

impl Values {
    /// The targets' mean is taken off first; what is left has as many bits as sums of all rows leave.
    pub(crate) fn new(op: &'static str, targets: Matrix, weights: Option<&[f32]>) -> Result<Values> {
        let weights: Option<Vec<f64>> =
            weights.map(|weights| weights.iter().map(|weight| f64::from(*weight)).collect());
        let (rows, outputs) = (targets.rows(), targets.columns());
        let packed = FixedWeights::new(op, rows, weights.as_deref(), WEIGHT_BITS)?;
        let means: Vec<f64> = (0..outputs).map(|output| mean(&targets, output, weights.as_deref())).collect();
        // Rows that do not count are nothing, so that they do not make the others coarser.
        let residual = |at: usize| match packed.words[at / outputs] {
            0 => 0.0,
            _ => f64::from(targets.as_slice()[at]) - means[at % outputs],
        };
        let farthest = (0..rows * outputs).map(|at| residual(at).abs()).fold(0.0, f64::max);
        let heaviest = u64::BITS - packed.largest.leading_zeros();
        let most = 2_f64.powi((SUM_BITS - packed.count_bits - heaviest) as i32);
        let scale = if farthest > 0.0 { power_of_two_within(most, farthest) } else { 1.0 };
        let fixed = (0..rows * outputs).map(|at| (residual(at) * scale).round() as i64).collect();
        let criterion = RegressionCriterion::SquaredError;
        Ok(Values { fixed, unit: 1.0 / scale, targets, weights, packed, criterion })
    }

    /// The same targets judged by this criterion; squared error if nothing is said.
    pub(crate) fn with_criterion(self, criterion: RegressionCriterion) -> Values {
        Values { criterion, ..self }
    }

    /// What a tree learns that counts each row as often as `times` says, or once.
    pub(crate) fn target(&self, times: Option<&[u32]>) -> ValueTarget<'_> {
        match times {
            None => ValueTarget { values: self, packed: self.packed.clone(), times: None },
            Some(times) => {
                ValueTarget { values: self, packed: self.packed.repeated(times), times: Some(times.to_vec()) }
            }
        }
    }
}

/// The weighted mean of one output.
fn mean(targets: &Matrix, output: usize, weights: Option<&[f64]>) -> f64 {
    let of = |row: usize| f64::from(targets.get(row, output));
    match weights {
        None => (0..targets.rows()).map(of).sum::<f64>() / targets.rows() as f64,
        Some(weights) => {
            let sum: f64 = weights.iter().enumerate().map(|(row, weight)| weight * of(row)).sum();
            sum / weights.iter().sum::<f64>()
        }
    }
}

/// Numbers of rows for one tree: a cell has a word for weight and count, and one for the sum of each output.
#[derive(Debug, Clone)]
pub(crate) struct ValueTarget<'a> {
    values: &'a Values,
    packed: FixedWeights,
    times: Option<Vec<u32>>,
}

impl ValueTarget<'_> {
    /// The targets as the functions in `cpu` take them.
    #[inline(always)]
    fn value_rows(&self) -> ValueRows<'_> {
        let (outputs, count_bits) = (self.values.targets.columns(), self.packed.count_bits);
        ValueRows { values: &self.values.fixed, words: &self.packed.words, count_bits, outputs }
    }

    /// One output, without a branch but for a new best.
    fn best_cut_of_one(&self, bounds: &Bounds<'_>, cells: &[u64]) -> Option<(usize, f64)> {
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

    /// The weighted median of one output.
    fn median(&self, rows: &[u32], output: usize) -> f64 {
        let of = |row: &u32| {
            let row = *row as usize;
            (self.values.targets.get(row, output), self.packed.words[row] >> self.packed.count_bits)
        };
        weighted_median(&mut rows.iter().map(of).collect::<Vec<(f32, u64)>>())
    }

    /// The weight of a row as it was given.
    fn weight(&self, row: usize) -> f64 {
        let weight = self.values.weights.as_ref().map_or(1.0, |weights| weights[row]);
        self.times.as_ref().map_or(weight, |times| weight * f64::from(times[row]))
    }
}

impl Target for ValueTarget<'_> {
    fn words(&self) -> usize {
        1 + self.outputs()
    }

    fn outputs(&self) -> usize {
        self.values.targets.columns()
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

    fn totals(&self, cell: &[u64], totals: &mut Totals) {
        totals.weight = self.packed.weight(cell[0]);
        totals.parts.clear();
        totals.parts.extend(cell[1..].iter().map(|sum| *sum as i64 as f64));
        totals.purity = 0.0;
    }

    /// Σ (Sₗ·W − S·Wₗ)² / (W·Wₗ·Wᵣ) over the outputs: Wₗ·Wᵣ/W times the squared difference of the sides' means.
    #[inline(always)]
    fn gain(&self, totals: &Totals, left: &[u64]) -> f64 {
        let left_weight = self.packed.weight(left[0]);
        let right_weight = totals.weight - left_weight;
        let mut sum = 0.0;
        for (part, total) in left[1..].iter().zip(&totals.parts) {
            let difference = *part as i64 as f64 * totals.weight - total * left_weight;
            sum += difference * difference;
        }
        sum / (totals.weight * (left_weight * right_weight))
    }

    fn best_cut(&self, bounds: &Bounds<'_>, cells: &[u64]) -> Option<(usize, f64)> {
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

    /// Mean and variance, or median and absolute deviation, in f64 from the targets as they were given, the rows in
    /// their order.
    fn summary(&self, rows: &[u32], cell: &[u64], values: &mut Vec<f64>) -> Summary {
        let weight: f64 = rows.iter().map(|row| self.weight(*row as usize)).sum();
        let (mut impurity, mut pure) = (0.0, true);
        for output in 0..self.outputs() {
            let of = |row: &u32| f64::from(self.values.targets.get(*row as usize, output));
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
        Summary { weight, count: self.count(cell), impurity, pure }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_are_the_weighted_decrease_of_the_variance() {
        let numbers = [1.0, 4.0, -2.5, 1e3, 7.25, 0.1];
        let weights = [1.0, 2.5, 1.0, 0.25, 3.0, 1.0];
        let matrix = Matrix::from_vec(6, 1, numbers.to_vec()).unwrap();
        let values = Values::new("test", matrix, Some(&weights)).unwrap();
        let target = values.target(None);
        let (mut all, mut side, mut totals) = (vec![0; 2], vec![0; 2], Totals::default());
        (0..6).for_each(|row| target.add(row, &mut all));
        [0, 2, 5].iter().for_each(|row| target.add(*row, &mut side));
        target.totals(&all, &mut totals);
        let got = target.gain(&totals, &side) * target.gain_unit();
        let spread = |rows: &[u32]| {
            let Summary { weight, impurity, .. } = target.summary(rows, &all, &mut vec![]);
            weight * impurity
        };
        let want = spread(&[0, 1, 2, 3, 4, 5]) - spread(&[0, 2, 5]) - spread(&[1, 3, 4]);
        // Weights have 16 bits here.
        assert!((got - want).abs() < 1e-4 * want, "{got} {want}");
    }

    #[test]
    fn sums_of_the_heaviest_rows_do_not_overflow() {
        let matrix = Matrix::from_vec(2, 1, vec![-3e38, 3e38]).unwrap();
        let values = Values::new("test", matrix, Some(&[1e-3, 0.7])).unwrap();
        let target = values.target(Some(&[0, 2]));
        let mut cell = vec![0; 2];
        (0..2).for_each(|row| target.add(row, &mut cell));
        assert_eq!(target.count(&cell), 1);
        assert!(cell[1] as i64 > 0, "{}", cell[1] as i64);
    }
}
