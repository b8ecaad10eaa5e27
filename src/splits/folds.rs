//! Several splits of the same rows, to fit and test on each.

use serde::{Deserialize, Serialize};

use super::groups::{group_folds, stratified_group_folds};
use super::ordered::Ordered;
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
    /// Parts of about equal size that keep the rows of a group together.
    Group {
        /// Number of parts, from 2 to the number of groups.
        n_splits: usize,
        /// The group of each row.
        groups: Vec<u32>,
        /// Whether each part has its share of every class, as nearly as whole groups allow; needs labels.
        stratified: bool,
    },
    /// Rows in the order of time: each part is tested by a model of rows before it alone.
    TimeSeries {
        /// Number of tests, at least 2.
        n_splits: usize,
        /// Rows between those that are fitted and those that are tested, which are used for neither.
        gap: usize,
        /// Rows of each test; by default those of `n_splits` + 1 equal parts.
        test_size: Option<usize>,
    },
    /// Shuffled parts several times, each time in another order.
    Repeated {
        /// What is repeated: [`Folds::KFold`] or [`Folds::Stratified`].
        folds: Box<Folds>,
        /// How many times, at least 1.
        n_repeats: usize,
    },
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

    /// Parts that keep the rows of a group together; `groups` has a group for each row.
    ///
    /// ```
    /// use gristmill::{Labels, selection::Folds};
    /// let patients = Labels::from_names(&["a", "a", "b", "c", "b", "c"]);
    /// for (train, test) in Folds::group(3, &patients).split(6, None)?.iter() {
    ///     assert!(train.iter().all(|row| patients.name(*row) != patients.name(test[0])));
    /// }
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    #[doc(alias = "GroupKFold")]
    pub fn group(n_splits: usize, groups: &Labels) -> Folds {
        Folds::Group { n_splits, groups: groups.codes().to_vec(), stratified: false }
    }

    /// The same, each part with its share of every class, as nearly as whole groups allow.
    #[doc(alias = "StratifiedGroupKFold")]
    pub fn stratified_group(n_splits: usize, groups: &Labels) -> Folds {
        Folds::Group { n_splits, groups: groups.codes().to_vec(), stratified: true }
    }

    /// Rows in the order of time, with a gap between those that are fitted and those that are tested.
    ///
    /// ```
    /// use gristmill::selection::Folds;
    /// let splits = Folds::time_series(2, 1).split(9, None)?;
    /// assert_eq!(splits.get(0).unwrap(), (vec![0, 1], vec![3, 4, 5]));
    /// assert_eq!(splits.get(1).unwrap(), (vec![0, 1, 2, 3, 4], vec![6, 7, 8]));
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    #[doc(alias = "TimeSeriesSplit")]
    pub fn time_series(n_splits: usize, gap: usize) -> Folds {
        Folds::TimeSeries { n_splits, gap, test_size: None }
    }

    /// These folds several times, shuffled anew each time.
    ///
    /// ```
    /// use gristmill::selection::Folds;
    /// assert_eq!(Folds::k_fold(5).repeated(3).split(20, None)?.len(), 15);
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    #[doc(alias = "RepeatedKFold")]
    #[doc(alias = "RepeatedStratifiedKFold")]
    pub fn repeated(self, n_repeats: usize) -> Folds {
        Folds::Repeated { folds: Box::new(self), n_repeats }
    }

    /// Sets the seed, and that rows are shuffled; groups and rows in the order of time stay as they are.
    pub fn seed(self, seed: u64) -> Folds {
        match self {
            Folds::KFold { n_splits, .. } => Folds::KFold { n_splits, shuffle: true, seed },
            Folds::Stratified { n_splits, .. } => Folds::Stratified { n_splits, shuffle: true, seed },
            Folds::Shuffle { n_splits, train_size, .. } => Folds::Shuffle { n_splits, train_size, seed },
            Folds::StratifiedShuffle { n_splits, train_size, .. } => {
                Folds::StratifiedShuffle { n_splits, train_size, seed }
            }
            Folds::Repeated { folds, n_repeats } => Folds::Repeated { folds: Box::new(folds.seed(seed)), n_repeats },
            fixed @ (Folds::LeaveOneOut | Folds::Group { .. } | Folds::TimeSeries { .. }) => fixed,
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
        let plan = match self {
            &Folds::KFold { n_splits, shuffle, seed } => {
                check_splits(n_splits, 2, n, "the number of rows")?;
                let order = if shuffle { shuffled(n, seed, STREAM) } else { (0..n).collect() };
                Plan::Parts { fold_of: consecutive(&order, n_splits), count: n_splits }
            }
            &Folds::Stratified { n_splits, shuffle, seed } => {
                Plan::Parts { fold_of: stratified(&classes()?, n_splits, shuffle, seed)?, count: n_splits }
            }
            &Folds::Shuffle { n_splits, train_size: share, seed } => {
                check_splits(n_splits, 1, u32::MAX as usize, "2³²")?;
                train_size(n, share)?;
                Plan::Random { labels: None, count: n_splits, share, seed }
            }
            &Folds::StratifiedShuffle { n_splits, train_size: share, seed } => {
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
            Folds::Group { n_splits, groups, stratified } => {
                let fold_of = match stratified {
                    true => stratified_group_folds(groups, &classes()?, *n_splits)?,
                    false => group_folds(groups, n, *n_splits)?,
                };
                Plan::Parts { fold_of, count: *n_splits }
            }
            &Folds::TimeSeries { n_splits, gap, test_size } => {
                Plan::Ordered { tests: Ordered::new(n, n_splits, gap, test_size)?, count: n_splits }
            }
            Folds::Repeated { folds, n_repeats } => {
                let (Folds::KFold { seed, .. } | Folds::Stratified { seed, .. }) = **folds else {
                    return Err(Error::param("folds", "k-fold or stratified, to be repeated", format!("{folds:?}")));
                };
                check_splits(*n_repeats, 1, u32::MAX as usize, "2³²")?;
                // Seeds far from each other, as those of neighbouring runs may be neighbours.
                let nth = |repeat: usize| seed.wrapping_add(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(repeat as u64));
                let each = (0..*n_repeats).map(|repeat| folds.as_ref().clone().seed(nth(repeat)).split(n, labels));
                Plan::Repeated(each.collect::<Result<_>>()?)
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
    Ordered {
        tests: Ordered,
        count: usize,
    },
    /// Splits of one length, one after the other.
    Repeated(Vec<Splits>),
}

impl Splits {
    /// Number of splits.
    pub fn len(&self) -> usize {
        match &self.plan {
            Plan::Parts { count, .. } | Plan::Random { count, .. } | Plan::Ordered { count, .. } => *count,
            Plan::Repeated(each) => each.iter().map(Splits::len).sum(),
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
            Plan::Ordered { tests, .. } => Some(tests.get(number)),
            Plan::Repeated(each) => {
                let length = each.first()?.len();
                each.get(number / length)?.get(number % length)
            }
            Plan::Single => Some(((0..self.rows).filter(|row| *row != number).collect(), vec![number])),
        }
    }

    /// All splits, one after the other.
    pub fn iter(&self) -> impl Iterator<Item = (Vec<usize>, Vec<usize>)> + '_ {
        (0..self.len()).filter_map(|number| self.get(number))
    }
}
