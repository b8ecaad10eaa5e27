//! Stable partitions of the rows of nodes.

use std::ops::Range;
use std::sync::Arc;

use super::binned::GROUP_COLUMNS;
use super::grow_state::{GpuGrowth, ScratchBuffer};
use super::{Binned, GrowState, fill_table};
use crate::cpu::tree::partition::partition as on_cpu;
use crate::cpu::tree::{Route, RowSample};
use crate::device::{Buffer, Dispatch, Recording, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    /// Says which rows go left.
    pub KERNEL = "tree/partition", [Read, Read, Read, Write], Params;
    /// Says which rows are drawn.
    pub KERNEL_SAMPLE = "tree/partition__sample", [Read, Write], SampleParams;
    /// Counts them.
    pub KERNEL_SCAN = "tree/partition__scan", [Read, Read, Write, Write], Params;
    /// Moves the rows.
    pub KERNEL_PLACE = "tree/partition__place", [Read, Read, Read, Read, Read, Write], Params;
}

params! {
    struct Params { runs: u32, cuts: u32, rows: u32, group_first: u32, groups_of_8: u32, codes_first: u32 }
    struct SampleParams {
        run_first: u32, runs: u32, places: u32, stream: u32, key_low: u32, key_high: u32, below: u32,
    }
}

/// Rows that eight lanes take: a run of 32 each, a bit for each row in one word.
const BLOCK: usize = 256;
const RUNS_PER_BLOCK: usize = 8;
/// Words of a node in the table of what is partitioned.
pub(super) const CUT_WORDS: usize = 12;
/// What it costs to draw a row, in operations.
const DRAW: u64 = 256;

/// A node to partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodePartition {
    /// Its range of the row order.
    pub rows: Range<usize>,
    /// Where its rows go.
    pub route: Route,
    /// How many go left, where that is known: then nothing is read back from a GPU.
    pub left: Option<usize>,
}

/// Partitions nodes, on all cores or recorded on the stream: within each range of the row order those that go left come
/// first, each side in its order. The ranges are disjoint and ascend. Returns how many rows went left.
///
/// Costs one scattered byte and four words a row. The same order on every device.
pub fn partition(
    stream: &mut Stream,
    binned: &Binned<'_>,
    state: &mut GrowState,
    nodes: &[NodePartition],
) -> Result<Vec<usize>> {
    binned.on(stream, "partition")?;
    state.on(stream, "partition")?;
    check(binned, state, nodes)?;
    let Some(recording) = stream.gpu() else {
        let (order, storage) = state.on_cpu()?;
        let routes: Vec<_> = nodes.iter().map(|node| (node.rows.clone(), node.route)).collect();
        return Ok(on_cpu(binned.codes()?, order, &mut storage.scratch, &routes));
    };
    // Nodes without rows have no run.
    let full: Vec<&NodePartition> = nodes.iter().filter(|node| !node.rows.is_empty()).collect();
    let mut counted = vec![];
    if !full.is_empty() {
        let storage = state.on_gpu()?;
        record(recording, binned, storage, &full)?;
        if full.iter().any(|node| node.left.is_none()) {
            let lefts = storage.scratch_buffer(recording, ScratchBuffer::Lefts, 4 * full.len() as u64)?;
            recording.read(&lefts, 0, full.len() as u64, &mut |words| counted.extend_from_slice(words))?;
        } else {
            counted = full.iter().map(|node| node.left.unwrap_or(0) as u32).collect();
        }
    }
    let mut counted = counted.into_iter();
    let left = |node: &NodePartition| if node.rows.is_empty() { 0 } else { counted.next().unwrap_or(0) as usize };
    Ok(nodes.iter().map(left).collect())
}

fn check(binned: &Binned<'_>, state: &GrowState, nodes: &[NodePartition]) -> Result<()> {
    let mut done = 0;
    for node in nodes {
        let Range { start, end } = node.rows;
        if start < done || end < start || end > state.places() || node.route.column as usize >= binned.columns() {
            let expected =
                format!("ranges that ascend within 0..{}, columns below {}", state.places(), binned.columns());
            let got = format!("{start}..{end} by column {}", node.route.column);
            return Err(Error::shape("partition", expected, got));
        }
        done = end;
    }
    match state.rows == binned.rows() {
        true => Ok(()),
        false => Err(Error::shape("partition", format!("an order of {} rows", binned.rows()), state.rows)),
    }
}

fn record(
    recording: &mut Recording,
    binned: &Binned<'_>,
    storage: &mut GpuGrowth,
    nodes: &[&NodePartition],
) -> Result<()> {
    let ranges: Vec<Range<usize>> = nodes.iter().map(|node| node.rows.clone()).collect();
    let (firsts, _) = runs_of(&ranges);
    let mut words = vec![];
    for (node, first) in nodes.iter().zip(firsts) {
        words.extend([node.rows.start as u32, node.rows.len() as u32, first as u32, node.route.column]);
        words.extend(node.route.left);
    }
    let table = fill_table(recording, storage, ScratchBuffer::Cuts, &words)?;
    let asked =
        |block: &Range<usize>| nodes.iter().any(|node| block.contains(&(node.route.column as usize / GROUP_COLUMNS)));
    move_rows(recording, binned, storage, &table, &ranges, asked)
}

/// The runs of a node of so many rows.
pub(super) fn runs_in(rows: usize) -> usize {
    RUNS_PER_BLOCK * rows.div_ceil(BLOCK)
}

/// The first run of each range, and the number of runs.
pub(super) fn runs_of(ranges: &[Range<usize>]) -> (Vec<usize>, usize) {
    let mut runs = 0;
    let first = |range: &Range<usize>| {
        runs += runs_in(range.len());
        runs - runs_in(range.len())
    };
    let firsts = ranges.iter().map(first).collect();
    (firsts, runs)
}

/// Records the partition of ranges by the cuts of a table, by columns in groups of eight that are `asked` for.
pub(super) fn move_rows(
    recording: &mut Recording,
    binned: &Binned<'_>,
    storage: &mut GpuGrowth,
    table: &Arc<Buffer>,
    ranges: &[Range<usize>],
    asked: impl Fn(&Range<usize>) -> bool,
) -> Result<()> {
    let (_, runs) = runs_of(ranges);
    let total: usize = ranges.iter().map(Range::len).sum();
    let Some(rows) = storage.buffers.clone() else { return Ok(()) };
    let flags = storage.scratch_buffer(recording, ScratchBuffer::Flags, 4 * runs as u64)?;
    let on_gpu = binned.on_gpu()?;
    let mut params = Params {
        runs: runs as u32,
        cuts: ranges.len() as u32,
        rows: binned.rows() as u32,
        group_first: 0,
        groups_of_8: 0,
        codes_first: 0,
    };
    let by_run = Grid::covering(runs as u64, 64)?;
    let work = Work { operations: 48 * total as u64, bytes: 8 * total as u64 };
    for block in on_gpu.blocks(binned.columns().div_ceil(GROUP_COLUMNS)) {
        if !asked(&block) {
            continue;
        }
        let view = on_gpu.view(recording, block.clone())?;
        params.group_first = block.start as u32;
        params.groups_of_8 = block.len() as u32;
        params.codes_first = view.first_word();
        let buffers = &[table, view.buffer(), &rows.order, &flags];
        recording.dispatch(&KERNEL, Dispatch::new(&params, buffers, by_run, work))?;
    }
    let moves = Moves { runs, total, cuts: ranges.len(), begins: false };
    place_rows(recording, storage, table, (&rows.order, &rows.spare), moves)?;
    // Back to the order, neighbours together.
    let mut ranges = ranges.iter().cloned().peekable();
    while let Some(mut range) = ranges.next() {
        while let Some(next) = ranges.next_if(|next| next.start == range.end) {
            range.end = next.end;
        }
        let at = 4 * range.start as u64;
        recording.copy((&rows.spare, at), (&rows.order, at), 4 * range.len() as u64)?;
    }
    Ok(())
}

/// What is moved by the cuts of a table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moves {
    pub runs: usize,
    /// Places of all nodes.
    pub total: usize,
    pub cuts: usize,
    /// Whether an order begins: all rows, of which only those that go left are kept.
    pub begins: bool,
}

/// Records that rows move from one order to another, as the flags of their runs say.
pub(super) fn place_rows(
    recording: &mut Recording,
    storage: &mut GpuGrowth,
    table: &Arc<Buffer>,
    (from, to): (&Arc<Buffer>, &Arc<Buffer>),
    Moves { runs, total, cuts, begins }: Moves,
) -> Result<()> {
    let flags = storage.scratch_buffer(recording, ScratchBuffer::Flags, 4 * runs as u64)?;
    let befores = storage.scratch_buffer(recording, ScratchBuffer::Befores, 4 * (runs / RUNS_PER_BLOCK) as u64)?;
    let lefts = storage.scratch_buffer(recording, ScratchBuffer::Lefts, 4 * cuts as u64)?;
    let (runs, cuts) = (runs as u32, cuts as u32);
    let params = Params { runs, cuts, rows: 0, group_first: 0, groups_of_8: 0, codes_first: 0 };
    let scanned = Work { operations: 4 * u64::from(runs), bytes: 8 * u64::from(runs) };
    let (buffers, by_node) = (&[table, &flags, &befores, &lefts], Grid::linear(u64::from(cuts))?);
    recording.dispatch(&KERNEL_SCAN, Dispatch::new(&params, buffers, by_node, scanned))?;
    let work = Work { operations: 48 * total as u64, bytes: 8 * total as u64 };
    let buffers = &[table, &flags, &befores, &lefts, from, to];
    let dispatch = Dispatch::new(&params, buffers, Grid::covering(u64::from(runs), 64)?, work);
    recording.dispatch(&KERNEL_PLACE, dispatch.overrides(if begins { &[("BEGINS", 1)] } else { &[] }))
}

/// Records that of the first `places` rows of the order those that are drawn come first, each side in its order. Returns
/// where their number will be.
pub(super) fn record_sample(
    recording: &mut Recording,
    storage: &mut GpuGrowth,
    places: usize,
    sample: &RowSample,
) -> Result<Arc<Buffer>> {
    let runs = runs_in(places);
    let mut cut = [0; CUT_WORDS];
    cut[1] = places as u32;
    let table = fill_table(recording, storage, ScratchBuffer::Cuts, &cut)?;
    let flags = storage.scratch_buffer(recording, ScratchBuffer::Flags, 4 * runs as u64)?;
    let lefts = storage.scratch_buffer(recording, ScratchBuffer::Lefts, 4)?;
    let Some(rows) = storage.buffers.clone() else { return Ok(lefts) };
    let together = (recording.gpu.operations_per_dispatch() / (32 * DRAW)).max(64) as usize;
    for first in (0..runs).step_by(together) {
        let count = together.min(runs - first);
        let params = SampleParams {
            run_first: first as u32,
            runs: count as u32,
            places: places as u32,
            stream: sample.stream,
            key_low: sample.seed as u32,
            key_high: (sample.seed >> 32) as u32,
            below: sample.below,
        };
        let work = Work { operations: 32 * DRAW * count as u64, bytes: 132 * count as u64 };
        let grid = Grid::covering(count as u64, 64)?;
        recording.dispatch(&KERNEL_SAMPLE, Dispatch::new(&params, &[&rows.order, &flags], grid, work))?;
    }
    let moves = Moves { runs, total: places, cuts: 1, begins: false };
    place_rows(recording, storage, &table, (&rows.order, &rows.spare), moves)?;
    recording.copy((&rows.spare, 0), (&rows.order, 0), 4 * places as u64)?;
    Ok(lefts)
}
