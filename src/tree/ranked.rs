//! What a heap holds in the order of a number.

use std::cmp::Ordering;

/// An item of a heap, which gives the highest rank first, and of equal ranks the lowest number.
pub(super) struct Ranked<T> {
    pub rank: f64,
    pub number: usize,
    pub item: T,
}

impl<T> Ord for Ranked<T> {
    fn cmp(&self, other: &Ranked<T>) -> Ordering {
        self.rank.total_cmp(&other.rank).then(other.number.cmp(&self.number))
    }
}

impl<T> PartialOrd for Ranked<T> {
    fn partial_cmp(&self, other: &Ranked<T>) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> PartialEq for Ranked<T> {
    fn eq(&self, other: &Ranked<T>) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<T> Eq for Ranked<T> {}
