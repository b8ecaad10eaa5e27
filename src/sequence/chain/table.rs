//! Contexts of one length and what followed them.

use std::collections::HashMap;

use crate::error::Result;
use crate::model_file::Container;

/// Contexts of `length` symbols in ascending order, and for each the symbols that followed and how often. The code behind
/// the last symbol stands for the places before the first symbol of a sequence.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ContextTable {
    pub length: usize,
    /// The contexts one after the other, `length` codes each.
    contexts: Vec<u32>,
    /// Where the followers of each context begin, and where the last end.
    offsets: Vec<u64>,
    followers: Vec<u32>,
    counts: Vec<f64>,
    /// The sum of the counts of each context.
    totals: Vec<f64>,
}

/// What followed a context.
#[derive(Debug, Clone, Copy)]
pub(super) struct Followers<'a> {
    pub symbols: &'a [u32],
    pub counts: &'a [f64],
    pub total: f64,
}

impl Followers<'_> {
    pub fn count(&self, symbol: u32) -> f64 {
        self.symbols.binary_search(&symbol).map_or(0.0, |at| self.counts[at])
    }
}

impl ContextTable {
    /// Counts what follows the last `length` symbols, in sequences with `order` times `start` before them.
    pub fn count(sequences: &[Vec<u32>], order: usize, length: usize, start: u32) -> ContextTable {
        let mut found: HashMap<Vec<u32>, HashMap<u32, u64>> = HashMap::new();
        for sequence in sequences {
            let padded: Vec<u32> = std::iter::repeat_n(start, order).chain(sequence.iter().copied()).collect();
            for window in padded.windows(order + 1) {
                let context = &window[order - length..order];
                // Looked up first, so that only new contexts are copied.
                if !found.contains_key(context) {
                    found.insert(context.to_vec(), HashMap::new());
                }
                if let Some(followers) = found.get_mut(context) {
                    *followers.entry(window[order]).or_default() += 1;
                }
            }
        }
        let mut found: Vec<(Vec<u32>, HashMap<u32, u64>)> = found.into_iter().collect();
        found.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let mut table = ContextTable::empty(length);
        for (context, followers) in found {
            let mut followers: Vec<(u32, u64)> = followers.into_iter().collect();
            followers.sort_unstable();
            table.push(&context, followers.into_iter().map(|(symbol, count)| (symbol, count as f64)));
        }
        table
    }

    /// Rows of probabilities, the contexts in ascending order.
    pub fn from_rows<'a>(length: usize, rows: impl IntoIterator<Item = (Vec<u32>, &'a [f64])>) -> ContextTable {
        let mut table = ContextTable::empty(length);
        for (context, row) in rows {
            table.push(&context, (0..).zip(row.iter().copied()).filter(|(_, probability)| *probability > 0.0));
        }
        table
    }

    fn empty(length: usize) -> ContextTable {
        let (contexts, followers, counts, totals) = (vec![], vec![], vec![], vec![]);
        ContextTable { length, contexts, offsets: vec![0], followers, counts, totals }
    }

    fn push(&mut self, context: &[u32], followers: impl Iterator<Item = (u32, f64)>) {
        self.contexts.extend_from_slice(context);
        let before = self.counts.len();
        followers.for_each(|(symbol, count)| {
            self.followers.push(symbol);
            self.counts.push(count);
        });
        self.totals.push(self.counts[before..].iter().sum());
        self.offsets.push(self.counts.len() as u64);
    }

    /// Number of contexts.
    pub fn len(&self) -> usize {
        self.totals.len()
    }

    /// The contexts in ascending order.
    pub fn contexts(&self) -> impl Iterator<Item = &[u32]> {
        // The empty context has no codes.
        (0..self.len()).map(|at| self.context(at))
    }

    fn context(&self, at: usize) -> &[u32] {
        &self.contexts[at * self.length..(at + 1) * self.length]
    }

    /// What followed a context, if it was seen.
    pub fn get(&self, context: &[u32]) -> Option<Followers<'_>> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = (low + high) / 2;
            match self.context(middle).cmp(context) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => {
                    let range = self.offsets[middle] as usize..self.offsets[middle + 1] as usize;
                    let (symbols, counts) = (&self.followers[range.clone()], &self.counts[range]);
                    return Some(Followers { symbols, counts, total: self.totals[middle] });
                }
            }
        }
        None
    }

    pub fn store(&self, container: &mut Container) -> Result<()> {
        let name = |part: &str| format!("contexts{}.{part}", self.length);
        container.insert(&name("codes"), &[self.len(), self.length], self.contexts.clone())?;
        container.insert_list(&name("offsets"), &self.offsets)?;
        container.insert_list(&name("followers"), &self.followers)?;
        container.insert_list(&name("counts"), &self.counts)
    }

    /// Contexts of this length over so many symbols: in order, each with followers in order and counts above 0.
    pub fn restore(container: &mut Container, length: usize, symbols: usize) -> Result<ContextTable> {
        let name = |part: &str| format!("contexts{length}.{part}");
        let [rows, _] = container.shape(&name("codes"))?;
        let contexts: Vec<u32> = container.take(&name("codes"), &[rows, length])?;
        let offsets: Vec<u64> = container.take(&name("offsets"), &[rows + 1])?;
        let followers: Vec<u32> = container.take_list(&name("followers"))?;
        let counts: Vec<f64> = container.take(&name("counts"), &[followers.len()])?;
        let ascending = offsets.windows(2).all(|pair| pair[0] < pair[1]);
        let whole = offsets.first() == Some(&0) && offsets.last() == Some(&(followers.len() as u64));
        let known = contexts.iter().all(|code| *code as usize <= symbols)
            && followers.iter().all(|code| (*code as usize) < symbols);
        if !ascending || !whole || !known || rows == 0 || counts.iter().any(|count| *count <= 0.0) {
            return Err(container.refuse(format!("the contexts of {length} symbols do not fit together")));
        }
        let mut table = ContextTable::empty(length);
        for (row, pair) in offsets.windows(2).enumerate() {
            let range = pair[0] as usize..pair[1] as usize;
            let pairs = followers[range.clone()].iter().copied().zip(counts[range].iter().copied());
            table.push(&contexts[row * length..(row + 1) * length], pairs);
        }
        let sorted = (1..table.len()).all(|at| table.context(at - 1) < table.context(at));
        let each_sorted = |pair: &[u64]| followers[pair[0] as usize..pair[1] as usize].is_sorted_by(|a, b| a < b);
        if !sorted || !offsets.windows(2).all(each_sorted) {
            return Err(container.refuse(format!("the contexts of {length} symbols are not in order")));
        }
        Ok(table)
    }
}
