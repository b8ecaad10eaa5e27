//! What tells categories apart that have the same mean: how their targets differ between the sides of another feature.

use rayon::prelude::*;

use super::category_groups::CategoryTargets;
use crate::array::Matrix;

/// Contrasts that are kept at most.
const KEPT: usize = 3;
/// Outputs of the targets at most.
const MAX_OUTPUTS: usize = 8;
/// Values that decide where the sides of a feature are.
const SAMPLE: usize = 4096;

/// The two sides of a feature's values.
enum Sides {
    /// Values above the median, and others.
    Halves(f32),
    /// Values outside of the middle half, and those within.
    Middle([f32; 2]),
    /// The most frequent category, and others.
    Category(f32),
}

impl Sides {
    /// 1 or −1; 0 where the value is missing.
    fn of(&self, value: f32) -> f64 {
        let is_first = match self {
            _ if value.is_nan() => return 0.0,
            Sides::Halves(median) => value > *median,
            Sides::Middle([low, high]) => value < *low || value > *high,
            Sides::Category(code) => value == *code,
        };
        if is_first { 1.0 } else { -1.0 }
    }
}

/// A contrast: the sides of a feature, an output, and the variance of the categories' own effects.
struct Contrast {
    feature: usize,
    sides: Sides,
    output: usize,
    signal: f64,
}

/// Columns of numbers beside the targets, by which categories can be told apart: for each row what is left of its target
/// above its category's mean, with the sign of the side on which another feature is. Only contrasts in which categories
/// differ by more than noise are there, those of most effect first, three at most. `members` gives rows with their
/// categories. Costs two passes over the members for each feature.
pub fn contrasts(
    x: &Matrix,
    column: usize,
    targets: &CategoryTargets<'_>,
    members: &[(usize, usize)],
    categories: usize,
) -> Vec<Vec<f32>> {
    let outputs = targets.outputs();
    if outputs > MAX_OUTPUTS || members.len() <= categories {
        return vec![];
    }
    let rest = residuals(targets, members, categories);
    let of_feature = |feature: usize| -> Vec<Contrast> {
        let found = sides_of(x, feature, members).into_iter().flat_map(|sides| {
            let found: Vec<(usize, f64)> = (0..outputs)
                .filter_map(|output| {
                    let value = |at: usize| rest[at * outputs + output] * sides.of(x.get(members[at].0, feature));
                    signal(members, categories, value).map(|signal| (output, signal))
                })
                .collect();
            let best = found.into_iter().max_by(|one, other| one.1.total_cmp(&other.1));
            best.map(|(output, signal)| Contrast { feature, sides, output, signal })
        });
        found.collect()
    };
    let others: Vec<usize> = (0..x.columns()).filter(|feature| *feature != column).collect();
    let mut found: Vec<Contrast> = others.into_par_iter().flat_map_iter(of_feature).collect();
    found.sort_by(|one, other| other.signal.total_cmp(&one.signal).then(one.feature.cmp(&other.feature)));
    found.truncate(KEPT);
    let values = |contrast: &Contrast| {
        let mut values = vec![0.0; x.rows()];
        for (at, (row, _)) in members.iter().enumerate() {
            let side = contrast.sides.of(x.get(*row, contrast.feature));
            values[*row] = (rest[at * outputs + contrast.output] * side) as f32;
        }
        values
    };
    found.par_iter().map(values).collect()
}

/// What each member's targets are above the mean of its category.
fn residuals(targets: &CategoryTargets<'_>, members: &[(usize, usize)], categories: usize) -> Vec<f64> {
    let outputs = targets.outputs();
    let (mut rows, mut means) = (vec![0.0; categories], vec![0.0; categories * outputs]);
    for (row, category) in members {
        rows[*category] += 1.0;
        (0..outputs).for_each(|output| means[category * outputs + output] += targets.get(*row, output));
    }
    let mean = |category: usize, output: usize| means[category * outputs + output] / rows[category];
    let of_member = |(row, category): &(usize, usize)| {
        (0..outputs).map(|output| targets.get(*row, output) - mean(*category, output)).collect::<Vec<f64>>()
    };
    members.iter().flat_map(of_member).collect()
}

/// Where a feature's values are parted.
fn sides_of(x: &Matrix, feature: usize, members: &[(usize, usize)]) -> Vec<Sides> {
    let step = members.len().div_ceil(SAMPLE);
    let mut values: Vec<f32> = members.iter().step_by(step).map(|(row, _)| x.get(*row, feature)).collect();
    values.retain(|value| !value.is_nan());
    values.sort_by(f32::total_cmp);
    let Some(last) = values.len().checked_sub(1).filter(|last| values[0] < values[*last]) else { return vec![] };
    if x.is_categorical(feature) {
        let runs = values.chunk_by(|one, other| one == other);
        let most = runs.max_by_key(|run| run.len()).map_or(0.0, |run| run[0]);
        return vec![Sides::Category(most)];
    }
    let at = |share: usize| values[last * share / 4];
    // A median that is the largest value has nothing above it.
    let median = if at(2) < values[last] { at(2) } else { values[last.saturating_sub(1).min(last / 2)] };
    let halves = Sides::Halves(if median < values[last] { median } else { values[0] });
    vec![halves, Sides::Middle([at(1), at(3)])]
}

/// The variance of the categories' true means of a value, where they differ by more than noise.
fn signal(members: &[(usize, usize)], categories: usize, value: impl Fn(usize) -> f64) -> Option<f64> {
    let (mut rows, mut sums, mut squares) = (vec![0.0; categories], vec![0.0; categories], 0.0);
    for (at, (_, category)) in members.iter().enumerate() {
        let value = value(at);
        rows[*category] += 1.0;
        sums[*category] += value;
        squares += value * value;
    }
    let total: f64 = sums.iter().sum::<f64>();
    let count = members.len() as f64;
    let whole = total * total / count;
    let between =
        sums.iter().zip(&rows).filter(|(_, rows)| **rows > 0.0).map(|(sum, rows)| sum * sum / rows).sum::<f64>();
    let (between, squares) = (between - whole, squares - whole);
    let (degrees, within) = (categories as f64 - 1.0, count - categories as f64);
    let variance = (squares - between).max(0.0) / within;
    let off = (2.0 / degrees + 2.0 / within).sqrt();
    let signal = between - degrees * variance;
    (signal > 3.0 * off * degrees * variance).then_some(signal)
}
