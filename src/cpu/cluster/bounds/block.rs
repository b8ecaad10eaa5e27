//! One block of rows: which of them need distances, to which groups of centres, and what that makes of the bounds.

use super::margin::{Margin, grown, shrunk};
use crate::cpu::tile::{Candidates, Found, pair_distances, two_nearest};
use crate::cpu::vectorised;

/// Rows in a block, and so in a task.
pub(super) const BLOCK_ROWS: usize = 1024;
/// No centre.
const NONE: u32 = u32::MAX;

/// What all blocks of a pass share.
pub(super) struct Pass<'a> {
    pub(super) d: usize,
    pub(super) centers: &'a [f32],
    pub(super) candidates: &'a Candidates,
    /// Panels of candidates in a group.
    pub(super) group_panels: usize,
    pub(super) groups: usize,
    /// How far each centre moved at most.
    pub(super) shifts: Vec<f32>,
    /// How far the centres of each group moved at most.
    pub(super) drifts: Vec<f32>,
    pub(super) margin: Margin,
}

/// Some rows, their labels and their bounds; `lower` is `groups × BLOCK_ROWS`.
pub(super) struct Block<'a> {
    pub(super) x: &'a [f32],
    pub(super) labels: &'a mut [u32],
    pub(super) upper: &'a mut [f32],
    pub(super) lower: &'a mut [f32],
}

/// Buffers of one thread.
pub(super) struct Scratch {
    /// Rows whose label is in doubt.
    doubtful: Vec<u32>,
    /// The best centre of each row of the block so far and its squared distance; only of rows in doubt.
    label: Vec<u32>,
    value: Vec<f32>,
    /// The smallest of a row's lower bounds.
    lowest: Vec<f32>,
    /// Rows to search one group for, and what was found.
    list: Vec<u32>,
    index: Vec<u32>,
    distance: Vec<f32>,
    second: Vec<f32>,
    /// The lower bounds that `distance` and `second` give.
    near: Vec<f32>,
    next: Vec<f32>,
}

impl Scratch {
    pub(super) fn new() -> Self {
        let (integers, numbers) = (|| vec![0; BLOCK_ROWS], || vec![0.0; BLOCK_ROWS]);
        Self {
            doubtful: integers(),
            label: integers(),
            value: numbers(),
            lowest: numbers(),
            list: integers(),
            index: integers(),
            distance: numbers(),
            second: numbers(),
            near: numbers(),
            next: numbers(),
        }
    }
}

impl Pass<'_> {
    /// Assigns one block; returns how many labels changed and how many distances it took.
    pub(super) fn run(&self, mut block: Block<'_>, valid: bool, scratch: &mut Scratch) -> (usize, usize) {
        let rows = block.labels.len();
        let mut work = 0;
        let doubtful = if !valid {
            scratch.doubtful.iter_mut().zip(0..).for_each(|(slot, row)| *slot = row);
            scratch.label.fill(NONE);
            scratch.value.fill(f32::INFINITY);
            block.upper.fill(f32::INFINITY);
            block.lower.fill(0.0);
            rows
        } else {
            let count = vectorised!(loosen(self, &mut block, scratch));
            work += if self.tightens() { count } else { 0 };
            self.tighten(&mut block, count, scratch)
        };
        for group in 0..self.groups {
            work += self.search(group, &mut block, doubtful, scratch);
        }
        let mut changed = 0;
        for &row in &scratch.doubtful[..doubtful] {
            let row = row as usize;
            changed += usize::from(block.labels[row] != scratch.label[row]);
            block.labels[row] = scratch.label[row];
        }
        (changed, work)
    }

    /// Whether one distance is cheap enough beside a search to be tried first: a search of two panels is as cheap.
    fn tightens(&self) -> bool {
        self.groups > 1 || self.candidates.panels() > 2
    }

    /// Replaces the upper bounds of rows in doubt by their true distances; returns how many are in doubt still.
    fn tighten(&self, block: &mut Block<'_>, count: usize, scratch: &mut Scratch) -> usize {
        let Scratch { doubtful, label, value, lowest, distance, .. } = scratch;
        if !self.tightens() {
            // The one group has the own centre in it and finds it again.
            for &row in &doubtful[..count] {
                (label[row as usize], value[row as usize]) = (NONE, f32::INFINITY);
            }
            return count;
        }
        let (x, centers, labels, d) = (block.x, self.centers, &*block.labels, self.d);
        let pair = |index: usize| {
            let row = doubtful[index] as usize;
            let center = labels[row] as usize;
            (&x[row * d..(row + 1) * d], &centers[center * d..(center + 1) * d])
        };
        pair_distances(pair, &mut distance[..count]);
        let mut left = 0;
        for index in 0..count {
            let row = doubtful[index] as usize;
            (label[row], value[row]) = (labels[row], distance[index]);
            block.upper[row] = self.margin.above(distance[index]);
            doubtful[left] = row as u32;
            left += usize::from(!self.margin.decides(block.upper[row], lowest[row]));
        }
        left
    }

    /// Searches one group for the rows whose bound does not rule it out; returns the number of distances.
    fn search(&self, group: usize, block: &mut Block<'_>, doubtful: usize, scratch: &mut Scratch) -> usize {
        let Scratch { doubtful: rows, label, value, list, index, distance, second, near, next, .. } = scratch;
        let bounds = group * BLOCK_ROWS;
        let mut count = 0;
        for &row in &rows[..doubtful] {
            list[count] = row;
            let (upper, lower) = (block.upper[row as usize], block.lower[bounds + row as usize]);
            count += usize::from(!self.margin.decides(upper, lower));
        }
        let first = group * self.group_panels;
        let panels = first..self.candidates.panels().min(first + self.group_panels);
        let size = (panels.end * self.candidates.width()).min(self.centers.len() / self.d)
            - panels.start * self.candidates.width();
        let found =
            Found { index: &mut index[..count], distance: &mut distance[..count], second: &mut second[..count] };
        two_nearest(block.x, &list[..count], self.candidates, panels, found);
        let (near, next) = (&mut near[..count], &mut next[..count]);
        vectorised!(set_lower(self.margin, &distance[..count], near));
        vectorised!(set_lower(self.margin, &second[..count], next));
        for at in 0..count {
            let row = list[at] as usize;
            let (best, nearest) = (label[row], index[at]);
            let closer = distance[at] < value[row] || (distance[at] == value[row] && nearest < best);
            // The own centre is not one of the others, which a lower bound is about.
            block.lower[bounds + row] = if closer || nearest == best { next[at] } else { near[at] };
            if closer {
                // The old best is one of the others now; if it is in this group, `second` knows it.
                let old = best as usize / (self.group_panels * self.candidates.width());
                if best != NONE && old != group {
                    let old = &mut block.lower[old * BLOCK_ROWS + row];
                    *old = old.min(self.margin.below(value[row]));
                }
                (label[row], value[row]) = (nearest, distance[at]);
                block.upper[row] = self.margin.above(distance[at]);
            }
        }
        count * size
    }
}

/// Moves all bounds of a block with the centres and lists the rows that they do not decide.
#[inline(always)]
fn loosen(pass: &Pass<'_>, block: &mut Block<'_>, scratch: &mut Scratch) -> usize {
    let Block { labels, upper, lower, .. } = block;
    let Scratch { doubtful, lowest, distance: shift, index: doubt, .. } = scratch;
    let rows = upper.len();
    let (lowest, shift, doubt) = (&mut lowest[..rows], &mut shift[..rows], &mut doubt[..rows]);
    lowest.fill(f32::INFINITY);
    for (lower, &drift) in lower.chunks_exact_mut(BLOCK_ROWS).zip(&pass.drifts) {
        for (lower, lowest) in lower.iter_mut().zip(&mut *lowest) {
            *lower = shrunk(*lower, drift);
            *lowest = if *lower < *lowest { *lower } else { *lowest };
        }
    }
    // Three loops: the look-up and the list cannot be vectorised and would keep the arithmetic from it.
    for (shift, &label) in shift.iter_mut().zip(&**labels) {
        *shift = pass.shifts[label as usize];
    }
    let margin = pass.margin;
    for (((upper, &lowest), &shift), doubt) in upper.iter_mut().zip(&*lowest).zip(&*shift).zip(&mut *doubt) {
        *upper = grown(*upper, shift);
        *doubt = u32::from(!margin.decides(*upper, lowest));
    }
    let mut count = 0;
    for (row, &doubt) in doubt.iter().enumerate() {
        doubtful[count] = row as u32;
        count += doubt as usize;
    }
    count
}

/// Lower bounds from computed squares.
#[inline(always)]
fn set_lower(margin: Margin, squared: &[f32], bound: &mut [f32]) {
    for (bound, &squared) in bound.iter_mut().zip(squared) {
        *bound = margin.below(squared);
    }
}
