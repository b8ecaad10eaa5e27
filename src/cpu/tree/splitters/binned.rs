//! Splits of binned rows, node after node: the trees of a forest, each on one thread.
//!
//! A node counts its rows in the features it drew and in no others. Small nodes note which bins they touched, and look
//! at no others.

use super::histogram_split::{CellScratch, scan, scan_cells};
use super::{
    BinnedTable, FeatureDraw, FeatureOrder, NodeSplitter, SplitterRows, TargetNode, TargetSplit, search_drawn,
};
use crate::cpu::tree::layout::FeaturePlace;
use crate::cpu::tree::target::TreeTarget;
use crate::cpu::tree::target_histogram::CountedColumn;

/// Codes of a column at most.
const CODES: usize = 256;
/// Up to this many rows, a node notes the bins it touched.
const FEW: usize = 96;

/// Finds splits of binned rows by the features that each node draws.
#[derive(Debug)]
pub struct BinnedSplitter<'a> {
    table: BinnedTable<'a>,
    draw: FeatureDraw,
    order: FeatureOrder,
    room: Room,
}

/// Room that is used again for every node.
#[derive(Debug, Default)]
struct Room {
    columns: Vec<CountedColumn>,
    /// 256 cells for each feature that is counted; zeros between nodes.
    cells: Vec<u64>,
    scratch: CellScratch,
}

impl<'a> BinnedSplitter<'a> {
    /// Splits of binned rows by features that `draw` draws.
    pub fn new(table: BinnedTable<'a>, draw: FeatureDraw) -> BinnedSplitter<'a> {
        BinnedSplitter { table, draw, order: FeatureOrder::default(), room: Room::default() }
    }

    /// Goes on with the draws of another tree.
    pub fn draw_by(&mut self, draw: FeatureDraw) {
        self.draw = draw;
    }
}

impl<T: TreeTarget> NodeSplitter<T> for BinnedSplitter<'_> {
    fn best_split(&mut self, node: &TargetNode<'_, T>, path: u64, rows: &[u32]) -> Option<TargetSplit> {
        let BinnedSplitter { table, draw, order, room } = self;
        search_drawn(draw, order, path, |features| best_of(table, node, rows, features, room))
    }

    fn rows(&self) -> SplitterRows<'_> {
        SplitterRows::Binned(self.table)
    }
}

/// The best split by some features, in ascending order.
fn best_of<T: TreeTarget>(
    table: &BinnedTable<'_>,
    node: &TargetNode<'_, T>,
    rows: &[u32],
    features: &[u32],
    room: &mut Room,
) -> Option<TargetSplit> {
    let (words, layout) = (node.cell.len(), table.layout);
    let Room { columns, cells, scratch } = room;
    if cells.len() < features.len() * CODES * words {
        cells.resize(features.len() * CODES * words, 0);
    }
    columns.clear();
    for (at, feature) in features.iter().enumerate() {
        if let Some(column) = layout.places()[*feature as usize].column {
            columns.push(CountedColumn { column, first: (at * CODES) as u32 });
        }
    }
    node.target.rows().fill(table.codes, columns, rows, cells);
    let mut best = None;
    for (at, &feature) in features.iter().enumerate() {
        let place = &layout.places()[feature as usize];
        let Some(column) = place.column else { continue };
        let cells = &mut cells[at * CODES * words..][..CODES * words];
        let own = (feature, place, &*table.thresholds[feature as usize]);
        if rows.len() <= FEW && place.default.is_none() {
            let present = gather(table, rows, place, words, cells, scratch);
            let CellScratch { cells, bins } = &*scratch;
            scan_cells(node, own, cells, present, |at| bins[at] as usize, &mut best);
        } else {
            scan(node, own, &cells[place.offset as usize * words..], scratch, &mut best);
            let starts = &layout.starts()[column as usize..];
            cells[..(starts[1] - starts[0]) as usize * words].fill(0);
        }
    }
    best
}

/// Moves the cells that a few rows touched into `scratch`, ascending, and returns how many of them are of present
/// values.
fn gather(
    table: &BinnedTable<'_>,
    rows: &[u32],
    place: &FeaturePlace,
    words: usize,
    cells: &mut [u64],
    scratch: &mut CellScratch,
) -> usize {
    let (codes, column) = (table.codes, place.column.unwrap_or(0) as usize);
    let mut touched = [0_u64; CODES / 64];
    for &row in rows {
        let code = codes.bins[row as usize * codes.stride + column] as usize;
        touched[code / 64] |= 1 << (code % 64);
    }
    scratch.cells.clear();
    scratch.bins.clear();
    for (word, mut bits) in touched.into_iter().enumerate() {
        while bits != 0 {
            let bin = word * 64 + bits.trailing_zeros() as usize;
            bits &= bits - 1;
            let cell = &mut cells[bin * words..][..words];
            scratch.cells.extend_from_slice(cell);
            cell.fill(0);
            scratch.bins.push(bin as u8);
        }
    }
    // The bin of missing values is the last.
    let has_missing = scratch.bins.last().is_some_and(|last| u16::from(*last) == place.bins);
    scratch.bins.len() - usize::from(has_missing)
}
