//! How the split of a node comes back from a device: four bytes of its rule, and the sums of the left child as narrow as the
//! node's own allow. At the deepest level of a forest there are hundreds of thousands of nodes, of few rows each.

use super::target_split::TargetSearch;
use crate::cpu::tree::target::{ScoreKind, TreeTarget};

/// The rule of a node that has no split.
const NONE: u32 = u32::MAX;

/// Where what was found for a node stands among the words that come back, and how its sums are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WinnerPlace {
    first: usize,
    width: Width,
    /// 64-bit words of a cell, and how many of them have weight and count.
    cell: usize,
    counts: usize,
    count_bits: u32,
}

/// Bits of a word with a weight above a count; numbers as in the shader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Width {
    /// Both as they are.
    Whole = 0,
    /// Eight each, two words to one of 32 bits.
    Quarter = 1,
    /// Sixteen each.
    Half = 2,
}

/// What a device found for a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Winner {
    /// Its bin, and the next one that has rows.
    pub bin: usize,
    pub next: usize,
    pub missing_left: bool,
    /// The number of the feature among those of the node that the device searched.
    pub task: usize,
    /// The sums of the left child.
    pub left: Vec<u64>,
}

impl WinnerPlace {
    /// The places of what is found for nodes, one behind the other.
    pub fn of_all<T: TreeTarget>(searches: &[TargetSearch<'_, T>]) -> Vec<WinnerPlace> {
        let mut first = 0;
        let place = |search: &TargetSearch<'_, T>| {
            let (score, cell) = (search.node.target.score(), search.node.cell);
            // Sums of numbers have all their bits.
            let counts = if score.kind == ScoreKind::Variance { 1 } else { cell.len() };
            let largest = |word: &u64| (word >> score.count_bits).max(word & ((1 << score.count_bits) - 1));
            let width = match cell[..counts].iter().map(largest).max() {
                // Sums that cannot share a word need no less than half of one.
                Some(0..256) if counts > 1 => Width::Quarter,
                Some(0..65_536) => Width::Half,
                _ => Width::Whole,
            };
            let place = WinnerPlace { first, width, cell: cell.len(), counts, count_bits: score.count_bits };
            first = place.end();
            place
        };
        searches.iter().map(place).collect()
    }

    /// The word behind the last.
    pub fn end(&self) -> usize {
        let of_counts = match self.width {
            Width::Whole => 2 * self.counts,
            Width::Half => self.counts,
            Width::Quarter => self.counts.div_ceil(2),
        };
        self.first + 1 + of_counts + 2 * (self.cell - self.counts)
    }

    /// The same as the shader takes it: the place below the width.
    pub fn word(&self) -> u32 {
        self.first as u32 | (self.width as u32) << 30
    }

    /// What was found for the node, out of all words that came back.
    pub fn read(&self, words: &[u32]) -> Option<Winner> {
        let (rule, sums) = words[self.first..self.end()].split_first()?;
        if *rule == NONE {
            return None;
        }
        let bin = (rule & 255) as usize;
        let long = |pair: &[u32]| u64::from(pair[0]) | u64::from(pair[1]) << 32;
        let widened =
            |word: u32, bits: u32| u64::from(word >> bits) << self.count_bits | u64::from(word & ((1 << bits) - 1));
        let mut left: Vec<u64> = match self.width {
            Width::Whole => sums[..2 * self.counts].chunks_exact(2).map(long).collect(),
            Width::Half => sums[..self.counts].iter().map(|word| widened(*word, 16)).collect(),
            Width::Quarter => {
                let quarter = |at: usize| widened(sums[at / 2] >> (16 * (at % 2)) & 0xffff, 8);
                (0..self.counts).map(quarter).collect()
            }
        };
        left.extend(sums[sums.len() - 2 * (self.cell - self.counts)..].chunks_exact(2).map(long));
        Some(Winner {
            bin,
            next: bin + 1 + (rule >> 8 & 255) as usize,
            missing_left: rule >> 31 == 1,
            task: (rule >> 16 & 0x7fff) as usize,
            left,
        })
    }
}
