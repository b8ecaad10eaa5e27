//! How the split of a node comes back from a device: a rule, and the sums of the left child in as many bits as the node's own
//! need. At the deepest level of a forest there are hundreds of thousands of nodes, of few rows each.

use super::target_split::TargetSearch;
use crate::cpu::tree::target::{ScoreKind, TreeTarget};

/// Whether there is a split, and whether missing values go left; its bin, and how many bins without rows follow.
const RULE_BITS: [u32; 4] = [1, 1, 8, 8];

/// Where what was found for a node stands among the bits that come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WinnerPlace {
    first: usize,
    bits: usize,
}

/// What a device found for a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Winner {
    /// Its bin, and the next one that has rows.
    pub bin: usize,
    pub next: usize,
    pub missing_left: bool,
    /// The place of its feature among those of the node.
    pub at: usize,
    /// The sums of the left child.
    pub left: Vec<u64>,
}

/// Bits that hold all numbers up to one.
fn bits_of(most: u64) -> u32 {
    u64::BITS - most.leading_zeros()
}

/// Bits of weight and count of each word of a node's children; sums of numbers have all their bits, as they have a sign.
fn widths<'a, T: TreeTarget>(search: &'a TargetSearch<'_, T>) -> impl Iterator<Item = [u32; 2]> + 'a {
    let (score, cell) = (search.node.target.score(), search.node.cell);
    let is_sum = move |at: usize| score.kind == ScoreKind::Variance && at > 0;
    let count_of = move |word: u64| word & ((1 << score.count_bits) - 1);
    cell.iter().enumerate().map(move |(at, word)| match is_sum(at) {
        true => [u64::BITS, 0],
        false => [bits_of(*word >> score.count_bits), bits_of(count_of(*word))],
    })
}

impl WinnerPlace {
    /// The places of what is found for nodes of so many features at most, one behind the other.
    pub fn of_all<T: TreeTarget>(searches: &[TargetSearch<'_, T>], width: usize) -> Vec<WinnerPlace> {
        let rule = RULE_BITS.iter().sum::<u32>() + feature_bits(width);
        let mut first = 0;
        let place = |search: &TargetSearch<'_, T>| {
            let bits = (rule + widths(search).flatten().sum::<u32>()) as usize;
            first += bits;
            WinnerPlace { first: first - bits, bits }
        };
        searches.iter().map(place).collect()
    }

    /// The first bit.
    pub fn first(&self) -> u32 {
        self.first as u32
    }

    /// The word behind the last.
    pub fn end_word(&self) -> usize {
        (self.first + self.bits).div_ceil(32)
    }

    /// What was found for the node, out of all words that came back.
    pub fn read<T: TreeTarget>(&self, search: &TargetSearch<'_, T>, width: usize, words: &[u32]) -> Option<Winner> {
        let mut at = self.first;
        let mut next = |bits: u32| {
            at += bits as usize;
            bits_at(words, at - bits as usize, bits)
        };
        let [is_found, missing_left, bin, empty] = RULE_BITS.map(&mut next);
        if is_found == 0 {
            return None;
        }
        let own = next(feature_bits(width)) as usize;
        let count_bits = search.node.target.score().count_bits;
        let left = widths(search).map(|[upper, lower]| match upper {
            u64::BITS => next(upper),
            _ => next(upper) << count_bits | next(lower),
        });
        let left = left.collect();
        Some(Winner {
            bin: bin as usize,
            next: (bin + 1 + empty) as usize,
            missing_left: missing_left == 1,
            at: own,
            left,
        })
    }
}

/// Bits of the place of a feature among so many.
fn feature_bits(width: usize) -> u32 {
    bits_of(width.saturating_sub(1) as u64)
}

/// Up to 64 bits from a place on, the lowest first.
fn bits_at(words: &[u32], place: usize, bits: u32) -> u64 {
    let mut found = 0;
    let mut have = 0;
    while have < bits {
        let at = place + have as usize;
        let taken = (32 - at as u32 % 32).min(bits - have);
        let part = u64::from(words[at / 32] >> (at % 32)) & ((1 << taken) - 1);
        found |= part << have;
        have += taken;
    }
    found
}
