//! Rows that trees draw, and rows that boosting holds out.

use gristmill::ensemble::boosting::{held_of_each, hold_out};
use gristmill::ensemble::forest::Bootstrap;

#[test]
fn a_sample_leaves_out_about_a_share_of_1_over_e() {
    let bootstrap = Bootstrap::new(3, (0..10_000).collect(), 10_000, None).unwrap();
    for tree in 0..5 {
        let times = bootstrap.times(tree);
        assert_eq!(times.iter().sum::<u32>(), 10_000);
        let out = times.iter().filter(|times| **times == 0).count() as f64 / 1e4;
        // The standard deviation is 0.0031.
        assert!((out - (-1_f64).exp()).abs() < 0.0155, "{out}");
    }
    assert_ne!(bootstrap.times(0), bootstrap.times(1));
}

#[test]
fn rows_that_do_not_count_are_never_drawn() {
    let bootstrap = Bootstrap::new(0, vec![1, 4], 6, Some(0.5)).unwrap();
    let times = bootstrap.times(7);
    assert_eq!((times[1] + times[4], times.iter().sum::<u32>()), (1, 1));
    assert!(Bootstrap::new(0, vec![0], 1, Some(0.0)).is_err() && Bootstrap::new(0, vec![0], 1, Some(1.5)).is_err());
}

#[test]
fn the_held_rows_are_the_share_of_all_and_leave_one_in_each_group() {
    // 100 classes of four rows: none has half a row to spare, all of them together have forty.
    assert_eq!(held_of_each(&[4; 100], 0.1).iter().sum::<usize>(), 40);
    assert_eq!(held_of_each(&[50, 50, 50], 0.1), [5, 5, 5]);
    assert_eq!(held_of_each(&[1, 4, 3], 0.1), [0, 1, 0]);
    assert_eq!(held_of_each(&[1, 1, 0], 0.9), [0, 0, 0]);
    assert_eq!(held_of_each(&[2, 2], 0.9), [1, 1]);
    assert_eq!(held_of_each(&[2], 0.01), [1]);
}

#[test]
fn rows_without_weight_are_not_held() {
    let weights: Vec<f32> = (0..40).map(|row| if row % 4 == 0 { 2.0 } else { 0.0 }).collect();
    for seed in 0..20 {
        let held = hold_out(&[0; 40], Some(&weights), 0.3, seed).unwrap();
        assert_eq!(held.iter().filter(|held| **held).count(), 3);
        assert!((0..40).all(|row| !held[row] || row % 4 == 0));
    }
    assert!(hold_out(&[0, 1, 0], Some(&[1.0, 1.0, 0.0]), 0.5, 0).is_err());
}
