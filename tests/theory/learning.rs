//! No free lunch, version spaces, Bayes error, approximation and estimation error.

use gristmill::cpu::random::philox::Philox;
use gristmill::theory::{
    Conjunction, HypothesisCount, JointTable, RiskSplit, VersionSpace, bayes_error, normal_cdf, off_training_accuracy,
    realisable, two_gaussians_error, worst_concept,
};

type Learner = fn(&[(usize, bool)], usize) -> bool;

/// A constant, the nearest seen point, and one that looks at all labels.
const LEARNERS: [Learner; 3] = [
    |_, _| true,
    |rows, at| rows.iter().min_by_key(|row| row.0.abs_diff(at)).is_some_and(|row| row.1),
    |rows, at| (rows.iter().filter(|row| row.1).count() * 7 + at) % 3 == 0,
];

#[test]
fn every_learner_is_right_on_exactly_half_of_what_it_has_not_seen() {
    for learner in LEARNERS {
        for points in 1..=12 {
            for training in [0, points / 3, points - 1] {
                let training: Vec<usize> = (0..training).map(|at| at * 5 % points).collect();
                if (0..points).all(|at| training.contains(&at)) {
                    continue;
                }
                let found = off_training_accuracy(points, &training, learner).unwrap();
                assert_eq!(2 * found.right, found.predictions, "{points} points");
                assert_eq!(found.accuracy(), 0.5);
            }
        }
    }
    assert!(off_training_accuracy(3, &[0, 1, 2], LEARNERS[0]).is_err());
    assert!(off_training_accuracy(3, &[3], LEARNERS[0]).is_err());
    assert!(off_training_accuracy(0, &[], LEARNERS[0]).is_err());
    assert!(off_training_accuracy(21, &[], LEARNERS[0]).is_err());
}

#[test]
fn every_learner_has_a_concept_that_it_fails_on() {
    for learner in LEARNERS {
        for rows in 1..=3 {
            let worst = worst_concept(rows, learner).unwrap();
            assert!(worst.mean_error >= 0.25, "{worst:?}");
            assert!(worst.probability >= 1.0 / 7.0, "{worst:?}");
        }
    }
    assert!(worst_concept(0, LEARNERS[0]).is_err() && worst_concept(5, LEARNERS[0]).is_err());
}

#[test]
fn a_version_space_holds_what_agrees_with_every_row() {
    let rows = [vec![true, true, false, true], vec![true, true, true, true], vec![false, true, true, true]];
    let space = VersionSpace::of(&rows, &[true, true, false]).unwrap();
    assert_eq!(space.most_specific.unwrap().to_string(), "x1 ∧ x2 ∧ x4");
    assert_eq!(space.count, 4); // x1 is needed, x2 and x4 are free
    // By enumeration of all 3⁴.
    let all = (0..81).map(|code: usize| {
        let literal = |at: u32| [None, Some(true), Some(false)][code / 3_usize.pow(at) % 3];
        Conjunction { literals: (0..4).map(literal).collect() }
    });
    let labels = [true, true, false];
    let agrees = |hypothesis: &Conjunction| rows.iter().zip(labels).all(|(row, label)| hypothesis.holds(row) == label);
    assert_eq!(all.filter(agrees).count() as u64, 4);
    // Only negative rows: no most specific one; contradictions leave nothing.
    let none = VersionSpace::of(&[vec![true, false]], &[false]).unwrap();
    assert_eq!((none.most_specific, none.count), (None, 9 - 4));
    assert_eq!(VersionSpace::of(&[vec![true], vec![true]], &[true, false]).unwrap().count, 0);
    assert!(VersionSpace::of(&[], &[]).is_err());
    assert!(VersionSpace::of(&[vec![true; 40]], &[false]).is_err());
    assert_eq!(Conjunction { literals: vec![None] }.to_string(), "true");
}

#[test]
fn the_most_specific_conjunction_keeps_the_pac_bound() {
    let (attributes, epsilon, delta) = (6, 0.2, 0.2);
    let rows = realisable::sample_size(HypothesisCount::conjunctions(attributes), epsilon, delta).unwrap().whole();
    let target = Conjunction { literals: vec![Some(true), None, Some(false), None, None, None] };
    let numbers = Philox::new(11, 5);
    let bit = |at: u64| numbers.number(at) & 1 == 1;
    let mut failures = 0;
    for draw in 0..200_u64 {
        let row = |at: u64| (0..6).map(|column| bit((draw * 1000 + at) * 6 + column)).collect::<Vec<bool>>();
        let sample: Vec<Vec<bool>> = (0..rows).map(row).collect();
        let labels: Vec<bool> = sample.iter().map(|row| target.holds(row)).collect();
        let Some(found) = VersionSpace::of(&sample, &labels).unwrap().most_specific else {
            failures += 1;
            continue;
        };
        let cell = |code: u32| (0..6).map(|at| code >> at & 1 == 1).collect::<Vec<bool>>();
        let wrong = (0..64).filter(|code| found.holds(&cell(*code)) != target.holds(&cell(*code))).count();
        failures += usize::from(wrong as f64 / 64.0 > epsilon);
    }
    assert!(failures as f64 <= delta * 200.0, "{failures} of 200 draws");
}

#[test]
fn the_bayes_error_of_two_dice_is_five_sixths() {
    let dice = JointTable::two_dice();
    assert!((dice.bayes_error() - 5.0 / 6.0).abs() < 1e-15);
    assert!((dice.error(&dice.bayes_classifier()).unwrap() - 5.0 / 6.0).abs() < 1e-15);
    // No classifier errs less.
    let numbers = Philox::new(1, 2);
    for draw in 0..200 {
        let guess: Vec<usize> = (0..6).map(|at| numbers.below(draw * 6 + at, 12) as usize).collect();
        assert!(dice.error(&guess).unwrap() >= dice.bayes_error() - 1e-15);
    }
    assert!(JointTable::new(vec![vec![0.5, 0.4]]).is_err());
    assert!(JointTable::new(vec![vec![1.5, -0.5]]).is_err());
    assert!(JointTable::new(vec![]).is_err());
    assert!(JointTable::new(vec![vec![0.5], vec![]]).is_err());
}

#[test]
fn the_bayes_error_of_densities_agrees_with_the_formula() {
    // scipy.stats.norm.cdf
    for (x, expected) in [
        (0.0, 0.5),
        (-1.0, 0.15865525393145707),
        (-2.5, 0.006209665325776132),
        (-8.0, 6.220960574271786e-16),
        (1.96, 0.9750021048517795),
    ] {
        assert!((normal_cdf(x) / expected - 1.0).abs() < 1e-13, "{x}");
    }
    let normal = |x: &[f64], mean: f64| {
        let square: f64 = x.iter().map(|value| (value - mean).powi(2)).sum();
        (-square / 2.0).exp() / std::f64::consts::TAU.powf(x.len() as f64 / 2.0)
    };
    for prior in [0.5, 0.8] {
        let (first, second) = (|x: &[f64]| prior * normal(x, 0.0), |x: &[f64]| (1.0 - prior) * normal(x, 1.0));
        let line = bayes_error(&[&first, &second], &[(-9.0, 10.0)], 4000).unwrap();
        assert!((line - two_gaussians_error(1.0, prior).unwrap()).abs() < 1e-6);
        let plane = bayes_error(&[&first, &second], &[(-7.0, 8.0), (-7.0, 8.0)], 300).unwrap();
        assert!((plane - two_gaussians_error(2_f64.sqrt(), prior).unwrap()).abs() < 1e-4);
    }
    assert_eq!(two_gaussians_error(0.0, 0.3).unwrap(), 0.3);
    assert!(bayes_error(&[], &[(0.0, 1.0)], 0).is_err());
    assert!(bayes_error(&[], &[(1.0, 0.0)], 10).is_err());
}

#[test]
fn the_error_is_approximation_and_estimation() {
    // Ten points, class 1 from the fifth on with probability 0.9; hypotheses are thresholds, then all intervals.
    let line = |at: usize| if at < 5 { vec![0.09, 0.01] } else { vec![0.01, 0.09] };
    let table = JointTable::new((0..10).map(line).collect()).unwrap();
    let threshold = |from: usize| (0..10).map(|at| usize::from(at >= from)).collect::<Vec<_>>();
    let thresholds: Vec<Vec<usize>> = (0..=10).map(threshold).collect();
    let sample: Vec<(usize, usize)> =
        (0..10).map(|at| (at, usize::from(at >= 5))).chain([(4, 1), (4, 1), (3, 1), (3, 1)]).collect();
    let split = RiskSplit::of(&table, &thresholds, &sample).unwrap();
    assert_eq!(split.chosen, 3); // the sample is unlucky at 3 and 4
    assert!((split.bayes - 0.1).abs() < 1e-12 && (split.approximation - 0.1).abs() < 1e-12);
    assert!((split.estimation - 2.0 * 0.08).abs() < 1e-12);
    assert!((split.error() - table.error(&thresholds[3]).unwrap()).abs() < 1e-12);
    // A smaller class: more approximation error, less estimation error.
    let constants = [vec![0; 10], vec![1; 10]];
    let split = RiskSplit::of(&table, &constants, &sample).unwrap();
    assert!((split.approximation - 0.5).abs() < 1e-12 && split.estimation.abs() < 1e-12);
    assert!(RiskSplit::of(&table, &[], &sample).is_err());
    assert!(RiskSplit::of(&table, &constants, &[(10, 0)]).is_err());
}
