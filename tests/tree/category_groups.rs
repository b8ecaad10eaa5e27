//! Which categories share a bin.

use gristmill::cpu::random::philox::Philox;
use gristmill::tree::bins::{CategoryTargets, group_categories};

fn noise(count: usize) -> Vec<f32> {
    let philox = Philox::new(7, 0);
    (0..count as u64).map(|at| philox.uniform(at) - 0.5).collect()
}

#[test]
fn categories_of_like_targets_share_a_group() {
    // 1,000 categories of 20 rows; what they add is their number modulo 7.
    let categories = 1000;
    let targets: Vec<f32> =
        noise(20 * categories).iter().enumerate().map(|(row, noise)| (row % categories % 7) as f32 + noise).collect();
    let members = (0..20 * categories).map(|row| (row, row % categories));
    let groups = group_categories(&CategoryTargets::Columns(std::slice::from_ref(&targets)), members, categories, 127);
    for category in 0..categories {
        assert_eq!(groups[category] == groups[0], category % 7 == 0, "category {category}");
    }
    assert_eq!(*groups.iter().max().unwrap(), 6);
}

#[test]
fn what_names_the_rows_or_is_chance_stays_one_group() {
    let targets = noise(6000);
    let all = CategoryTargets::Columns(std::slice::from_ref(&targets));
    for categories in [6000, 3000, 1000] {
        let members = (0..6000).map(|row| (row, row % categories));
        assert!(
            group_categories(&all, members, categories, 127).iter().all(|group| *group == 0),
            "{categories} categories"
        );
    }
    // Nothing to go by.
    let members = (0..10).map(|row| (row, row));
    assert_eq!(group_categories(&CategoryTargets::Columns(&[]), members, 10, 4), [0; 10]);
}

#[test]
fn classes_are_told_apart_in_all_their_shares() {
    // Three kinds of categories: each has its own class in nine of ten rows.
    let codes: Vec<u32> = (0..3000).map(|row| (row % 300 + u32::from(row / 300 == 4)) % 3).collect();
    let members = (0..3000).map(|row| (row, row % 300));
    let groups = group_categories(&CategoryTargets::Classes { codes: &codes, count: 3 }, members, 300, 10);
    assert!((0..300).all(|category| groups[category] == groups[category % 3]));
    assert_eq!(*groups.iter().max().unwrap(), 2);
}

#[test]
fn fixed_numbers_and_columns_are_grouped_alike_and_never_too_often() {
    let values: Vec<i64> = (0..900).map(|row| (row % 90) * 1000 + row % 7).collect();
    let column: Vec<f32> = values.iter().map(|value| *value as f32).collect();
    let members = (0..900).map(|row| (row, row % 90));
    for most in [1, 2, 5, 90, 200] {
        let fixed =
            group_categories(&CategoryTargets::Fixed { values: &values, outputs: 1 }, members.clone(), 90, most);
        let columns =
            group_categories(&CategoryTargets::Columns(std::slice::from_ref(&column)), members.clone(), 90, most);
        assert_eq!(fixed, columns);
        assert_eq!(*fixed.iter().max().unwrap() + 1, most.min(90));
    }
}
