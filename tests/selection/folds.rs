use gristmill::prelude::*;
use gristmill::selection::*;

use super::together;

fn tests(splits: &Splits) -> Vec<Vec<usize>> {
    splits.iter().map(|(_, test)| test).collect()
}

/// The test fold of each row.
fn fold_of(splits: &Splits, rows: usize) -> Vec<usize> {
    let mut folds = vec![usize::MAX; rows];
    for (fold, (train, test)) in splits.iter().enumerate() {
        assert_eq!(together(&train, &test), (0..rows).collect::<Vec<usize>>());
        assert!(train.is_sorted() && test.is_sorted());
        for row in test {
            assert_eq!(folds[row], usize::MAX, "row {row} is tested twice");
            folds[row] = fold;
        }
    }
    folds
}

#[test]
fn k_folds_are_scikit_learns() {
    let splits = Folds::k_fold(3).split(10, None).unwrap();
    assert_eq!(tests(&splits), [vec![0, 1, 2, 3], vec![4, 5, 6], vec![7, 8, 9]]);
    let splits = Folds::k_fold(4).split(11, None).unwrap();
    assert_eq!(tests(&splits), [vec![0, 1, 2], vec![3, 4, 5], vec![6, 7, 8], vec![9, 10]]);
}

#[test]
fn stratified_folds_are_scikit_learns() {
    let y = Labels::from(&[2_u32, 2, 0, 1, 0, 2, 2, 1, 0, 2, 1, 1, 2, 2, 0, 0, 2][..]);
    let expected = [
        (2, [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]),
        (3, [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 1, 2, 2, 2, 2]),
        (4, [0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 2, 3, 2, 3, 3]),
        (5, [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 4, 2, 3, 3, 4, 4]),
    ];
    for (n_splits, folds) in expected {
        let splits = Folds::stratified(n_splits).split(17, Some(&y)).unwrap();
        assert_eq!(fold_of(&splits, 17), folds, "{n_splits} folds");
    }
}

#[test]
fn shuffled_folds_test_every_row_once_and_depend_on_the_seed() {
    let splits = Folds::k_fold(7).seed(1).split(100, None).unwrap();
    let folds = fold_of(&splits, 100);
    assert!(!folds.is_sorted());
    assert_eq!(splits.iter().map(|(_, test)| test.len()).collect::<Vec<usize>>(), [15, 15, 14, 14, 14, 14, 14]);
    assert_eq!(fold_of(&Folds::k_fold(7).seed(1).split(100, None).unwrap(), 100), folds);
    assert_ne!(fold_of(&Folds::k_fold(7).seed(2).split(100, None).unwrap(), 100), folds);
}

#[test]
fn shuffled_stratified_folds_keep_their_classes() {
    let y = Labels::from(&(0..90_u32).map(|row| u32::from(row >= 60)).collect::<Vec<u32>>()[..]);
    let splits = Folds::stratified(5).seed(4).split(90, Some(&y)).unwrap();
    assert!(fold_of(&splits, 90).windows(2).any(|pair| pair[0] > pair[1]));
    assert!(splits.iter().all(|(_, test)| y.select(&test).unwrap().counts() == [12, 6]));
}

#[test]
fn each_row_is_left_out_once() {
    let splits = Folds::LeaveOneOut.split(4, None).unwrap();
    assert_eq!(tests(&splits), [[0], [1], [2], [3]]);
    assert_eq!(splits.get(1), Some((vec![0, 2, 3], vec![1])));
    assert_eq!(splits.get(4), None);
    // A plan for many rows takes no room for its splits.
    assert_eq!(Folds::LeaveOneOut.split(1 << 40, None).unwrap().len(), 1 << 40);
}

#[test]
fn random_splits_differ_and_come_again() {
    let splits = Folds::shuffle(4, 0.75).seed(8).split(20, None).unwrap();
    let all: Vec<(Vec<usize>, Vec<usize>)> = splits.iter().collect();
    assert_eq!(all.len(), 4);
    assert!(all.iter().all(|(train, test)| train.len() == 15 && together(train, test).len() == 20));
    assert!(all.windows(2).all(|pair| pair[0] != pair[1]));
    assert_eq!(all[0], train_test_split(20, 0.75, 8).unwrap());
    assert_eq!(Folds::shuffle(4, 0.75).seed(8).split(20, None).unwrap().iter().collect::<Vec<_>>(), all);
    let y = Labels::from(&[0_u32, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1][..]);
    let stratified = Folds::StratifiedShuffle { n_splits: 3, train_size: 0.5, seed: 1 }.split(12, Some(&y)).unwrap();
    assert!(stratified.iter().all(|(train, _)| y.select(&train).unwrap().counts() == [4, 2]));
}

#[test]
fn folds_that_cannot_be_are_refused() {
    let n_splits = |result: Result<Splits>| matches!(result, Err(Error::Param { name: "n_splits", .. }));
    assert!(n_splits(Folds::k_fold(1).split(10, None)));
    assert!(n_splits(Folds::k_fold(11).split(10, None)));
    assert!(n_splits(Folds::k_fold(2).split(0, None)));
    assert!(n_splits(Folds::shuffle(0, 0.5).split(10, None)));
    let y = Labels::from(&[0_u32, 0, 0, 1][..]);
    assert!(n_splits(Folds::stratified(4).split(4, Some(&y))));
    // A class with fewer rows than folds is only warned of.
    assert_eq!(Folds::stratified(3).split(4, Some(&y)).unwrap().len(), 3);
    assert!(matches!(Folds::stratified(2).split(4, None), Err(Error::Shape { .. })));
    assert!(matches!(Folds::stratified(2).split(5, Some(&y)), Err(Error::Shape { .. })));
    assert!(matches!(Folds::LeaveOneOut.split(1, None), Err(Error::Shape { .. })));
    assert!(matches!(Folds::shuffle(2, 1.5).split(10, None), Err(Error::Param { name: "share", .. })));
}

#[test]
fn folds_return_from_json() {
    for folds in [Folds::default(), Folds::stratified(3).seed(7), Folds::shuffle(2, 0.6), Folds::LeaveOneOut] {
        let json = serde_json::to_string(&folds).unwrap();
        assert_eq!(serde_json::from_str::<Folds>(&json).unwrap(), folds);
    }
}

#[test]
fn group_folds_are_scikit_learns() {
    // GroupKFold(3).split of groups 0 0 1 1 1 2 3 3 4 4 4 4 5.
    let groups = Labels::from(&[0_u32, 0, 1, 1, 1, 2, 3, 3, 4, 4, 4, 4, 5][..]);
    let splits = Folds::group(3, &groups).split(13, None).unwrap();
    assert_eq!(fold_of(&splits, 13), [2, 2, 1, 1, 1, 0, 2, 2, 0, 0, 0, 0, 1]);
    for (train, test) in splits.iter() {
        assert!(test.iter().all(|row| train.iter().all(|other| groups.name(*row) != groups.name(*other))));
    }
    assert!(matches!(Folds::group(7, &groups).split(13, None), Err(Error::Param { .. })));
    // One group that has all rows leaves none to fit on.
    let all = Labels::from(&[0_u32; 13][..]);
    assert!(matches!(Folds::group(2, &all).split(13, None), Err(Error::Param { .. })));
    assert!(matches!(Folds::group(3, &groups).split(12, None), Err(Error::Shape { .. })));
}

#[test]
fn stratified_group_folds_keep_groups_whole_and_classes_even() {
    // 30 groups of 4 rows, a third of the rows of the second class.
    let groups: Vec<u32> = (0..120).map(|row| row / 4).collect();
    let classes: Vec<u32> = (0..120).map(|row| u32::from(row / 4 % 3 == 0)).collect();
    let (groups, classes) = (Labels::from(&groups[..]), Labels::from(&classes[..]));
    let splits = Folds::stratified_group(5, &groups).split(120, Some(&classes)).unwrap();
    let folds = fold_of(&splits, 120);
    for fold in 0..5 {
        let rows: Vec<usize> = (0..120).filter(|row| folds[*row] == fold).collect();
        assert_eq!(rows.len(), 24);
        assert_eq!(rows.iter().filter(|row| classes.codes()[**row] == 1).count(), 8);
    }
    assert!((0..120).all(|row| folds[row] == folds[row / 4 * 4]));
    assert!(matches!(Folds::stratified_group(5, &groups).split(120, None), Err(Error::Shape { .. })));
}

#[test]
fn time_series_folds_are_scikit_learns() {
    // TimeSeriesSplit(3) of 12 rows, and with gap 2 and test_size 2.
    let splits = Folds::time_series(3, 0).split(12, None).unwrap();
    assert_eq!(tests(&splits), [vec![3, 4, 5], vec![6, 7, 8], vec![9, 10, 11]]);
    assert_eq!(splits.get(2).unwrap().0, (0..9).collect::<Vec<usize>>());
    let splits = Folds::TimeSeries { n_splits: 3, gap: 2, test_size: Some(2) }.split(12, None).unwrap();
    assert_eq!(tests(&splits), [vec![6, 7], vec![8, 9], vec![10, 11]]);
    assert_eq!(splits.get(0).unwrap().0, [0, 1, 2, 3]);
    for wrong in [Folds::time_series(12, 0), Folds::time_series(1, 0), Folds::time_series(3, 3)] {
        assert!(matches!(wrong.split(12, None), Err(Error::Param { .. })), "{wrong:?}");
    }
}

#[test]
fn repeated_folds_differ_and_each_tests_every_row() {
    let splits = Folds::stratified(4).repeated(3).seed(7).split(20, Some(&Labels::from(&[0_u32; 20][..]))).unwrap();
    assert_eq!(splits.len(), 12);
    let found = tests(&splits);
    for repeat in found.chunks(4) {
        let mut rows = repeat.concat();
        rows.sort_unstable();
        assert_eq!(rows, (0..20).collect::<Vec<usize>>());
    }
    assert!(found[..4] != found[4..8] && found[4..8] != found[8..]);
    assert!(matches!(Folds::LeaveOneOut.repeated(2).split(5, None), Err(Error::Param { .. })));
    assert!(matches!(Folds::k_fold(2).repeated(0).split(5, None), Err(Error::Param { .. })));
}
