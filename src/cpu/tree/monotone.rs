//! Monotone splits: bounds on the values of a node, handed down from the splits above it (LightGBM's basic method).

use super::best_split::GradientRules;
use super::fixed_point::GradientSums;

/// Bounds that leave every value as it is.
pub const UNBOUNDED: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];

/// What a split of a node by one feature must keep to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MonotoneLimit {
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

impl MonotoneLimit {
    /// The value of a leaf with these sums.
    #[inline(always)]
    fn value(&self, rules: &GradientRules, sums: GradientSums) -> f64 {
        held(rules.value(sums), self.bounds)
    }

    /// Twice what a leaf with these sums takes off the loss, at the value it may have.
    #[inline(always)]
    pub fn score(&self, rules: &GradientRules, sums: GradientSums) -> f64 {
        let value = self.value(rules, sums);
        let gradient = sums.gradient as f64 * rules.units[0];
        let hessian = sums.hessian as f64 * rules.units[1] + rules.l2;
        -(2.0 * (gradient * value + rules.l1 * value.abs()) + hessian * value * value)
    }

    /// Whether the values of two children go the feature's way.
    #[inline(always)]
    pub fn allows(&self, rules: &GradientRules, left: GradientSums, right: GradientSums) -> bool {
        match self.direction {
            0 => true,
            direction => (self.value(rules, right) - self.value(rules, left)) * f64::from(direction) >= 0.0,
        }
    }

    /// The bounds of the two children of a split.
    pub fn children(&self, rules: &GradientRules, left: GradientSums, right: GradientSums) -> [[f64; 2]; 2] {
        children_bounds(self.bounds, self.direction, [rules.value(left), rules.value(right)])
    }
}
