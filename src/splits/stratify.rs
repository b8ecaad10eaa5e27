//! Whole rows of each class in proportion.

use crate::data::Labels;

/// The rows of each class, ascending.
fn members(labels: &Labels) -> Vec<Vec<usize>> {
    let mut members: Vec<Vec<usize>> = labels.counts().into_iter().map(Vec::with_capacity).collect();
    labels.codes().iter().enumerate().for_each(|(row, code)| members[*code as usize].push(row));
    members
}

/// The classes in the order in which they first occur among rows in this order.
pub(super) fn turns(labels: &Labels, order: &[usize]) -> Vec<usize> {
    let mut met = vec![false; labels.classes()];
    let classes = order.iter().map(|row| labels.codes()[*row] as usize);
    classes.filter(|class| !std::mem::replace(&mut met[*class], true)).collect()
}

/// How many of each class are among `total` rows: its share rounded down, and one more for the largest remainders,
/// equal ones in turn. `total` is at most the sum of the counts, and no class gives more than it has.
pub(super) fn apportion(counts: &[usize], total: usize, turns: &[usize]) -> Vec<usize> {
    let all: u128 = counts.iter().map(|count| *count as u128).sum::<u128>().max(1);
    let product = |class: usize| counts[class] as u128 * total as u128;
    let mut shares: Vec<usize> = (0..counts.len()).map(|class| (product(class) / all) as usize).collect();
    let mut order = turns.to_vec();
    order.sort_by_key(|class| std::cmp::Reverse(product(*class) % all));
    let left = total.saturating_sub(shares.iter().sum());
    order.into_iter().take(left).for_each(|class| shares[class] += 1);
    shares
}

/// The test fold of each row, so that each fold has its part of every class: scikit-learn's allocation.
///
/// The rows sorted by class, classes in the order in which they first occur, are dealt to the folds in turn; that decides
/// how many of a class each fold gets, and `arrange` which, from a list with the fold of each of the class's rows.
pub(super) fn stratified_folds(labels: &Labels, folds: usize, mut arrange: impl FnMut(&mut [u32])) -> Vec<u32> {
    let members = members(labels);
    let mut classes: Vec<&Vec<usize>> = members.iter().filter(|rows| !rows.is_empty()).collect();
    classes.sort_by_key(|rows| rows[0]);
    let mut fold_of = vec![0_u32; labels.len()];
    let mut dealt = 0;
    for rows in classes {
        let mut sizes = vec![0_usize; folds];
        (dealt..dealt + rows.len()).for_each(|place| sizes[place % folds] += 1);
        dealt += rows.len();
        let mut list: Vec<u32> =
            sizes.iter().zip(0..).flat_map(|(size, fold)| std::iter::repeat_n(fold, *size)).collect();
        arrange(&mut list);
        rows.iter().zip(list).for_each(|(row, fold)| fold_of[*row] = fold);
    }
    fold_of
}
