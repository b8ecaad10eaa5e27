//! Stable partitions: the rows of a node that go left, then those that go right, each in their order.

use std::ops::Range;

use rayon::prelude::*;

use super::BinnedRows;

/// Rows that one task sends left and right.
const BLOCK: usize = 1 << 14;

/// Where the codes of one column go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Route {
    /// The column of the binned rows.
    pub column: u32,
    /// Bit `code mod 32` of word `code / 32`: whether the code goes left.
    pub left: [u32; 8],
}

impl Route {
    /// Whether a code goes left.
    pub fn goes_left(&self, code: u8) -> bool {
        self.left[code as usize / 32] >> (code % 32) & 1 == 1
    }
}

/// Partitions each range of `order` (row numbers) by its route, on all cores, and returns how many rows went left.
///
/// The ranges are disjoint and ascend. `scratch` is as long as `order`. Costs one scattered byte and three writes a
/// row.
pub fn partition(
    matrix: BinnedRows<'_>,
    order: &mut [u32],
    scratch: &mut [u32],
    nodes: &[(Range<usize>, Route)],
) -> Vec<usize> {
    let total: usize = nodes.iter().map(|(range, _)| range.len()).sum();
    // First each block by itself: what goes left at its front, what goes right behind, backwards.
    let ranges = nodes.iter().map(|(range, _)| range.clone());
    let blocks: Vec<(&Route, &[u32], &mut [u32])> = pieces(scratch, ranges.clone())
        .into_iter()
        .zip(nodes)
        .flat_map(|(scratch, (range, route))| {
            let rows = order[range.clone()].chunks(BLOCK);
            rows.zip(scratch.chunks_mut(BLOCK)).map(move |(rows, scratch)| (route, rows, scratch))
        })
        .collect();
    let partition =
        |(route, rows, scratch): (&Route, &[u32], &mut [u32])| partition_block(matrix, route, rows, scratch);
    let counts: Vec<usize> = match total {
        0..BLOCK => blocks.into_iter().map(partition).collect(),
        _ => blocks.into_par_iter().map(partition).collect(),
    };
    // Then the fronts of a node's blocks one after the other, and the backs.
    let mut counts = counts.into_iter();
    let mut lefts = Vec::with_capacity(nodes.len());
    let mut copies: Vec<(&[u32], &mut [u32], &mut [u32])> = vec![];
    for (range, order) in ranges.clone().zip(pieces(order, ranges)) {
        let scratch = scratch[range].chunks(BLOCK);
        let counts: Vec<usize> = counts.by_ref().take(scratch.len()).collect();
        let left = counts.iter().sum();
        lefts.push(left);
        let (mut to_left, mut to_right) = order.split_at_mut(left);
        for (block, count) in scratch.zip(counts) {
            let (left, rest) = to_left.split_at_mut(count);
            let (right, rest_right) = to_right.split_at_mut(block.len() - count);
            (to_left, to_right) = (rest, rest_right);
            copies.push((block, left, right));
        }
    }
    let copy = |(block, left, right): (&[u32], &mut [u32], &mut [u32])| {
        let (front, back) = block.split_at(left.len());
        left.copy_from_slice(front);
        right.iter_mut().zip(back.iter().rev()).for_each(|(to, from)| *to = *from);
    };
    match total {
        0..BLOCK => copies.into_iter().for_each(copy),
        _ => copies.into_par_iter().for_each(copy),
    }
    lefts
}

/// The parts of a slice at ascending disjoint ranges.
fn pieces(mut slice: &mut [u32], ranges: impl Iterator<Item = Range<usize>>) -> Vec<&mut [u32]> {
    let mut done = 0;
    let mut parts = vec![];
    for range in ranges {
        let (part, rest) = slice.split_at_mut(range.start - done).1.split_at_mut(range.len());
        done = range.end;
        parts.push(part);
        slice = rest;
    }
    parts
}

/// Writes the rows that go left to the front of `out`, the others to its end, backwards.
fn partition_block(matrix: BinnedRows<'_>, route: &Route, rows: &[u32], out: &mut [u32]) -> usize {
    let table: [u8; 256] = std::array::from_fn(|code| u8::from(route.goes_left(code as u8)));
    let count = matrix.bins.len() / matrix.stride;
    let column = &matrix.columns[route.column as usize * count..][..count];
    let (mut left, mut right) = (0, out.len());
    for &row in rows {
        let goes_left = table[column[row as usize] as usize] as usize;
        // Both places are written and one of them kept: no branch to guess.
        out[left] = row;
        out[right - 1] = row;
        left += goes_left;
        right -= 1 - goes_left;
    }
    left
}
