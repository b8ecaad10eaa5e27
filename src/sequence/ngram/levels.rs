//! The n-grams of a model, level by level, with what their probabilities follow from.

use super::key::{Key, Packing};
use super::table::Table;
use super::{Ngram, Smoothing};
use crate::error::{Error, Result};

/// The discounts where too little is known to estimate them, as KenLM's.
const FALLBACK: [f64; 3] = [0.5, 1.0, 1.5];

/// The n-grams of m tokens, in the order of their codes: those that follow one context lie side by side.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Level {
    /// Where the n-grams of each context of m − 1 tokens begin, and where the last end. Contexts are the n-grams of the
    /// level below; below the first there is one, the empty one.
    pub offsets: Vec<u32>,
    /// The counts of all that followed a context; with Kneser–Ney also of what was left out.
    pub totals: Vec<u32>,
    /// What is left of each context for shorter ones.
    pub gammas: Vec<f64>,
    /// The last token of each n-gram.
    pub words: Vec<u32>,
    pub counts: Vec<u32>,
}

/// All levels, from single tokens to n-grams of the order.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Levels {
    pub levels: Vec<Level>,
    /// What is taken off counts of 1, 2 and more, at each level; 0 without Kneser–Ney.
    pub discounts: Vec<[f64; 3]>,
}

impl Level {
    /// The place of a token among those that follow a context.
    pub fn find(&self, context: usize, word: u32) -> Option<usize> {
        let range = self.offsets[context] as usize..self.offsets[context + 1] as usize;
        let first = range.start;
        self.words[range].binary_search(&word).ok().map(|at| first + at)
    }

    /// The tokens that follow a context and their counts.
    pub fn followers(&self, context: usize) -> (&[u32], &[u32]) {
        let range = self.offsets[context] as usize..self.offsets[context + 1] as usize;
        (&self.words[range.clone()], &self.counts[range])
    }
}

/// What is taken off a count.
pub(super) fn discount(discounts: &[f64; 3], count: u32) -> f64 {
    match count {
        0 => 0.0,
        count => discounts[count.min(3) as usize - 1],
    }
}

impl Levels {
    /// Levels from the n-grams of the highest order. Those below count what their last tokens were part of.
    pub fn build<const W: usize>(top: Table<W>, packing: Packing, params: &Ngram, names: usize) -> Result<Levels> {
        let Packing { order, bits } = packing;
        let mut tables = vec![top];
        for length in (1..order).rev() {
            let above = &tables[tables.len() - 1];
            let pairs = above.keys.iter().map(|key| key.last(length, bits)).zip(above.counts.iter().copied());
            tables.push(Table::of_pairs(pairs.collect()));
        }
        tables.reverse();
        if tables.iter().any(|table| table.len() >= u32::MAX as usize - names) {
            let what = "different n-grams of one length".to_string();
            let need = tables.iter().map(Table::len).max().unwrap_or(0) as u64;
            return Err(Error::Limit { what, need, have: u64::from(u32::MAX) });
        }
        let mut found = Levels::default();
        let mut contexts = vec![Key::<W>::ZERO];
        for (table, length) in tables.into_iter().zip(1..) {
            let counts = adjusted(&table, length, packing, params);
            let discounts = match params.smoothing {
                Smoothing::KneserNey(Some(discount)) => [discount; 3],
                Smoothing::KneserNey(None) => estimated(&counts),
                _ => [0.0; 3],
            };
            let kept = |at: usize| length == 1 || table.counts[at] >= params.min_count;
            let interpolated = matches!(params.smoothing, Smoothing::KneserNey(_));
            let discounts_of = interpolated.then_some(&discounts);
            found.levels.push(level(&contexts, (&table.keys, &counts), bits, discounts_of, kept));
            found.discounts.push(discounts);
            contexts = (0..table.len()).filter(|at| kept(*at)).map(|at| table.keys[at]).collect();
            // The places before a sequence are contexts that nothing is counted for; their code is 0.
            if length < order {
                contexts.insert(0, Key::ZERO);
                found.add_begin();
            }
        }
        Ok(found)
    }

    /// Adds the context of begins alone to the last level, behind the same of the level below.
    fn add_begin(&mut self) {
        let Some(level) = self.levels.last_mut() else { return };
        level.words.insert(0, super::BEGIN);
        level.counts.insert(0, 0);
        level.offsets.iter_mut().skip(1).for_each(|offset| *offset += 1);
    }
}

/// The counts that probabilities are made of: for Kneser–Ney below the highest order, in how many contexts an n-gram came;
/// at the begin of a sequence there is but one context, so how often it came (as SRILM and KenLM do).
fn adjusted<const W: usize>(table: &Table<W>, length: usize, packing: Packing, params: &Ngram) -> Vec<u32> {
    let lower = length < packing.order && matches!(params.smoothing, Smoothing::KneserNey(_));
    if !lower {
        return table.counts.clone();
    }
    let begins = |key: Key<W>| length > 1 && key == key.last(length - 1, packing.bits);
    let places = table.keys.iter().zip(&table.counts).zip(&table.before);
    places.map(|((key, count), before)| if begins(*key) { *count } else { *before }).collect()
}

/// The discounts of Chen and Goodman's modified Kneser–Ney, from how many counts are 1, 2, 3 and 4.
fn estimated(counts: &[u32]) -> [f64; 3] {
    let mut of = [0.0_f64; 5];
    counts.iter().filter(|count| **count < 5).for_each(|count| of[*count as usize] += 1.0);
    if of[1..].contains(&0.0) {
        return FALLBACK;
    }
    let share = of[1] / (of[1] + 2.0 * of[2]);
    let one = |size: usize| size as f64 - (size + 1) as f64 * share * of[size + 1] / of[size];
    let found = [one(1), one(2), one(3)];
    // A larger count loses more, and none all of it: else the counts are too few.
    let sound =
        found[0] > 0.0 && found.is_sorted() && found.iter().zip(1..).all(|(off, count)| *off < f64::from(count));
    if sound { found } else { FALLBACK }
}

/// One level: the n-grams of each context that are kept, and what is left of its probability. Discounts are those of
/// Kneser–Ney.
fn level<const W: usize>(
    contexts: &[Key<W>],
    (keys, counts): (&[Key<W>], &[u32]),
    bits: u32,
    discounts: Option<&[f64; 3]>,
    kept: impl Fn(usize) -> bool,
) -> Level {
    let mut level = Level { offsets: vec![0], ..Level::default() };
    let mut at = 0;
    for context in contexts {
        let (mut total, mut given) = (0_u32, 0.0);
        while at < keys.len() && keys[at].without_last(bits) <= *context {
            if keys[at].without_last(bits) == *context {
                // Only shorter contexts have a use for what was left out.
                total += if kept(at) || discounts.is_some() { counts[at] } else { 0 };
                if kept(at) {
                    let off = discounts.map_or(0.0, |discounts| discount(discounts, counts[at]));
                    given += f64::from(counts[at]) - off;
                    level.words.push(keys[at].last_code(bits));
                    level.counts.push(counts[at]);
                }
            }
            at += 1;
        }
        level.offsets.push(level.words.len() as u32);
        level.totals.push(total);
        level.gammas.push(if total > 0 { (1.0 - given / f64::from(total)).clamp(0.0, 1.0) } else { 1.0 });
    }
    level
}
