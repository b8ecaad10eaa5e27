//! Several splits of the same rows, to fit and test on each.

use serde::{Deserialize, Serialize};

use super::random::{nth_split, nth_stratified_split, shuffle, shuffled, train_size};
use super::stratify::stratified_folds;
use crate::cpu::random::HostRng;
use crate::data::Labels;
use crate::error::{Error, Result};

/// The random numbers of folds.
const STREAM: u32 = 0x464f_4c44;

/// How rows are split several times. Without `shuffle` the folds are exactly scikit-learn's.
///
/// ```
/// use gristmill::selection::Folds;
/// let splits = Folds::k_fold(3).split(5, None)?;
/// let tests: Vec<Vec<usize>> = splits.iter().map(|(_, test)| test).collect();
/// assert_eq!(tests, [vec![0, 1], vec![2, 3], vec![4]]);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Folds {
    /// k-fold: `n_splits` parts of equal size, each the test rows once; consecutive rows stay together without
    /// `shuffle`.
    KFold {
        /// Number of parts, from 2 to the number of rows.
        n_splits: usize,
        /// Whether the rows are shuffled first.
        shuffle: bool,
        /// Seed of the shuffle.
        seed: u64,
    },
    /// The same, and each part has its share of every class; needs labels.
    Stratified {
        /// Number of parts, at least 2 and at most the number of rows in the largest class.
        n_splits: usize,
        /// Whether the rows of each class are shuffled first.
        shuffle: bool,
        /// Seed of the shuffle.
        seed: u64,
    },
    /// `n_splits` independent random splits.
    Shuffle {
        /// Number of splits, at least 1.
        n_splits: usize,
        /// The share of the rows to train on.
        train_size: f64,
        /// Seed of the splits.
        seed: u64,
    },
    /// The same, with the share of every class; needs labels.
    StratifiedShuffle {
        /// Number of splits, at least 1.
        n_splits: usize,
        /// The share of the rows to train on.
        train_size: f64,
        /// Seed of the splits.
        seed: u64,
    },
    /// Each row is tested once, alone.
    LeaveOneOut,
}

/// Five parts, in the order of the rows.
impl Default for Folds {
    fn default() -> Folds {
        Folds::k_fold(5)
    }
}

impl Folds {
    /// Parts of equal size, in the order of the rows.
    #[doc(alias = "KFold")]
    pub fn k_fold(n_splits: usize) -> Folds {
        Folds::KFold { n_splits, shuffle: false, seed: 0 }
    }

    /// Parts of equal size with the share of every class, in the order of the rows.
    #[doc(alias = "StratifiedKFold")]
    pub fn stratified(n_splits: usize) -> Folds {
        Folds::Stratified { n_splits, shuffle: false, seed: 0 }
    }

    /// Random splits.
    #[doc(alias = "ShuffleSplit")]
    pub fn shuffle(n_splits: usize, train_size: f64) -> Folds {
        Folds::Shuffle { n_splits, train_size, seed: 0 }
    }

    /// Sets the seed, and that rows are shuffled.
    pub fn seed(self, seed: u64) -> Folds {
        match self {
            Folds::KFold { n_splits, .. } => Folds::KFold { n_splits, shuffle: true, seed },
            Folds::Stratified { n_splits, .. } => Folds::Stratified { n_splits, shuffle: true, seed },
            Folds::Shuffle { n_splits, train_size, .. } => Folds::Shuffle { n_splits, train_size, seed },
            Folds::StratifiedShuffle { n_splits, train_size, .. } => {
                Folds::StratifiedShuffle { n_splits, train_size, seed }
            }
            Folds::LeaveOneOut => Folds::LeaveOneOut,
        }
    }

    /// Decides the splits of n rows; `labels` has a class for each row, where classes are needed.
    ///
    /// A class with fewer rows than parts is absent from some of them, and a warning says so. O(n) time and memory,
    /// also for [`Folds::LeaveOneOut`]: a split is made when it is asked for.
    pub fn split(&self, n: usize, labels: Option<&Labels>) -> Result<Splits> {
        if let Some(labels) = labels.filter(|labels| labels.len() != n) {
            return Err(Error::shape("Folds::split", format!("a class for each of {n} rows"), labels.len()));
        }
        let classes = || {
            labels.cloned().ok_or(Error::shape(
                "Folds::split",
                "a class for each row, which stratified splits need",
                "no labels",
            ))
        };
        let plan = match *self {
            Folds::KFold { n_splits, shuffle, seed } => {
                check_splits(n_splits, 2, n, "the number of rows")?;
                let order = if shuffle { shuffled(n, seed, STREAM) } else { (0..n).collect() };
                Plan::Parts { fold_of: consecutive(&order, n_splits), count: n_splits }
            }
            Folds::Stratified { n_splits, shuffle, seed } => {
                Plan::Parts { fold_of: stratified(&classes()?, n_splits, shuffle, seed)?, count: n_splits }
            }
            Folds::Shuffle { n_splits, train_size: share, seed } => {
                check_splits(n_splits, 1, u32::MAX as usize, "2³²")?;
                train_size(n, share)?;
                Plan::Random { labels: None, count: n_splits, share, seed }
            }
            Folds::StratifiedShuffle { n_splits, train_size: share, seed } => {
                check_splits(n_splits, 1, u32::MAX as usize, "2³²")?;
                train_size(n, share)?;
                Plan::Random { labels: Some(classes()?), count: n_splits, share, seed }
            }
            Folds::LeaveOneOut => {
                if n < 2 {
                    return Err(Error::shape("Folds::split", "at least two rows", n));
                }
                Plan::Single
            }
        };
        Ok(Splits { rows: n, plan })
    }
}

fn check_splits(n_splits: usize, least: usize, most: usize, what: &str) -> Result<()> {
    if n_splits < least || n_splits > most {
        return Err(Error::param("n_splits", format!("from {least} to {what}, {most}"), n_splits));
    }
    Ok(())
}

/// The part of each row when `order` is cut into parts of equal size, the first ones larger by one where it must be.
fn consecutive(order: &[usize], parts: usize) -> Vec<u32> {
    let (size, larger) = (order.len() / parts, order.len() % parts);
    let sizes = (0..parts).map(|part| size + usize::from(part < larger));
    let places = sizes.zip(0_u32..).flat_map(|(size, part)| std::iter::repeat_n(part, size));
    let mut fold_of = vec![0; order.len()];
    order.iter().zip(places).for_each(|(row, part)| fold_of[*row] = part);
    fold_of
}

fn stratified(labels: &Labels, n_splits: usize, shuffles: bool, seed: u64) -> Result<Vec<u32>> {
    let counts = labels.counts();
    let largest = counts.iter().copied().max().unwrap_or(0);
    check_splits(n_splits, 2, largest, "the number of rows in the largest class")?;
    if let Some(class) = (0..counts.len()).find(|class| (1..n_splits).contains(&counts[*class])) {
        let name = &labels.names()[class];
        log::warn!("class {name} has {} rows, fewer than the {n_splits} folds", counts[class]);
    }
    let mut rng = HostRng::new(seed, STREAM);
    Ok(stratified_folds(labels, n_splits, |list| {
        if shuffles {
            shuffle(list, &mut rng);
        }
    }))
}

/// Splits that are decided; each is made when it is asked for.
#[derive(Debug, Clone)]
pub struct Splits {
    rows: usize,
    plan: Plan,
}

#[derive(Debug, Clone)]
enum Plan {
    /// The part of each row, and how many parts there are.
    Parts {
        fold_of: Vec<u32>,
        count: usize,
    },
    Random {
        labels: Option<Labels>,
        count: usize,
        share: f64,
        seed: u64,
    },
    Single,
}

impl Splits {
    /// Number of splits.
    pub fn len(&self) -> usize {
        match &self.plan {
            Plan::Parts { count, .. } | Plan::Random { count, .. } => *count,
            Plan::Single => self.rows,
        }
    }

    /// Never true: there is always a split.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The training rows and the test rows of split `number`; `None` after the last. O(n).
    ///
    /// In ascending order, but in random order for random splits.
    pub fn get(&self, number: usize) -> Option<(Vec<usize>, Vec<usize>)> {
        if number >= self.len() {
            return None;
        }
        match &self.plan {
            Plan::Parts { fold_of, .. } => Some((0..self.rows).partition(|row| fold_of[*row] as usize != number)),
            Plan::Random { labels: None, share, seed, .. } => nth_split(self.rows, *share, *seed, number as u32).ok(),
            Plan::Random { labels: Some(labels), share, seed, .. } => {
                nth_stratified_split(labels, *share, *seed, number as u32).ok()
            }
            Plan::Single => Some(((0..self.rows).filter(|row| *row != number).collect(), vec![number])),
        }
    }

    /// All splits, one after the other.
    pub fn iter(&self) -> impl Iterator<Item = (Vec<usize>, Vec<usize>)> + '_ {
        (0..self.len()).filter_map(|number| self.get(number))
    }
}
