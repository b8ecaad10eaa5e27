//! The table of numbers that the bounds must meet, to the digits that are printed.

use gristmill::theory::{
    HypothesisCount, VC_DIMENSIONS, VcDimension, agnostic, binomial, boosting, dimension, hoeffding, margin, neighbors,
    pac, realisable, tree, vapnik, voting,
};

#[track_caller]
fn close(found: f64, expected: f64, within: f64) {
    assert!((found - expected).abs() <= within, "{found} instead of {expected}");
}

#[test]
fn the_binomial_tail_starts_at_no_errors_and_includes_the_last() {
    close(binomial::delta(100, 0.01, 0.02).unwrap(), 0.40327, 5e-6);
    close(binomial::delta(1000, 0.01, 0.02).unwrap(), 0.010237, 5e-7);
    close(binomial::delta(100, 0.1, 0.2).unwrap(), 0.0056964, 5e-8);
    close(binomial::delta(100, 0.1, 0.1).unwrap(), 0.58316, 5e-6);
    close(binomial::delta(100, 0.2, 0.2).unwrap(), 0.55946, 5e-6);
    // What the notes print instead: the sum from 1, and the program that stops one short of it.
    let exactly_none = 0.98_f64.powi(100);
    close(binomial::delta(100, 0.01, 0.02).unwrap() - exactly_none, 0.27065, 5e-6);
    close(exactly_none, 0.13262, 5e-6);
}

#[test]
fn finite_classes_need_the_rows_of_the_notes() {
    let conjunctions = realisable::sample_size(HypothesisCount::conjunctions(10), 0.1, 0.05).unwrap();
    close(conjunctions.exact, 139.82, 5e-3);
    assert_eq!(conjunctions.whole(), 140);
    let thousand = agnostic::sample_size(HypothesisCount::of(1000).unwrap(), 0.1, 0.05).unwrap();
    close(thousand.exact, 495.17, 5e-3);
    assert_eq!(thousand.whole(), 496);
    // W^d: ln is d·ln W.
    let grid = HypothesisCount::grid(256, 10).unwrap();
    close(realisable::sample_size(grid, 0.1, 0.05).unwrap().exact, (10.0 * 256_f64.ln() + 20_f64.ln()) / 0.1, 1e-9);
    close(hoeffding::delta(50, 0.2).unwrap(), (-4.0_f64).exp(), 1e-15);
}

#[test]
fn the_vapnik_bounds_have_the_numbers_of_the_notes() {
    close(vapnik::gap(3, 1000, 0.05).unwrap(), 0.16398, 5e-6);
    let rows = pac::sample_size(3, 0.1, 0.05).unwrap();
    close(rows.exact, 1898.25, 5e-3);
    assert_eq!(rows.whole(), 1899);
    close(tree::gap(7, 2, 1000, 0.05).unwrap(), 0.10931, 5e-6);
    assert_eq!(margin::dimension(2.0, 0.5, Some(10)).unwrap(), 11.0);
    assert_eq!(margin::dimension(2.0, 0.5, None).unwrap(), 17.0);
}

#[test]
fn the_table_of_vc_dimensions_has_the_answers_of_the_exercises() {
    let of = |name: &str, d: u64| VC_DIMENSIONS.iter().find(|entry| entry.name == name).unwrap().dimension(d);
    assert_eq!(of("linear", 2), VcDimension::Exactly(3));
    assert_eq!(of("rectangle", 2), VcDimension::Exactly(4));
    assert_eq!(of("tree", 5), VcDimension::Exactly(32));
    assert_eq!(of("quadratic-kernel", 3), VcDimension::Exactly(7));
    assert_eq!(of("nearest-neighbour", 2), VcDimension::Infinite);
    assert_eq!(of("gaussian-kernel", 2), VcDimension::Infinite);
    assert_eq!(of("linear", u64::MAX), VcDimension::Exactly(u64::MAX));
    assert_eq!(of("tree", 64), VcDimension::Exactly(u64::MAX));
    assert!(matches!(of("sign-network", 100), VcDimension::OrderOf(size) if (460.0..461.0).contains(&size)));
    // No dimension passes log₂ of the number of hypotheses.
    assert!(6.0 <= HypothesisCount::conjunctions(6).log2());
}

#[test]
fn voters_members_and_neighbours_have_the_numbers_of_the_notes() {
    close(voting::majority(100, 0.6).unwrap(), 0.9729, 5e-5);
    assert_eq!(voting::majority(1, 0.6).unwrap(), 0.6);
    close(voting::correlated_mean(2.0, 0.5, 10).unwrap(), 1.1, 1e-15);
    close(voting::breiman(0.1, 0.5).unwrap(), 0.3, 1e-15);
    close(neighbors::cover_hart(0.1, 2).unwrap(), 0.18, 1e-15);
    close(neighbors::regression_error(0.25, 5, 0.1).unwrap(), 0.31, 1e-15);
    close(boosting::training_error(&[0.5 - 1e-9]).unwrap(), 1.0, 1e-15);
    assert_eq!(boosting::training_error(&[0.2, 0.0]).unwrap(), 0.0);
    close(dimension::edge(0.1, 2).unwrap(), 0.316, 5e-4);
    close(dimension::edge(0.1, 10).unwrap(), 0.794, 5e-4);
    close(dimension::diagonal(9).unwrap(), 3.0, 0.0);
    // A bootstrap sample holds 1 − (1 − 1/n)^n of the rows: 63.2 %.
    close(1.0 - binomial::at_most(0, 100_000, 1e-5).unwrap(), 0.632, 5e-4);
}

#[test]
fn sparse_vectors_are_counted_as_the_notes_do() {
    let sparse = HypothesisCount::sparse(3, 1000, 5).unwrap();
    let exact = 5.0 * 6_f64.ln() + (1000.0 * 999.0 * 998.0 * 997.0 * 996.0 / 120.0_f64).ln();
    close(sparse.ln(), exact, 1e-9);
    // About s·ln(d/s) + s·ln 2W: never above it by more than s, as C(d, s) ≤ (ed/s)^s.
    let rough = 5.0 * 200_f64.ln() + 5.0 * 6_f64.ln();
    assert!(rough <= sparse.ln() && sparse.ln() <= rough + 5.0);
    assert_eq!(HypothesisCount::sparse(1, 7, 0).unwrap(), HypothesisCount::ONE);
    assert!(HypothesisCount::sparse(1, 7, 8).is_err());
}
