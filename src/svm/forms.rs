//! The problems behind the forms of the support vector machine.
//!
//! Each is written for β, the coefficients that kernel values are summed with: β = y·α for classes, α − α* for numbers.

use crate::solvers::smo::{Piece, Problem, Variables};

/// Errors on the margin: how they count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Slack {
    /// c·Σ slack: 0 ≤ α ≤ c.
    #[default]
    L1,
    /// c·Σ slack²: 1/(2c) on the diagonal of the kernel matrix, 0 ≤ α.
    L2,
    /// None is allowed: the hard margin, for classes that the kernel separates.
    Hard,
}

/// Two classes, by the first row in the kernel matrix and the number of rows of each part: the first part has y = +1, the
/// others −1. `costs` are those of each row.
pub(super) fn two_classes(parts: &[(usize, usize)], costs: &[f64], slack: Slack) -> Problem {
    let pieces = pieces(parts, |_| 0);
    let signs = signs([parts[0].1, costs.len() - parts[0].1]);
    let bound = |cost: &f64| match slack {
        Slack::L1 => *cost,
        // A row that does not count stays out.
        _ if *cost == 0.0 => 0.0,
        _ => f64::INFINITY,
    };
    let ridge = match slack {
        Slack::L2 => costs.iter().map(|cost| if *cost > 0.0 { 0.5 / cost } else { 0.0 }).collect(),
        _ => vec![],
    };
    let linear = signs.iter().map(|sign| -sign).collect();
    let bounds: Vec<f64> = costs.iter().map(bound).collect();
    let beta = vec![0.0; costs.len()];
    Problem { pieces, linear, variables: within(&signs, &bounds, beta, ridge) }
}

/// Two classes with ν: 0 ≤ α ≤ weight, the sum over each class ν·Σ weights/2. None if a class has too few rows for ν.
pub(super) fn two_classes_nu(parts: &[(usize, usize)], weights: &[f64], nu: f64) -> Option<Problem> {
    let counts = [parts[0].1, weights.len() - parts[0].1];
    let signs = signs(counts);
    let wanted = 0.5 * nu * weights.iter().sum::<f64>();
    let (first, second) = weights.split_at(counts[0]);
    let mut beta = filled(first, wanted)?;
    beta.extend(filled(second, wanted)?);
    beta.iter_mut().zip(&signs).for_each(|(beta, sign)| *beta *= sign);
    let linear = vec![0.0; beta.len()];
    let pieces = pieces(parts, |part| usize::from(part > 0));
    Some(Problem { pieces, linear, variables: within(&signs, weights, beta, vec![]) })
}

/// Numbers with a tube: ε + |y − f| beyond ε costs; the coefficients α come first, those of −α* after them.
pub(super) fn numbers(targets: &[f64], costs: &[f64], epsilon: f64) -> Problem {
    let n = targets.len();
    let signs = signs([n, n]);
    let linear = signs.iter().zip(targets.iter().chain(targets)).map(|(sign, target)| sign * epsilon - target);
    let bounds: Vec<f64> = costs.iter().chain(costs).copied().collect();
    let pieces = pieces(&[(0, n), (0, n)], |_| 0);
    Problem { pieces, linear: linear.collect(), variables: within(&signs, &bounds, vec![0.0; 2 * n], vec![]) }
}

/// Numbers with ν: the sums of α and of α* are ν·Σ costs/2, and the width of the tube is found.
pub(super) fn numbers_nu(targets: &[f64], costs: &[f64], nu: f64) -> Option<Problem> {
    let n = targets.len();
    let signs = signs([n, n]);
    let half = filled(costs, 0.5 * nu * costs.iter().sum::<f64>())?;
    let beta = half.iter().copied().chain(half.iter().map(|beta| -beta)).collect();
    let linear = targets.iter().chain(targets).map(|target| -target).collect();
    let bounds: Vec<f64> = costs.iter().chain(costs).copied().collect();
    let pieces = pieces(&[(0, n), (0, n)], |part| part);
    Some(Problem { pieces, linear, variables: within(&signs, &bounds, beta, vec![]) })
}

/// One class: 0 ≤ α ≤ weight, the sum given. None if it is more than the weights allow.
pub(super) fn one_class(weights: &[f64], sum: f64) -> Option<Problem> {
    let n = weights.len();
    let pieces = vec![Piece { first: 0, count: n, row: 0, group: 0 }];
    let beta = filled(weights, sum)?;
    Some(Problem { pieces, linear: vec![0.0; n], variables: within(&vec![1.0; n], weights, beta, vec![]) })
}

/// The variables of each part after those of the part before it.
fn pieces(parts: &[(usize, usize)], group: impl Fn(usize) -> usize) -> Vec<Piece> {
    let mut first = 0;
    let piece = |(part, (row, count)): (usize, &(usize, usize))| {
        let piece = Piece { first, count: *count, row: *row, group: group(part) };
        first += count;
        piece
    };
    parts.iter().enumerate().map(piece).collect()
}

fn signs(counts: [usize; 2]) -> Vec<f64> {
    let signs = [vec![1.0; counts[0]], vec![-1.0; counts[1]]];
    signs.concat()
}

/// 0 ≤ α ≤ bound for β = sign·α.
fn within(signs: &[f64], bounds: &[f64], beta: Vec<f64>, ridge: Vec<f64>) -> Variables {
    let low = signs.iter().zip(bounds).map(|(sign, bound)| if *sign > 0.0 { 0.0 } else { -bound }).collect();
    let high = signs.iter().zip(bounds).map(|(sign, bound)| if *sign > 0.0 { *bound } else { 0.0 }).collect();
    Variables { beta, slope: vec![], low, high, ridge }
}

/// The first variables at their bounds, so many that the sum is right; none if all together are too few.
fn filled(bounds: &[f64], sum: f64) -> Option<Vec<f64>> {
    let mut left = sum;
    let fill = |bound: &f64| {
        let value = bound.min(left).max(0.0);
        left -= value;
        value
    };
    let values = bounds.iter().map(fill).collect();
    // Sums of shares are right to rounding.
    (left <= 1e-9 * sum.max(1.0)).then_some(values)
}
