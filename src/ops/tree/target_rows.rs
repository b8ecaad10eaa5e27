//! Where the words of rows that learn classes or numbers are on a GPU.

use std::sync::Arc;

use super::upload_words;
use crate::cpu::tree::TargetRows;
use crate::device::{Buffer, Recording};
use crate::error::Result;

/// Where a shader reads that a tree has every row once.
pub(super) const ONCE: u32 = u32::MAX;

/// Where the words of targets are, in 32-bit words: the first of the first tree, and how many a tree has. The classes of all
/// rows come before them, where there are classes.
pub(super) struct TargetPlaces {
    pub first: usize,
    pub tree: usize,
}

/// Where the words of each tree begin, and the counts of its draws.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct TreeWords {
    first: u32,
    /// Words from one tree to the next; 0 where all have the same.
    tree: u32,
    /// Where the counts of the first tree's draws begin; none where trees have each row once.
    drawn: Option<u32>,
    rows: u32,
}

impl TreeWords {
    /// Trees with words of their own.
    pub fn own(places: &TargetPlaces) -> TreeWords {
        TreeWords { first: places.first as u32, tree: places.tree as u32, ..TreeWords::default() }
    }

    /// Trees that share the words of their rows, of which there are `rows`; with counts of draws or without.
    pub fn shared(places: &TargetPlaces, rows: usize, has_draws: bool) -> TreeWords {
        let drawn = has_draws.then_some((places.first + places.tree) as u32);
        TreeWords { first: places.first as u32, tree: 0, drawn, rows: rows as u32 }
    }

    /// Where the words of the first tree begin, how many words further those of the next are, and where the counts of the first
    /// tree's draws begin.
    pub fn steps(&self) -> [u32; 3] {
        [self.first, self.tree, self.drawn.unwrap_or(ONCE)]
    }

    /// Where the words of a tree begin, and the counts of its draws.
    pub fn of(&self, tree: usize) -> [u32; 2] {
        let drawn = self.drawn.map_or(ONCE, |first| first + tree as u32 * self.rows);
        [self.first + tree as u32 * self.tree, drawn]
    }
}

impl TargetPlaces {
    pub fn of(targets: &[TargetRows<'_>]) -> TargetPlaces {
        match targets.first() {
            None => TargetPlaces { first: 0, tree: 0 },
            Some(TargetRows::Classes(target)) => {
                TargetPlaces { first: target.words.len(), tree: 2 * target.words.len() }
            }
            Some(TargetRows::Values(target)) => {
                TargetPlaces { first: 0, tree: 2 * (1 + target.outputs) * target.words.len() }
            }
        }
    }
}

/// Brings the classes of all rows to the beginning of a buffer, where there are classes.
pub(super) fn upload_classes(recording: &mut Recording, to: &Arc<Buffer>, target: &TargetRows<'_>) -> Result<()> {
    match target {
        TargetRows::Classes(target) => upload_words(recording, to, &target.codes[..target.words.len()]),
        TargetRows::Values(_) => Ok(()),
    }
}

/// Brings the words of all rows to a place of a buffer.
pub(super) fn upload_target(
    recording: &mut Recording,
    to: &Arc<Buffer>,
    first: usize,
    target: &TargetRows<'_>,
) -> Result<()> {
    let words = TargetPlaces::of(std::slice::from_ref(target)).tree;
    recording.upload(to, first as u64, words as u64, &|from, part| {
        part.iter_mut().zip(from as usize..).for_each(|(half, at)| *half = half_word(target, at));
    })
}

/// Half number `at` of the 64-bit words of a tree's rows, the lower half first.
fn half_word(target: &TargetRows<'_>, at: usize) -> u32 {
    let word = match target {
        TargetRows::Classes(target) => target.words[at / 2],
        TargetRows::Values(target) => target.word(at / 2 / (1 + target.outputs), at / 2 % (1 + target.outputs)),
    };
    (word >> (32 * (at % 2))) as u32
}
