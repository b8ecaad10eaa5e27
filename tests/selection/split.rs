use gristmill::prelude::*;
use gristmill::selection::*;

use super::together;

#[test]
fn every_row_is_on_one_side_and_the_sizes_are_the_shares() {
    for (n, share, train) in [(10, 0.8, 8), (7, 0.5, 3), (2, 0.5, 1), (100, 0.29, 29), (1000, 0.333, 333), (3, 0.99, 2)]
    {
        let (first, second) = train_test_split(n, share, 1).unwrap();
        assert_eq!((first.len(), second.len()), (train, n - train), "{n} {share}");
        assert_eq!(together(&first, &second), (0..n).collect::<Vec<usize>>());
    }
}

#[test]
fn the_seed_decides_the_split() {
    assert_eq!(train_test_split(1000, 0.7, 42).unwrap(), train_test_split(1000, 0.7, 42).unwrap());
    assert_ne!(train_test_split(1000, 0.7, 42).unwrap(), train_test_split(1000, 0.7, 43).unwrap());
}

#[test]
fn every_order_is_equally_likely() {
    let mut seen = std::collections::BTreeMap::<Vec<usize>, usize>::new();
    for seed in 0..6000 {
        let (train, test) = train_test_split(3, 0.67, seed).unwrap();
        *seen.entry([train, test].concat()).or_default() += 1;
    }
    // Six orders, 1000 ± 29 each: within five deviations.
    assert_eq!(seen.len(), 6);
    assert!(seen.values().all(|count| count.abs_diff(1000) < 145), "{seen:?}");
}

#[test]
fn a_share_that_leaves_a_side_empty_is_an_error() {
    for (n, share) in [(10, 0.0), (10, 1.0), (10, -0.5), (10, f64::NAN), (10, 0.05), (1, 0.5), (0, 0.5), (10, 2.0)] {
        assert!(matches!(train_test_split(n, share, 0), Err(Error::Param { name: "share", .. })), "{n} {share}");
    }
    for (train, validation) in [(0.5, 0.5), (0.9, 0.2), (0.0, 0.5), (0.5, 0.01), (f64::NAN, 0.2)] {
        assert!(matches!(three_way_split(10, train, validation, 0), Err(Error::Param { name: "shares", .. })));
    }
}

fn labels() -> Labels {
    Labels::from(
        &(0..200_u32).map(|row| if row % 20 == 0 { 2 } else { u32::from(row % 4 == 1) }).collect::<Vec<u32>>()[..],
    )
}

#[test]
fn a_stratified_split_keeps_the_share_of_every_class() {
    let y = labels();
    assert_eq!(y.counts(), [140, 50, 10]);
    let (train, test) = stratified_train_test_split(&y, 0.8, 3).unwrap();
    assert_eq!(y.select(&train).unwrap().counts(), [112, 40, 8]);
    assert_eq!(y.select(&test).unwrap().counts(), [28, 10, 2]);
    assert_eq!(together(&train, &test), (0..200).collect::<Vec<usize>>());
    assert!(!train.is_sorted());
}

#[test]
fn the_parts_of_a_stratified_split_are_as_large_as_without_classes() {
    for share in [0.1, 0.33, 0.5, 0.77, 0.9] {
        let plain = train_test_split(200, share, 0).unwrap().0.len();
        assert_eq!(stratified_train_test_split(&labels(), share, 0).unwrap().0.len(), plain);
    }
    // A class of one row is on one side; a name without rows changes nothing.
    let y = Labels::from_codes(vec![0, 0, 0, 0, 0, 2], vec!["a".into(), "b".into(), "c".into()]).unwrap();
    let (train, test) = stratified_train_test_split(&y, 0.5, 0).unwrap();
    assert_eq!((train.len(), test.len()), (3, 3));
}

#[test]
fn three_parts_hold_every_row_once() {
    let plain = three_way_split(101, 0.6, 0.2, 9).unwrap();
    assert_eq!((plain.train.len(), plain.validation.len(), plain.test.len()), (60, 20, 21));
    let y = labels();
    let parts = stratified_three_way_split(&y, 0.6, 0.2, 9).unwrap();
    assert_eq!(y.select(&parts.train).unwrap().counts(), [84, 30, 6]);
    assert_eq!(y.select(&parts.validation).unwrap().counts(), [28, 10, 2]);
    assert_eq!(y.select(&parts.test).unwrap().counts(), [28, 10, 2]);
    assert_eq!(together(&[parts.train, parts.validation].concat(), &parts.test), (0..200).collect::<Vec<usize>>());
}
