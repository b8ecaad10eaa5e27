//! Monotone splits: bounds on the values of a node, handed down from the splits above it (LightGBM's basic method).

use super::best_split::Rules;
use super::histogram::Sums;

/// Bounds that leave every value as it is.
pub const UNBOUNDED: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];

/// What a split of a node by one feature must keep to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limit {
    /// The least and the largest value that the node's leaves may have.
    pub bounds: [f64; 2],
    /// 1 where values must not fall with the feature, −1 where they must not rise, 0 where they may do either.
    pub direction: i8,
}

/// A value held within bounds.
#[inline(always)]
pub fn held(value: f64, bounds: [f64; 2]) -> f64 {
    value.max(bounds[0]).min(bounds[1])
}

/// The bounds of the two children of a split, from the node's own and the children's values: the mid of the two values
/// parts them where the feature has a direction.
pub fn children_bounds(bounds: [f64; 2], direction: i8, values: [f64; 2]) -> [[f64; 2]; 2] {
    let [left, right] = values.map(|value| held(value, bounds));
    let middle = f64::midpoint(left, right);
    match direction {
        1 => [[bounds[0], middle], [middle, bounds[1]]],
        -1 => [[middle, bounds[1]], [bounds[0], middle]],
        _ => [bounds; 2],
    }
}

impl Limit {
    /// The value of a leaf with these sums.
    #[inline(always)]
    fn value(&self, rules: &Rules, sums: Sums) -> f64 {
        held(rules.value(sums), self.bounds)
    }

    /// Twice what a leaf with these sums takes off the loss, at the value it may have.
    #[inline(always)]
    pub fn score(&self, rules: &Rules, sums: Sums) -> f64 {
        let value = self.value(rules, sums);
        let gradient = sums.gradient as f64 * rules.units[0];
        let hessian = sums.hessian as f64 * rules.units[1] + rules.l2;
        -(2.0 * (gradient * value + rules.l1 * value.abs()) + hessian * value * value)
    }

    /// Whether the values of two children go the feature's way.
    #[inline(always)]
    pub fn allows(&self, rules: &Rules, left: Sums, right: Sums) -> bool {
        match self.direction {
            0 => true,
            direction => (self.value(rules, right) - self.value(rules, left)) * f64::from(direction) >= 0.0,
        }
    }

    /// The bounds of the two children of a split.
    pub fn children(&self, rules: &Rules, left: Sums, right: Sums) -> [[f64; 2]; 2] {
        children_bounds(self.bounds, self.direction, [rules.value(left), rules.value(right)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: Rules = Rules { units: [0.5, 0.25], l1: 0.5, l2: 1.0, min_hessian: 0.0, min_count: 1, min_gain: 0.0 };

    #[test]
    fn without_bounds_the_score_is_that_of_the_rules() {
        let free = Limit { bounds: UNBOUNDED, direction: 1 };
        for (gradient, hessian) in [(7, 12), (-9, 3), (1, 5), (0, 9), (1000, 1)] {
            let sums = Sums { gradient, hessian, count: 4 };
            let (bounded, plain) = (free.score(&RULES, sums), RULES.score(sums));
            assert!((bounded - plain).abs() <= 1e-12 * plain.max(1.0), "{sums:?}: {bounded} {plain}");
        }
    }

    #[test]
    fn children_are_parted_by_the_mid_of_their_values_and_stay_within_the_bounds() {
        assert_eq!(children_bounds([-1.0, 9.0], 1, [0.0, 4.0]), [[-1.0, 2.0], [2.0, 9.0]]);
        assert_eq!(children_bounds([-1.0, 9.0], -1, [4.0, 0.0]), [[2.0, 9.0], [-1.0, 2.0]]);
        assert_eq!(children_bounds([-1.0, 3.0], 1, [-5.0, 5.0]), [[-1.0, 1.0], [1.0, 3.0]]);
        assert_eq!(children_bounds([0.0, 1.0], 0, [0.2, 0.9]), [[0.0, 1.0]; 2]);
    }

    #[test]
    fn a_split_against_the_direction_is_not_allowed() {
        let (low, high) = (Sums { gradient: 10, hessian: 8, count: 2 }, Sums { gradient: -10, hessian: 8, count: 2 });
        for (direction, allowed) in [(1, true), (0, true), (-1, false)] {
            let limit = Limit { bounds: UNBOUNDED, direction };
            assert_eq!(limit.allows(&RULES, low, high), allowed);
            assert!(direction == 0 || limit.allows(&RULES, high, low) != allowed);
        }
    }
}
