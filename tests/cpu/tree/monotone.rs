//! Bounds on the values of nodes.

use gristmill::cpu::tree::GradientSums;
use gristmill::cpu::tree::best_split::GradientRules;
use gristmill::cpu::tree::monotone::{MonotoneLimit, UNBOUNDED, children_bounds};

const RULES: GradientRules =
    GradientRules { units: [0.5, 0.25], l1: 0.5, l2: 1.0, min_hessian: 0.0, min_count: 1, min_gain: 0.0 };

#[test]
fn without_bounds_the_score_is_that_of_the_rules() {
    let free = MonotoneLimit { bounds: UNBOUNDED, direction: 1 };
    for (gradient, hessian) in [(7, 12), (-9, 3), (1, 5), (0, 9), (1000, 1)] {
        let sums = GradientSums { gradient, hessian, count: 4 };
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
    let (low, high) =
        (GradientSums { gradient: 10, hessian: 8, count: 2 }, GradientSums { gradient: -10, hessian: 8, count: 2 });
    for (direction, allowed) in [(1, true), (0, true), (-1, false)] {
        let limit = MonotoneLimit { bounds: UNBOUNDED, direction };
        assert_eq!(limit.allows(&RULES, low, high), allowed);
        assert!(direction == 0 || limit.allows(&RULES, high, low) != allowed);
    }
}
