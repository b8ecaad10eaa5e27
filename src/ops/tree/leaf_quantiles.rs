//! Quantiles of the residuals of each leaf's rows, on the GPU that has them.

use std::ops::Range;
use std::sync::Arc;

use super::gradients::BoostingRows;
use super::grow_state::{RowBuffers, ScratchBuffer};
use super::leaves::{LeafRows, Plan, check, read, sum};
use super::{GrowState, fill_table, upload_table};
use crate::cpu::sort::numbers::number;
use crate::device::{Buffer, Dispatch, Recording, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Kernel, Work, kernels, params};

kernels! {
    /// Counts the digits of keys.
    pub KERNEL = "tree/leaf_quantiles", [Read, Read, Read, Write], Params;
    /// Makes the keys.
    pub KERNEL_KEYS = "tree/leaf_quantiles__keys", [Read, Read, Read, Read, Read, Write], Params;
    /// Finds the digit of each leaf's key.
    pub KERNEL_DIGIT = "tree/leaf_quantiles__digit", [Write, Write], DigitParams;
    /// Finds the next key.
    pub KERNEL_NEXT = "tree/leaf_quantiles__next", [Read, Read, Write], Params;
    /// Makes numbers of keys.
    pub KERNEL_VALUES = "tree/leaf_quantiles__values", [Write], ValueParams;
    /// Sums for Huber's steps.
    pub KERNEL_STEPS = "tree/leaf_quantiles__steps", [Read, Read, Read, Write], Params;
}

params! {
    struct Params {
        pieces: u32, piece_first: u32, rows: u32, shift: u32, key_stride: u32, is_weighted: u32, largest_weight: f32,
        is_size: u32, delta_first: u32, sums_first: u32,
    }
    struct DigitParams { leaves: u32, shift: u32 }
    struct ValueParams { leaves: u32, is_delta: u32 }
}

/// Words of a leaf: key, key above, rank (2), share (2), whether the quantile is midway, the quantile.
const LEAF_WORDS: usize = 8;
/// Words of the counts of a leaf: 256 digits, 64 bits each.
const COUNT_WORDS: usize = 512;
/// Nodes that are worked on together: 8 MiB of counts.
const BATCH: usize = 1 << 12;
/// What a row costs in a pass, in operations.
const OPERATIONS: u64 = 64;

/// What is wanted of the residuals of rows.
#[derive(Debug)]
pub struct QuantileTask<'a> {
    /// The leaves of all trees.
    pub leaves: &'a [LeafRows],
    /// The ranges of the leaves' rows whose quantiles are found: the leaves themselves, or inner nodes too, which overlap.
    pub nodes: &'a [LeafRows],
    /// Which quantile.
    pub share: f64,
    /// Whether Huber's steps from them are wanted, by the δ of the round.
    pub with_steps: bool,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LeafQuantiles {
    /// The sums of the leaves, as [`leaf_sums`](super::leaves::leaf_sums) gives them.
    pub sums: Vec<[i64; 2]>,
    /// Between which two residuals the quantile of each node lies, as
    /// [`leaf_quantiles`](crate::cpu::tree::leaf_quantiles::leaf_quantiles) has them.
    pub quantiles: Vec<[f32; 2]>,
    /// The sums of each node for Huber's steps, those of
    /// [`huber_sums`](crate::cpu::tree::leaf_quantiles::huber_sums); empty if they are not wanted.
    pub steps: Vec<i64>,
}

/// The sums of leaves, and quantiles of the residuals of nodes' rows. The gradients of the round give way to keys.
///
/// A radix selection in all nodes at once: costs five reads of a key for each row and node that it lies in, one more for Huber's
/// steps, and as many of the weights where they differ.
/// One wait.
pub fn leaf_quantiles(
    stream: &mut Stream,
    state: &mut GrowState,
    rows: &mut BoostingRows,
    task: &QuantileTask<'_>,
) -> Result<LeafQuantiles> {
    let QuantileTask { leaves, nodes, share, with_steps } = *task;
    check(state, rows, leaves)?;
    check(state, rows, nodes)?;
    if with_steps && !rows.has_deltas() {
        return Err(Error::shape("leaf_quantiles", "a δ for Huber's steps", "none"));
    }
    let plan = Plan::new(ranges(leaves));
    let batches: Vec<(&[LeafRows], Plan)> =
        nodes.chunks(BATCH).map(|nodes| (nodes, Plan::new(ranges(nodes)))).collect();
    let found_first = rows.sums_first() + 4 * plan.pieces.len();
    let steps_first = found_first + LEAF_WORDS * nodes.len();
    let step_words = |plan: &Plan| if with_steps { 2 * plan.pieces.len() } else { 0 };
    let all = steps_first + batches.iter().map(|(_, plan)| step_words(plan)).sum::<usize>();
    let recording = stream.gpu().ok_or_else(wrong_device)?;
    let storage = state.on_gpu()?;
    let (keys, first, report) = (rows.gradient_buffer().clone(), rows.sums_first(), rows.report(recording, all)?);
    let table = sum(recording, storage, rows, &plan, (&keys, true), first)?;
    let Some(RowBuffers { order, .. }) = storage.buffers.clone() else { return Err(wrong_device()) };
    let params = Params { key_stride: (2 * rows.rows - rows.places()) as u32, ..params(rows) };
    let values = [&table, &order, rows.target_buffer(), rows.score_buffer(), rows.weight_buffer(), &keys];
    record(recording, &KERNEL_KEYS, &plan, params, &values)?;
    let (mut found_at, mut steps_at) = (found_first, steps_first);
    for (nodes, plan) in &batches {
        let pieces = fill_table(recording, storage, ScratchBuffer::Leaves, plan.pieces.as_flattened())?;
        let known = fill_table(recording, storage, ScratchBuffer::LeafTable, &unknown(nodes.len(), share))?;
        let count_bytes = 4 * (COUNT_WORDS * nodes.len()) as u64;
        let counts = storage.scratch_buffer(recording, ScratchBuffer::LeafDigits, count_bytes)?;
        let tables = Tables { pieces: &pieces, keys: &keys, known: &known, counts: &counts };
        select(recording, plan, params, &tables, nodes.len(), false)?;
        if with_steps {
            let params = Params { sums_first: steps_at as u32, ..params };
            record(recording, &KERNEL_STEPS, plan, params, &[&pieces, &keys, &known, &report])?;
        }
        // What was found comes back behind the sums.
        let words = LEAF_WORDS * nodes.len();
        recording.copy((&known, 0), (&report, 4 * found_at as u64), 4 * words as u64)?;
        (found_at, steps_at) = (found_at + words, steps_at + step_words(plan));
    }
    let words = read(recording, rows, all)?;
    let (found, mut steps) = (&words[found_first..steps_first], &words[steps_first..]);
    let mut found = LeafQuantiles {
        sums: plan.add(&words[first..found_first]),
        quantiles: found.chunks_exact(LEAF_WORDS).map(pair).collect(),
        steps: vec![],
    };
    for (_, plan) in batches.iter().filter(|_| with_steps) {
        let (own, rest) = steps.split_at(step_words(plan));
        (steps, found.steps) = (rest, [found.steps, plan.add_single(own)].concat());
    }
    Ok(found)
}

/// Records the search for Huber's δ of each output: it goes into the report. The gradients give way to keys.
pub(super) fn record_deltas(recording: &mut Recording, rows: &BoostingRows, share: f64) -> Result<()> {
    let outputs = rows.outputs();
    let plan = Plan::new((0..outputs).map(|output| (output, 0..rows.places())));
    let pieces = upload_table(recording, plan.pieces.as_flattened(), 4, "pieces of rows")?;
    let known = upload_table(recording, &unknown(outputs, share), 4, "what is known of quantiles")?;
    let counts = recording.scratch(4 * (COUNT_WORDS * outputs) as u64, "counts of digits")?;
    let keys = rows.gradient_buffer();
    let params = Params { key_stride: 2 * rows.rows as u32, is_size: 1, ..params(rows) };
    let values = [&pieces, rows.order_buffer(), rows.target_buffer(), rows.score_buffer(), rows.weight_buffer(), keys];
    record(recording, &KERNEL_KEYS, &plan, params, &values)?;
    let tables = Tables { pieces: &pieces, keys, known: &known, counts: &counts };
    select(recording, &plan, params, &tables, outputs, true)?;
    for output in 0..outputs {
        let value = 4 * (LEAF_WORDS * output + LEAF_WORDS - 1) as u64;
        recording.copy((&known, value), (rows.report_buffer(), 4 * (rows.delta_first() + output) as u64), 4)?;
    }
    Ok(())
}

fn ranges(nodes: &[LeafRows]) -> impl Iterator<Item = (usize, Range<usize>)> {
    nodes.iter().map(|node| (node.tree, node.rows.clone()))
}

/// The words of nodes of which only the share is known.
fn unknown(nodes: usize, share: f64) -> Vec<u32> {
    let bits = share.to_bits();
    [0, u32::MAX, 0, 0, bits as u32, (bits >> 32) as u32, 0, 0].repeat(nodes)
}

/// The two residuals of a node's quantile, from its words.
fn pair(words: &[u32]) -> [f32; 2] {
    match [words[0], words[1], words[6]] {
        [0, ..] => [0.0; 2],
        [key, u32::MAX, _] | [key, _, 0] => [number(key); 2],
        [key, above, _] => [number(key), number(above)],
    }
}

fn params(rows: &BoostingRows) -> Params {
    Params {
        pieces: 0,
        piece_first: 0,
        rows: rows.rows as u32,
        shift: 0,
        key_stride: 0,
        is_weighted: u32::from(rows.largest_weight().is_some()),
        largest_weight: rows.largest_weight().unwrap_or(1.0),
        is_size: 0,
        delta_first: rows.delta_first() as u32,
        sums_first: 0,
    }
}

/// What the passes of a selection share.
struct Tables<'a> {
    pieces: &'a Arc<Buffer>,
    keys: &'a Arc<Buffer>,
    known: &'a Arc<Buffer>,
    counts: &'a Arc<Buffer>,
}

/// Records the selection in so many nodes.
fn select(
    recording: &mut Recording,
    plan: &Plan,
    params: Params,
    tables: &Tables<'_>,
    nodes: usize,
    is_delta: bool,
) -> Result<()> {
    let Tables { pieces, keys, known, counts } = *tables;
    let words = COUNT_WORDS * nodes;
    recording.clear(counts, 0, words as u64)?;
    let leaves = nodes as u32;
    for shift in [24, 16, 8, 0] {
        record(recording, &KERNEL, plan, Params { shift, ..params }, &[pieces, keys, known, counts])?;
        let work = Work { operations: 64 * words as u64, bytes: 8 * words as u64 };
        let digit = DigitParams { leaves, shift };
        let grid = Grid::linear(nodes as u64)?;
        recording.dispatch(&KERNEL_DIGIT, Dispatch::new(&digit, &[known, counts], grid, work))?;
    }
    record(recording, &KERNEL_NEXT, plan, params, &[pieces, keys, known])?;
    let values = ValueParams { leaves, is_delta: u32::from(is_delta) };
    let work = Work { operations: 256 * nodes as u64, bytes: 36 * nodes as u64 };
    let grid = Grid::covering(nodes as u64, 64)?;
    recording.dispatch(&KERNEL_VALUES, Dispatch::new(&values, &[known], grid, work))
}

/// Records a pass over pieces, as many at a time as one dispatch may take.
fn record(
    recording: &mut Recording,
    kernel: &'static Kernel,
    plan: &Plan,
    params: Params,
    buffers: &[&Arc<Buffer>],
) -> Result<()> {
    let together = (recording.gpu.operations_per_dispatch() / (OPERATIONS * Plan::PIECE as u64)).max(1) as usize;
    for first in (0..plan.pieces.len()).step_by(together) {
        let end = plan.pieces.len().min(first + together);
        let params = Params { pieces: end as u32, piece_first: first as u32, ..params };
        let rows: u64 = plan.pieces[first..end].iter().map(|piece| u64::from(piece[1])).sum();
        let work = Work { operations: OPERATIONS * rows, bytes: 12 * rows };
        recording.dispatch(kernel, Dispatch::new(&params, buffers, Grid::linear((end - first) as u64)?, work))?;
    }
    Ok(())
}

fn wrong_device() -> Error {
    Error::WrongDevice { op: "leaf_quantiles", why: "the rows are on a GPU, the stream is not".to_string() }
}
