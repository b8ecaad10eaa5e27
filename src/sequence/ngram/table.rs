//! n-grams of one length with their counts.

use rayon::prelude::*;

use super::key::Key;

/// n-grams in ascending order, each once.
#[derive(Debug, Clone, Default)]
pub(super) struct Table<const W: usize> {
    pub keys: Vec<Key<W>>,
    /// How often each was seen.
    pub counts: Vec<u32>,
    /// How many different tokens were seen before each.
    pub before: Vec<u32>,
}

impl<const W: usize> Table<W> {
    /// Counts equal keys.
    pub fn of_keys(mut keys: Vec<Key<W>>) -> Table<W> {
        keys.par_sort_unstable();
        let mut counts = Vec::new();
        let mut kept = 0;
        for at in 0..keys.len() {
            if kept > 0 && keys[kept - 1] == keys[at] {
                counts[kept - 1] += 1;
            } else {
                keys[kept] = keys[at];
                counts.push(1);
                kept += 1;
            }
        }
        keys.truncate(kept);
        keys.shrink_to_fit();
        Table { keys, counts, before: vec![] }
    }

    /// Adds up the counts of equal keys, and how many there were.
    pub fn of_pairs(mut pairs: Vec<(Key<W>, u32)>) -> Table<W> {
        pairs.par_sort_unstable();
        let mut table = Table::default();
        for (key, count) in pairs {
            if table.keys.last() == Some(&key) {
                let last = table.counts.len() - 1;
                table.counts[last] += count;
                table.before[last] += 1;
            } else {
                table.keys.push(key);
                table.counts.push(count);
                table.before.push(1);
            }
        }
        table
    }

    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Both together.
    pub fn merged(self, other: Table<W>) -> Table<W> {
        if self.keys.is_empty() {
            return other;
        }
        let (mut keys, mut counts) = (Vec::new(), Vec::new());
        keys.reserve_exact(self.len().max(other.len()));
        counts.reserve_exact(self.len().max(other.len()));
        let (mut a, mut b) = (0, 0);
        while a < self.len() || b < other.len() {
            let order = match (self.keys.get(a), other.keys.get(b)) {
                (Some(first), Some(second)) => first.cmp(second),
                (Some(_), None) => std::cmp::Ordering::Less,
                _ => std::cmp::Ordering::Greater,
            };
            let (key, count) = match order {
                std::cmp::Ordering::Less => (self.keys[a], self.counts[a]),
                std::cmp::Ordering::Greater => (other.keys[b], other.counts[b]),
                std::cmp::Ordering::Equal => (self.keys[a], self.counts[a] + other.counts[b]),
            };
            a += usize::from(order.is_le());
            b += usize::from(order.is_ge());
            keys.push(key);
            counts.push(count);
        }
        Table { keys, counts, before: vec![] }
    }
}
