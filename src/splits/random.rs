//! One random split of the rows, plain or with the same share of every class on each side.

use super::stratify::{apportion, turns};
use crate::cpu::random::HostRng;
use crate::cpu::random::permutation::permutation;
use crate::data::Labels;
use crate::error::{Error, Result};

/// The random numbers of splits; the number of a repeated split is added.
const STREAM: u32 = 0x5350_0000;

/// The rows of the three parts of a split.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreeWay {
    /// To fit on.
    pub train: Vec<usize>,
    /// To select models and parameters by.
    pub validation: Vec<usize>,
    /// To score the selected model on, once.
    pub test: Vec<usize>,
}

/// Splits n rows at random into `share`·n to train on, rounded down, and the rest to test on. O(n).
///
/// Both parts come in random order, and both have at least one row.
///
/// ```
/// use gristmill::selection::train_test_split;
/// let (train, test) = train_test_split(10, 0.8, 42)?;
/// assert_eq!((train.len(), test.len()), (8, 2));
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn train_test_split(n: usize, share: f64, seed: u64) -> Result<(Vec<usize>, Vec<usize>)> {
    nth_split(n, share, seed, 0)
}

/// The same with `share` of every class, as nearly as possible, on the first side; the parts are as large as
/// without classes.
///
/// A class with too few rows for both sides is on one side only, and a warning says so.
///
/// ```
/// use gristmill::Labels;
/// use gristmill::selection::stratified_train_test_split;
/// let y = Labels::from(&[0_u32, 0, 0, 0, 0, 0, 0, 0, 1, 1][..]);
/// let (train, test) = stratified_train_test_split(&y, 0.5, 42)?;
/// assert_eq!((y.select(&train)?.counts(), y.select(&test)?.counts()), (vec![4, 1], vec![4, 1]));
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn stratified_train_test_split(labels: &Labels, share: f64, seed: u64) -> Result<(Vec<usize>, Vec<usize>)> {
    nth_stratified_split(labels, share, seed, 0)
}

/// Splits n rows at random into shares for training and validation, and the rest for the test. Each part has at least
/// one row, and both shares are rounded down.
///
/// ```
/// use gristmill::selection::three_way_split;
/// let parts = three_way_split(100, 0.6, 0.2, 42)?;
/// assert_eq!((parts.train.len(), parts.validation.len(), parts.test.len()), (60, 20, 20));
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn three_way_split(n: usize, train: f64, validation: f64, seed: u64) -> Result<ThreeWay> {
    let sizes = three_sizes(n, train, validation)?;
    let order = shuffled(n, seed, STREAM);
    let (first, rest) = order.split_at(sizes.0);
    let (second, third) = rest.split_at(sizes.1);
    Ok(ThreeWay { train: first.to_vec(), validation: second.to_vec(), test: third.to_vec() })
}

/// The same with the shares of every class in each part, as nearly as possible.
pub fn stratified_three_way_split(labels: &Labels, train: f64, validation: f64, seed: u64) -> Result<ThreeWay> {
    let sizes = three_sizes(labels.len(), train, validation)?;
    let counts = labels.counts();
    let order = shuffled(labels.len(), seed, STREAM);
    let turns = turns(labels, &order);
    let first = apportion(&counts, sizes.0, &turns);
    let left: Vec<usize> = counts.iter().zip(&first).map(|(count, taken)| count - taken).collect();
    let second = apportion(&left, sizes.1, &turns);
    warn_of_absent(labels, &[&first, &second]);
    let (train, rest) = deal(labels, order, first);
    let (validation, test) = deal(labels, rest, second);
    Ok(ThreeWay { train, validation, test })
}

/// Split `number` of a series.
pub(super) fn nth_split(n: usize, share: f64, seed: u64, number: u32) -> Result<(Vec<usize>, Vec<usize>)> {
    let size = train_size(n, share)?;
    let mut train = shuffled(n, seed, STREAM.wrapping_add(number));
    let test = train.split_off(size);
    Ok((train, test))
}

/// Stratified split `number` of a series.
pub(super) fn nth_stratified_split(
    labels: &Labels,
    share: f64,
    seed: u64,
    number: u32,
) -> Result<(Vec<usize>, Vec<usize>)> {
    let size = train_size(labels.len(), share)?;
    let order = shuffled(labels.len(), seed, STREAM.wrapping_add(number));
    let taken = apportion(&labels.counts(), size, &turns(labels, &order));
    if number == 0 {
        warn_of_absent(labels, &[&taken]);
    }
    Ok(deal(labels, order, taken))
}

/// The first `wanted` rows of each class in `order`, and the others, both in that order.
fn deal(labels: &Labels, order: Vec<usize>, mut wanted: Vec<usize>) -> (Vec<usize>, Vec<usize>) {
    order.into_iter().partition(|row| {
        let left = &mut wanted[labels.codes()[*row] as usize];
        let takes = *left > 0;
        *left -= usize::from(takes);
        takes
    })
}

/// How many of n rows to train on; at least one is left on each side.
pub(super) fn train_size(n: usize, share: f64) -> Result<usize> {
    let size = part(n, share);
    if !(share > 0.0 && share < 1.0) || size == 0 || size >= n {
        let rule = format!("between 0 and 1, and leave at least one of {n} rows on each side");
        return Err(Error::param("share", rule, share));
    }
    Ok(size)
}

fn three_sizes(n: usize, train: f64, validation: f64) -> Result<(usize, usize)> {
    let sizes = (part(n, train), part(n, validation));
    let whole = train > 0.0 && validation > 0.0 && train + validation < 1.0;
    if !whole || sizes.0 == 0 || sizes.1 == 0 || sizes.0 + sizes.1 >= n {
        let rule = format!("above 0, add up to less than 1, and leave at least one of {n} rows in each part");
        return Err(Error::param("shares", rule, format!("{train} and {validation}")));
    }
    Ok(sizes)
}

/// `share`·n rounded down, but 29 for 0.29·100, which is 28.999999999999996 in binary.
fn part(n: usize, share: f64) -> usize {
    let product = share * n as f64;
    let nearest = product.round();
    if (product - nearest).abs() <= 1e-12 * n as f64 { nearest as usize } else { product as usize }
}

/// The numbers below n in random order.
pub(crate) fn shuffled(n: usize, seed: u64, stream: u32) -> Vec<usize> {
    match u32::try_from(n) {
        // Sorting by random keys uses all cores and reads memory in order; swapping one by one does neither.
        Ok(count) => permutation(seed, stream, count).into_iter().map(|row| row as usize).collect(),
        Err(_) => {
            let mut order: Vec<usize> = (0..n).collect();
            shuffle(&mut order, &mut HostRng::new(seed, stream));
            order
        }
    }
}

/// Puts values into random order, every order equally likely (Fisher and Yates).
pub(super) fn shuffle<T>(values: &mut [T], rng: &mut HostRng) {
    for last in (1..values.len()).rev() {
        values.swap(last, rng.below(last + 1));
    }
}

/// Warns when a class that has rows lacks them in some part; `parts` are the counts of all parts but the last.
fn warn_of_absent(labels: &Labels, parts: &[&[usize]]) {
    for (class, count) in labels.counts().into_iter().enumerate().filter(|(_, count)| *count > 0) {
        let taken: usize = parts.iter().map(|part| part[class]).sum();
        if taken == count || parts.iter().any(|part| part[class] == 0) {
            log::warn!("class {} has {count} rows, too few for every part of the split", labels.names()[class]);
        }
    }
}
