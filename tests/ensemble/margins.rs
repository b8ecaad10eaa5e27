//! Margins, strength and correlation of votes.

use gristmill::ensemble::margins::Votes;
use gristmill::prelude::*;

/// Four rows, three members, classes a, b and c.
fn votes() -> (Votes, Vec<String>) {
    let codes = vec![0, 0, 0, 0, 1, 0, 1, 2, 2, 2, 1, 0];
    (Votes::new(codes, 3, 3), ["a", "b", "c"].map(String::from).to_vec())
}

#[test]
fn margins_are_the_share_of_the_right_class_minus_the_largest_other() {
    let (votes, names) = votes();
    let y = Labels::from_names(&["a", "a", "b", "c"]);
    let margins = votes.margins("test", &names, &y).unwrap();
    let want = [1.0, 1.0 / 3.0, -1.0 / 3.0, 0.0];
    assert!(margins.iter().zip(want).all(|(margin, want)| (margin - want).abs() < 1e-15), "{margins:?}");
    // A class that nobody knows has no votes.
    let other = Labels::from_names(&["z", "a", "b", "c"]);
    assert_eq!(votes.margins("test", &names, &other).unwrap()[0], -1.0);
    assert!(votes.margins("test", &names, &Labels::from_names(&["a"])).is_err());
}

#[test]
fn strength_and_correlation_are_breimans() {
    let (votes, names) = votes();
    let y = Labels::from_names(&["a", "a", "b", "c"]);
    let found = votes.strength("test", &names, &y).unwrap();
    // Raw margins by member: 1 1 1 1, 1 −1 −1 0, 1 1 −1 −1 (the rival of the last row is a).
    let deviations = [0.0, (3.0_f64 / 4.0 - 1.0 / 16.0).sqrt(), 1.0];
    let mean = deviations.iter().sum::<f64>() / 3.0;
    let margins = [1.0, 1.0 / 3.0, -1.0 / 3.0, 0.0];
    let variance = margins.iter().map(|margin: &f64| (margin - 0.25).powi(2)).sum::<f64>() / 4.0;
    assert!((found.strength - 0.25).abs() < 1e-15 && found.error == 0.25, "{found:?}");
    assert!((found.correlation - variance / (mean * mean)).abs() < 1e-12, "{found:?}");
    let bound = found.correlation * (1.0 - 0.0625) / 0.0625;
    assert!((found.error_bound().unwrap() - bound).abs() < 1e-12);
}
