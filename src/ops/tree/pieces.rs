//! The rows of nodes cut into pieces, each counted by itself: what both kinds of histograms share.

use std::sync::Arc;

use super::binned::GROUP_COLUMNS;
use super::grow_state::{GpuGrowth, RowBuffers, ScratchBuffer};
use super::{Binned, GrowState, HistogramFill, upload_words};
use crate::device::{Buffer, Dispatch, Gpu, Recording};
use crate::error::Result;
use crate::kernel::{Grid, Kernel, UNIFORM_BYTES, Work, params};

params! {
    /// The parameters of counting kernels.
    pub(super) struct Params {
        pieces: u32, groups_of_8: u32, group_first: u32, columns: u32, rows: u32, cells: u32, codes_first: u32,
        word: u32, piece_first: u32,
    }
    /// The parameters of merging kernels.
    pub(super) struct MergeParams { items: u32, cells: u32, jobs_first: u32, word: u32 }
}

/// How a device counts.
pub(super) struct Counting {
    pub kernel: &'static Kernel,
    /// Adds the pieces, and makes siblings of parents.
    pub merge: &'static Kernel,
    /// Rows of a piece at most, so that the sums of a piece do not overflow.
    pub max_rows: usize,
    /// Rows of a piece at least, while there are rows enough: clearing and merging cost as much as some rows.
    pub min_rows: usize,
    /// Words that a piece has for each cell.
    pub words: usize,
    /// Columns of a workgroup.
    pub columns: usize,
    /// What a row and a column cost, in operations.
    pub operations: u64,
}

/// Workgroups that keep a card busy: an RTX 4090 holds 768 at once. Each piece more is cells that are written and read once more;
/// with twice as many, those of a million rows of 28 columns were as many bytes as the rows themselves.
const GROUPS: usize = 1 << 10;
/// Cells that a workgroup merges: four lanes share each, as the pieces of a root are more than a hundred.
const MERGED: u64 = 16;
/// Pieces of a round at most: their table is bound as a uniform.
const MAX_PIECES: usize = (UNIFORM_BYTES / 16) as usize;
const FRESH: u32 = 1 << 31;
const NONE: u32 = u32::MAX;

/// Pieces and nodes that are worked on together.
#[derive(Default)]
struct Round {
    /// First place, rows, first word of the tree, where the counts of its draws begin.
    pieces: Vec<[u32; 4]>,
    /// First piece, pieces, slot and whether it is new, parent.
    jobs: Vec<[u32; 4]>,
    rows: usize,
}

/// What the pieces are counted from and into, and where their sums go.
struct RoundBuffers {
    rows: RowBuffers,
    plan: Arc<Buffer>,
    partial: Arc<Buffer>,
    slots: Arc<Buffer>,
}

/// Overrides of the counting kernel and of the merging one.
pub(super) type Overrides<'a> = [&'a [(&'static str, u32)]; 2];

/// Records the histograms of nodes, word after word of those that cells have; `first_words` is where the words of a
/// tree's rows begin, and what its rows have beside them.
pub(super) fn record(
    recording: &mut Recording,
    (counting, words): (&Counting, u32),
    binned: &Binned<'_>,
    state: &mut GrowState,
    fills: &[HistogramFill],
    first_words: impl Fn(usize) -> [u32; 2],
    [of_count, of_merge]: Overrides<'_>,
) -> Result<()> {
    let (cells, cell_bytes) = (binned.cells(), state.cell_bytes);
    let storage = state.on_gpu()?;
    let slots = storage.slots(recording, slots_of(fills), cell_bytes * cells as u64)?;
    let Some(rows) = storage.buffers.clone() else { return Ok(()) };
    for round in rounds(&recording.gpu, counting, binned, fills, first_words) {
        let plan = round.upload(recording, storage)?;
        let bytes = round.partial_bytes(counting, cells);
        let partial = storage.scratch_buffer(recording, ScratchBuffer::Partial, bytes)?;
        let buffers = RoundBuffers { rows: rows.clone(), plan, partial, slots: slots.clone() };
        for word in 0..words {
            round.count(recording, counting, binned, &buffers, word, of_count)?;
            round.merge(recording, counting, &buffers, (cells, cell_bytes / u64::from(words)), word, of_merge)?;
        }
    }
    Ok(())
}

/// Pieces that a device plans: how many there are of each node at most, and rows of a piece.
pub(super) struct PiecePlan {
    pub of_nodes: Vec<usize>,
    pub piece_rows: usize,
    rows: usize,
}

impl PiecePlan {
    /// Pieces for nodes of at most so many rows, if there is room for all of them at once.
    pub fn new(gpu: &Gpu, counting: &Counting, binned: &Binned<'_>, rows: &[usize]) -> Option<PiecePlan> {
        let total: usize = rows.iter().sum();
        let column_groups = binned.columns().div_ceil(counting.columns).max(1);
        let piece_rows = (total * column_groups / GROUPS).clamp(counting.min_rows, counting.max_rows);
        let of_nodes: Vec<usize> = rows.iter().map(|rows| rows.div_ceil(piece_rows)).collect();
        let pieces: usize = of_nodes.iter().sum();
        let fits = pieces <= pieces_per_round(gpu, counting, binned) && pieces + rows.len() <= MAX_PIECES;
        fits.then_some(PiecePlan { of_nodes, piece_rows, rows: total })
    }

    pub fn pieces(&self) -> usize {
        self.of_nodes.iter().sum()
    }

    /// Records the histograms of nodes by the tables that the device wrote.
    pub fn record(
        &self,
        recording: &mut Recording,
        (counting, plan): (&Counting, &Arc<Buffer>),
        binned: &Binned<'_>,
        storage: &mut GpuGrowth,
        cell_bytes: u64,
    ) -> Result<()> {
        let Some(rows) = storage.buffers.clone() else { return Ok(()) };
        let (pieces, jobs) = (vec![[0; 4]; self.pieces()], vec![[0; 4]; self.of_nodes.len()]);
        let round = Round { pieces, jobs, rows: self.rows };
        let bytes = round.partial_bytes(counting, binned.cells());
        let partial = storage.scratch_buffer(recording, ScratchBuffer::Partial, bytes)?;
        let buffers = RoundBuffers { rows, plan: plan.clone(), partial, slots: storage.filled()? };
        round.count(recording, counting, binned, &buffers, 0, &[])?;
        round.merge(recording, counting, &buffers, (binned.cells(), cell_bytes), 0, &[])
    }
}

/// The number of slots that these histograms and their parents need.
pub(super) fn slots_of(fills: &[HistogramFill]) -> usize {
    fills.iter().flat_map(|fill| [Some(fill.slot), fill.parent]).flatten().max().map_or(0, |slot| slot + 1)
}

/// Cuts the rows of nodes into pieces, and the pieces into rounds; a node may go on in the next round.
fn rounds(
    gpu: &Gpu,
    counting: &Counting,
    binned: &Binned<'_>,
    fills: &[HistogramFill],
    first_words: impl Fn(usize) -> [u32; 2],
) -> Vec<Round> {
    let total: usize = fills.iter().map(|fill| fill.rows.len()).sum();
    let column_groups = binned.columns().div_ceil(counting.columns).max(1);
    let piece_rows = (total * column_groups / GROUPS).clamp(counting.min_rows, counting.max_rows);
    let per_round = pieces_per_round(gpu, counting, binned);
    let mut rounds = vec![];
    let mut round = Round::default();
    for fill in fills {
        let (mut start, mut fresh) = (fill.rows.start, FRESH);
        loop {
            // The table of jobs stands behind that of the pieces, and needs no more room than one for each piece.
            if round.pieces.len() >= per_round || round.pieces.len() + round.jobs.len() + 2 > MAX_PIECES {
                rounds.push(std::mem::take(&mut round));
            }
            let first = round.pieces.len();
            let room = (per_round - first).min(MAX_PIECES - first - round.jobs.len() - 1);
            let end = fill.rows.end.min(start + room * piece_rows);
            for at in (start..end).step_by(piece_rows) {
                let rows = piece_rows.min(end - at);
                let [first_word, other] = first_words(fill.tree);
                round.pieces.push([at as u32, rows as u32, first_word, other]);
                round.rows += rows;
            }
            let done = end == fill.rows.end;
            let parent = fill.parent.filter(|_| done).map_or(NONE, |parent| parent as u32);
            let pieces = round.pieces.len() - first;
            round.jobs.push([first as u32, pieces as u32, fill.slot as u32 | fresh, parent]);
            (start, fresh) = (end, 0);
            if done {
                break;
            }
        }
    }
    if !round.jobs.is_empty() {
        rounds.push(round);
    }
    rounds
}

/// Bounded by the table of pieces and the room for temporary blocks.
fn pieces_per_round(gpu: &Gpu, counting: &Counting, binned: &Binned<'_>) -> usize {
    let by_room = gpu.scratch_bytes() as usize / (4 * counting.words * binned.cells()).max(1);
    by_room.clamp(1, MAX_PIECES)
}

impl Round {
    /// The tables of pieces and nodes on the device.
    fn upload(&self, recording: &mut Recording, storage: &mut GpuGrowth) -> Result<Arc<Buffer>> {
        let words: Vec<u32> = self.pieces.iter().chain(&self.jobs).flatten().copied().collect();
        let plan = storage.scratch_buffer(recording, ScratchBuffer::Pieces, UNIFORM_BYTES)?;
        upload_words(recording, &plan, &words)?;
        Ok(plan)
    }

    /// Bytes of what the pieces hold.
    fn partial_bytes(&self, counting: &Counting, cells: usize) -> u64 {
        4 * (counting.words * cells * self.pieces.len()) as u64
    }

    /// Adds the pieces of each node to its slot, `bytes` of each cell, and takes the sum away from that of its parent.
    fn merge(
        &self,
        recording: &mut Recording,
        counting: &Counting,
        buffers: &RoundBuffers,
        (cells, bytes): (usize, u64),
        word: u32,
        overrides: &[(&'static str, u32)],
    ) -> Result<()> {
        let items = self.jobs.len() * cells;
        let params =
            MergeParams { items: items as u32, cells: cells as u32, jobs_first: self.pieces.len() as u32, word };
        let grid = Grid::covering(items as u64, MERGED)?;
        let work = Work {
            operations: 16 * (cells * self.pieces.len()) as u64,
            bytes: self.partial_bytes(counting, cells) + bytes * items as u64,
        };
        let buffers = &[&buffers.partial, &buffers.plan, &buffers.slots];
        recording.dispatch(counting.merge, Dispatch::new(&params, buffers, grid, work).overrides(overrides))
    }

    /// Counts the pieces, for the columns that lie in one buffer at a time, as many as one dispatch may take.
    fn count(
        &self,
        recording: &mut Recording,
        counting: &Counting,
        binned: &Binned<'_>,
        buffers: &RoundBuffers,
        word: u32,
        overrides: &[(&'static str, u32)],
    ) -> Result<()> {
        let on_gpu = binned.on_gpu()?;
        let all = self.pieces.len();
        for block in on_gpu.blocks(binned.columns().div_ceil(GROUP_COLUMNS)) {
            let view = on_gpu.view(recording, block.clone())?;
            let columns = block.len() * GROUP_COLUMNS;
            let of_piece = counting.operations * (self.rows * columns / all.max(1)).max(1) as u64;
            let together = (recording.gpu.operations_per_dispatch() / of_piece).max(1) as usize;
            for first in (0..all).step_by(together) {
                let pieces = together.min(all - first);
                let params = Params {
                    pieces: pieces as u32,
                    groups_of_8: block.len() as u32,
                    group_first: block.start as u32,
                    columns: binned.columns() as u32,
                    rows: binned.rows() as u32,
                    cells: binned.cells() as u32,
                    codes_first: view.first_word(),
                    word,
                    piece_first: first as u32,
                };
                let rows = self.rows * pieces / all;
                let values = (rows * columns) as u64;
                let RoundBuffers { rows: RowBuffers { order, packed, .. }, plan, partial, .. } = buffers;
                let grid = Grid::linear((pieces * columns / counting.columns) as u64)?;
                let work = Work { operations: counting.operations * values, bytes: values + 8 * rows as u64 };
                let buffers = &[view.buffer(), order, packed, plan, &on_gpu.starts, partial];
                recording
                    .dispatch(counting.kernel, Dispatch::new(&params, buffers, grid, work).overrides(overrides))?;
            }
        }
        Ok(())
    }
}
