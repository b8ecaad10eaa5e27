//! Each function of a bound undoes the others; what is outside its conditions is refused or is the documented limit.

use gristmill::Error;
use gristmill::Result;
use gristmill::theory::{
    HypothesisCount, agnostic, binomial, boosting, dimension, hoeffding, margin, neighbors, pac, realisable, tree,
    vapnik, voting,
};

const CLASSES: [u64; 4] = [1, 2, 1000, u64::MAX];

#[track_caller]
fn same(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1e-300), "{found} instead of {expected}");
}

/// The gap after so many rows needs these rows, and fails with that δ.
fn undo_each_other(
    gap: impl Fn(u64, f64) -> Result<f64>,
    sample_size: impl Fn(f64, f64) -> Result<gristmill::theory::SampleSize>,
    delta: impl Fn(u64, f64) -> Result<f64>,
) {
    for rows in [5_000, 60_000, 1_000_000_u64] {
        for wanted in [0.5, 0.05, 1e-6] {
            let Ok(found) = gap(rows, wanted) else { continue };
            if found < 1.0 {
                same(sample_size(found, wanted).unwrap().exact, rows as f64);
                let back = delta(rows, found).unwrap();
                assert!((back / wanted - 1.0).abs() < 1e-6, "{back} instead of {wanted}");
            }
        }
    }
}

#[test]
fn gap_sample_size_and_delta_are_inverses() {
    for count in CLASSES.map(|count| HypothesisCount::of(count).unwrap()) {
        undo_each_other(
            |n, delta| realisable::gap(count, n, delta),
            |epsilon, delta| realisable::sample_size(count, epsilon, delta),
            |n, epsilon| realisable::delta(count, n, epsilon),
        );
        undo_each_other(
            |n, delta| agnostic::gap(count, n, delta),
            |epsilon, delta| agnostic::sample_size(count, epsilon, delta),
            |n, epsilon| agnostic::delta(count, n, epsilon),
        );
    }
    undo_each_other(hoeffding::gap, hoeffding::sample_size, hoeffding::delta);
    for h in [0, 1, 3, 100] {
        undo_each_other(
            |n, delta| vapnik::gap(h, n, delta),
            |epsilon, delta| vapnik::sample_size(h, epsilon, delta),
            |n, epsilon| vapnik::delta(h, n, epsilon),
        );
        undo_each_other(
            |n, delta| pac::gap(h, n, delta),
            |epsilon, delta| pac::sample_size(h, epsilon, delta),
            |n, epsilon| pac::delta(h, n, epsilon),
        );
        undo_each_other(
            |n, delta| tree::gap(h + 1, 2, n, delta),
            |epsilon, delta| tree::sample_size(h + 1, 2, epsilon, delta),
            |n, epsilon| tree::delta(h + 1, 2, n, epsilon),
        );
    }
}

#[test]
fn the_binomial_inverses_agree_with_a_search() {
    for (observed, epsilon, delta) in [(0.0, 0.1, 0.05), (0.05, 0.1, 0.05), (0.1, 0.2, 0.01), (0.3, 0.4, 0.2)] {
        let found = binomial::sample_size(observed, epsilon, delta).unwrap();
        let first = (1..5000).find(|rows| binomial::delta(*rows, observed, epsilon).unwrap() <= delta).unwrap();
        assert_eq!(found, first, "{observed} {epsilon} {delta}");
    }
    for (rows, observed, delta) in [(100, 0.01, 0.05), (1, 0.0, 0.5), (37, 0.25, 1e-3)] {
        let epsilon = observed + binomial::gap(rows, observed, delta).unwrap();
        same(binomial::delta(rows, observed, epsilon).unwrap(), delta);
    }
    // Clopper and Pearson's limit of no error in 30 rows is 1 − 0.05^(1/30).
    same(binomial::gap(30, 0.0, 0.05).unwrap(), 1.0 - 0.05_f64.powf(1.0 / 30.0));
    assert_eq!(binomial::gap(10, 1.0, 0.05).unwrap(), 0.0);
}

#[test]
fn the_other_bounds_are_undone_too() {
    for classes in [2, 3, 10] {
        let error = neighbors::cover_hart(0.2, classes).unwrap();
        same(neighbors::least_bayes_error(error, classes).unwrap(), 0.2);
    }
    assert_eq!(neighbors::neighbors_for(1.0, 0.1).unwrap(), 10);
    let voters = voting::voters_for(0.6, 0.99).unwrap();
    assert!(voting::majority(voters, 0.6).unwrap() >= 0.99 && voting::majority(voters - 2, 0.6).unwrap() < 0.99);
    let members = voting::members_for(1.0, 0.3, 0.32).unwrap();
    assert!(voting::correlated_mean(1.0, 0.3, members).unwrap() <= 0.32 + 1e-12);
    assert!(voting::correlated_mean(1.0, 0.3, members - 1).unwrap() > 0.32);
    let correlation = voting::correlation_for(0.2, 0.6).unwrap();
    same(voting::breiman(correlation, 0.6).unwrap(), 0.2);
    let rounds = boosting::rounds(0.1, 0.01).unwrap().exact;
    same((-2.0 * rounds * 0.01).exp(), 0.01);
    same(boosting::gamma(400, 0.01).unwrap(), (100_f64.ln() / 800.0).sqrt());
    same(dimension::share(dimension::edge(0.3, 7).unwrap(), 7).unwrap(), 0.3);
    same(margin::dimension(3.0, margin::margin(3.0, 17.0).unwrap(), None).unwrap(), 17.0);
}

#[test]
fn limits_are_as_documented() {
    let one = HypothesisCount::ONE;
    // One row, a gap of 0 and of 1.
    assert_eq!(hoeffding::delta(1, 0.0).unwrap(), 1.0);
    same(hoeffding::delta(1, 1.0).unwrap(), (-2.0_f64).exp());
    assert_eq!(realisable::delta(one, 1, 0.0).unwrap(), 1.0);
    assert!(hoeffding::gap(1, 0.05).unwrap() > 1.0); // says nothing, and is returned as it is
    // A class of dimension 0 has one labeling: only ln(4/δ) is left.
    same(vapnik::gap(0, 100, 0.05).unwrap(), (80_f64.ln() / 100.0).sqrt());
    assert_eq!(binomial::delta(1, 0.0, 0.0).unwrap(), 1.0);
    assert_eq!(binomial::delta(1, 0.0, 1.0).unwrap(), 0.0);
    assert_eq!(voting::majority(2, 0.5).unwrap(), 0.25); // a tie is no majority
    assert_eq!(neighbors::cover_hart(0.0, 2).unwrap(), 0.0);
    assert_eq!(dimension::edge(0.0, 3).unwrap(), 0.0);
    assert_eq!(dimension::edge(1.0, 3).unwrap(), 1.0);
    // All Boolean functions of many attributes are more than any number.
    assert!(HypothesisCount::boolean_functions(2000).ln().is_infinite());
    assert!(realisable::gap(HypothesisCount::boolean_functions(10), 10_000, 0.05).unwrap() < 0.08);
}

#[test]
fn what_is_outside_the_conditions_is_refused_by_name() {
    let name = |result: Result<f64>| match result.unwrap_err() {
        Error::Param { name, .. } => name,
        other => panic!("{other}"),
    };
    let ten = HypothesisCount::of(10).unwrap();
    for delta in [0.0, 1.0, -0.1, 1.5, f64::NAN] {
        assert_eq!(name(realisable::gap(ten, 10, delta)), "delta");
        assert_eq!(name(vapnik::gap(3, 10, delta)), "delta");
        assert_eq!(name(pac::gap(3, 10, delta)), "delta");
        assert_eq!(name(tree::gap(3, 1, 10, delta)), "delta");
        assert_eq!(name(binomial::gap(10, 0.1, delta)), "delta");
    }
    for epsilon in [0.0, 1.0, -0.1, f64::NAN] {
        assert_eq!(name(agnostic::sample_size(ten, epsilon, 0.1).map(|rows| rows.exact)), "epsilon");
        assert_eq!(name(pac::sample_size(3, epsilon, 0.1).map(|rows| rows.exact)), "epsilon");
        assert_eq!(name(vapnik::sample_size(3, epsilon, 0.1).map(|rows| rows.exact)), "epsilon");
    }
    assert_eq!(name(hoeffding::gap(0, 0.1)), "rows");
    assert_eq!(name(vapnik::gap(30, 10, 0.1)), "rows"); // fewer than half the dimension
    assert_eq!(name(pac::gap(3, 10, 0.1)), "rows"); // says nothing for any ε
    assert_eq!(name(binomial::sample_size(0.2, 0.1, 0.05).map(|rows| rows as f64)), "observed");
    assert_eq!(name(voting::voters_for(0.5, 0.9).map(|voters| voters as f64)), "accuracy");
    assert_eq!(name(voting::members_for(1.0, 0.5, 0.5).map(|members| members as f64)), "wanted");
    assert_eq!(name(voting::correlated_mean(1.0, -0.9, 10)), "correlation");
    assert_eq!(name(voting::breiman(0.1, 0.0)), "strength");
    assert_eq!(name(boosting::training_error(&[0.2, 0.5])), "errors");
    assert_eq!(name(neighbors::cover_hart(0.6, 2)), "bayes_error");
    assert_eq!(name(neighbors::cover_hart(0.1, 1)), "classes");
    assert_eq!(name(dimension::edge(0.1, 0)), "dimensions");
    assert_eq!(name(margin::margin(1.0, 1.0)), "dimension");
    assert!(HypothesisCount::of(0).is_err() && HypothesisCount::from_ln(-1.0).is_err());
}
