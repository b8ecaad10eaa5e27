//! Splits of binned rows, node after node: the trees of a forest, each on one thread.
//!
//! A node counts its rows in the features it drew and in no others. Small nodes note which bins they touched, and look
//! at no others.

use super::bins::{BinnedMatrix, Bins};
use super::features::{FeatureDraw, FeatureOrder};
use super::layout::Place;
use super::scan::{ScanRoom, scan, scan_cells};
use super::sequential::Splitter;
use super::split::{Node, Split};
use super::target::Target;
use crate::cpu::tree::best_split::FeatureCells;
use crate::cpu::tree::class_histogram::Column;

/// Codes of a column at most.
const CODES: usize = 256;
/// Up to this many rows, a node notes the bins it touched.
const FEW: usize = 96;

/// Finds splits of binned rows by the features that each node draws.
#[derive(Debug)]
pub(crate) struct BinnedSplitter<'a> {
    matrix: &'a BinnedMatrix,
    bins: &'a Bins,
    draw: FeatureDraw,
    order: FeatureOrder,
    columns: Vec<Column>,
    /// 256 cells for each feature that is counted; zeros between nodes.
    cells: Vec<u64>,
    room: ScanRoom,
}

impl<'a> BinnedSplitter<'a> {
    /// Splits of the rows of `matrix`, which are in these bins.
    pub(crate) fn new(matrix: &'a BinnedMatrix, bins: &'a Bins, draw: FeatureDraw) -> BinnedSplitter<'a> {
        let (order, room) = (FeatureOrder::default(), ScanRoom::default());
        BinnedSplitter { matrix, bins, draw, order, columns: vec![], cells: vec![], room }
    }

    /// Goes on with the draws of another tree.
    pub(crate) fn draw_by(&mut self, draw: FeatureDraw) {
        self.draw = draw;
    }

    /// Compares the splits by some features, in ascending order, with the best so far.
    fn search<T: Target>(&mut self, node: &Node<'_, T>, rows: &[u32], features: &[u32], best: &mut Option<Split>) {
        let words = node.cell.len();
        if self.cells.len() < features.len() * CODES * words {
            self.cells.resize(features.len() * CODES * words, 0);
        }
        let layout = self.matrix.layout();
        self.columns.clear();
        for (at, feature) in features.iter().enumerate() {
            if let Some(column) = layout.places()[*feature as usize].column {
                self.columns.push(Column { column, first: (at * CODES) as u32 });
            }
        }
        node.target.rows().fill(self.matrix.view(), &self.columns, rows, &mut self.cells);
        for (at, &feature) in features.iter().enumerate() {
            let place = &layout.places()[feature as usize];
            let Some(column) = place.column else { continue };
            let cells = &mut self.cells[at * CODES * words..][..CODES * words];
            if rows.len() <= FEW && place.default.is_none() {
                let present = gather(self.matrix, rows, place, words, cells, &mut self.room);
                let ScanRoom { cells, bins } = &self.room;
                scan_cells(node, self.bins, feature, cells, present, |at| bins[at] as usize, best);
            } else {
                let starts = &layout.starts()[column as usize..];
                let own: &FeatureCells = &layout.features()[feature as usize];
                scan(node, self.bins, feature, own, &cells[place.offset as usize * words..], &mut self.room, best);
                cells[..(starts[1] - starts[0]) as usize * words].fill(0);
            }
        }
    }
}

/// Moves the cells that a few rows touched into `room`, ascending, and tells how many of them are of present values.
fn gather(
    matrix: &BinnedMatrix,
    rows: &[u32],
    place: &Place,
    words: usize,
    cells: &mut [u64],
    room: &mut ScanRoom,
) -> usize {
    let (stride, column) = (matrix.stride(), place.column.unwrap_or(0) as usize);
    let mut touched = [0_u64; CODES / 64];
    for &row in rows {
        let code = matrix.bins()[row as usize * stride + column] as usize;
        touched[code / 64] |= 1 << (code % 64);
    }
    room.cells.clear();
    room.bins.clear();
    for (word, mut bits) in touched.into_iter().enumerate() {
        while bits != 0 {
            let bin = word * 64 + bits.trailing_zeros() as usize;
            bits &= bits - 1;
            let cell = &mut cells[bin * words..][..words];
            room.cells.extend_from_slice(cell);
            cell.fill(0);
            room.bins.push(bin as u8);
        }
    }
    // The bin of missing values is the last.
    let has_missing = room.bins.last().is_some_and(|last| u16::from(*last) == place.bins);
    room.bins.len() - usize::from(has_missing)
}

impl<T: Target> Splitter<T> for BinnedSplitter<'_> {
    fn best_split(&mut self, node: &Node<'_, T>, path: u64, rows: &[u32]) -> Option<Split> {
        let mut order = std::mem::take(&mut self.order);
        self.draw.start(path, &mut order);
        let mut best = None;
        self.search(node, rows, order.drawn(), &mut best);
        while best.is_none()
            && let Some(feature) = self.draw.another(&mut order)
        {
            self.search(node, rows, &[feature], &mut best);
        }
        self.order = order;
        best
    }

    fn partition(&mut self, split: &Split, rows: &mut [u32], scratch: &mut Vec<u32>) -> usize {
        let layout = self.matrix.layout();
        let place = &layout.places()[split.feature as usize];
        let column = place.column.unwrap_or(0) as usize;
        if place.default.is_some() || place.categorical {
            let route = layout.route(split.feature, split.bin, split.levels.as_ref(), split.missing_left);
            return divide(self.matrix, column, rows, scratch, |code| route.goes_left(code));
        }
        let (last, missing) = (split.bin as u8, place.bins);
        match place.missing && split.missing_left {
            true => divide(self.matrix, column, rows, scratch, |code| code <= last || u16::from(code) == missing),
            false => divide(self.matrix, column, rows, scratch, |code| code <= last),
        }
    }
}

/// Brings the rows whose code goes left before the others.
#[inline(always)]
fn divide(
    matrix: &BinnedMatrix,
    column: usize,
    rows: &mut [u32],
    scratch: &mut Vec<u32>,
    goes_left: impl Fn(u8) -> bool,
) -> usize {
    if scratch.len() < rows.len() {
        scratch.resize(rows.len(), 0);
    }
    let (bins, stride) = (matrix.bins(), matrix.stride());
    let (mut left, mut right) = (0, 0);
    for at in 0..rows.len() {
        let row = rows[at];
        let goes_left = usize::from(goes_left(bins[row as usize * stride + column]));
        // Both places are written and one of them kept: no branch to guess.
        rows[left] = row;
        scratch[right] = row;
        left += goes_left;
        right += 1 - goes_left;
    }
    rows[left..].copy_from_slice(&scratch[..right]);
    left
}
