//! The sums of leaves, and the scores of the rows in them.

use std::ops::Range;
use std::sync::Arc;

use super::gradients::{BoostingRows, RoundTotals};
use super::grow_state::{GpuGrowth, RowBuffers, ScratchBuffer};
use super::{GrowState, fill_table};
use crate::cpu::tree::GradientSums;
use crate::device::{Buffer, Dispatch, Recording, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    /// Sums of pieces of the row order.
    pub KERNEL = "tree/leaves", [Read, Read, Read, Write], Params;
    /// Adds the values of leaves to scores.
    pub KERNEL_SCORES = "tree/leaves__scores", [Read, Read, Write, Write], ScoreParams;
}

params! {
    struct Params { rows: u32, pieces: u32, is_fine: u32, sums_first: u32 }
    struct ScoreParams { rows: u32, pieces: u32 }
}

/// Rows of a piece: sixteen a lane.
const PIECE: usize = 1 << 12;

/// A leaf of a tree: the tree, its range of the row order, and its value, if that is known.
#[derive(Debug, Clone, PartialEq)]
pub struct LeafRows {
    /// The tree, and the output.
    pub tree: usize,
    /// The rows.
    pub rows: Range<usize>,
    /// What its rows' scores rise by.
    pub value: f32,
}

/// The gradients and Hessians of each leaf's rows, added as integers of thirty bits, on the GPU that has the rows.
///
/// Costs one scattered pair of numbers a row; reads back sixteen bytes for every 4,096 rows. One wait.
pub fn leaf_sums(
    stream: &mut Stream,
    state: &mut GrowState,
    rows: &mut BoostingRows,
    leaves: &[LeafRows],
) -> Result<Vec<[i64; 2]>> {
    check(state, rows, leaves)?;
    let (plan, of_pieces) = pieces(leaves.iter().map(|leaf| (leaf.tree, leaf.rows.clone(), 0)));
    let recording = stream.gpu().ok_or_else(wrong_device)?;
    let values = rows.gradient_buffer().clone();
    let words = sum(recording, state.on_gpu()?, rows, &plan, (&values, true))?;
    let mut sums = vec![[0_i64; 2]; leaves.len()];
    for (leaf, words) in of_pieces.into_iter().zip(words[rows.sums_first()..].chunks_exact(4)) {
        sums[leaf][0] += whole(&words[..2]) as i64;
        sums[leaf][1] += whole(&words[2..]) as i64;
    }
    Ok(sums)
}

/// Records the addition of the leaves' values to the scores of their rows.
pub fn add_to_scores(
    stream: &mut Stream,
    state: &mut GrowState,
    rows: &mut BoostingRows,
    leaves: &[LeafRows],
) -> Result<()> {
    check(state, rows, leaves)?;
    let (plan, _) = pieces(leaves.iter().map(|leaf| (leaf.tree, leaf.rows.clone(), leaf.value.to_bits())));
    let recording = stream.gpu().ok_or_else(wrong_device)?;
    let storage = state.on_gpu()?;
    let Some(RowBuffers { order, .. }) = storage.buffers.clone() else { return Ok(()) };
    let table = fill_table(recording, storage, ScratchBuffer::Leaves, plan.as_flattened())?;
    let report = rows.report(recording, 0)?;
    let params = ScoreParams { rows: rows.rows as u32, pieces: plan.len() as u32 };
    let buffers = &[&table, &order, rows.score_buffer(), &report];
    let dispatch = Dispatch::new(&params, buffers, Grid::linear(plan.len() as u64)?, work(&plan));
    recording.dispatch(&KERNEL_SCORES, dispatch)
}

/// What the rows of each tree add up to in the integers of splits, and what else is known of the round.
pub(super) fn totals(
    recording: &mut Recording,
    storage: &mut GpuGrowth,
    rows: &mut BoostingRows,
    trees: &[(usize, Range<usize>)],
) -> Result<RoundTotals> {
    let (plan, of_pieces) = pieces(trees.iter().map(|(tree, rows)| (*tree, rows.clone(), 0)));
    let Some(RowBuffers { packed, .. }) = storage.buffers.clone() else { return Err(wrong_device()) };
    let words = sum(recording, storage, rows, &plan, (&packed, false))?;
    let mut totals: Vec<GradientSums> =
        trees.iter().map(|(_, rows)| GradientSums { count: rows.len() as u64, ..GradientSums::default() }).collect();
    for (tree, words) in of_pieces.into_iter().zip(words[rows.sums_first()..].chunks_exact(4)) {
        totals[tree].gradient += whole(&words[..2]) as i64;
        totals[tree].hessian += whole(&words[2..]);
    }
    Ok(RoundTotals::new(&words[..rows.sums_first()], totals))
}

/// The report, with the sums of the pieces.
fn sum(
    recording: &mut Recording,
    storage: &mut GpuGrowth,
    rows: &mut BoostingRows,
    plan: &[[u32; 4]],
    (values, is_fine): (&Arc<Buffer>, bool),
) -> Result<Vec<u32>> {
    let Some(RowBuffers { order, .. }) = storage.buffers.clone() else { return Err(wrong_device()) };
    let table = fill_table(recording, storage, ScratchBuffer::Leaves, plan.as_flattened())?;
    let report = rows.report(recording, plan.len())?;
    let sums_first = rows.sums_first();
    let params = Params {
        rows: rows.rows as u32,
        pieces: plan.len() as u32,
        is_fine: u32::from(is_fine),
        sums_first: sums_first as u32,
    };
    let buffers = &[&table, &order, values, &report];
    let dispatch = Dispatch::new(&params, buffers, Grid::linear(plan.len() as u64)?, work(plan));
    recording.dispatch(&KERNEL, dispatch)?;
    let mut words = vec![];
    let count = (sums_first + 4 * plan.len()) as u64;
    recording.read(&report, 0, count, &mut |part| words.extend_from_slice(part))?;
    Ok(words)
}

/// The pieces of some ranges, each with its tree and a word of its own, and the number of the range of each piece.
fn pieces(ranges: impl Iterator<Item = (usize, Range<usize>, u32)>) -> (Vec<[u32; 4]>, Vec<usize>) {
    let (mut plan, mut owners) = (vec![], vec![]);
    for (number, (tree, rows, word)) in ranges.enumerate() {
        for first in rows.clone().step_by(PIECE) {
            plan.push([first as u32, PIECE.min(rows.end - first) as u32, tree as u32, word]);
            owners.push(number);
        }
    }
    (plan, owners)
}

fn check(state: &GrowState, rows: &BoostingRows, leaves: &[LeafRows]) -> Result<()> {
    let places = state.places();
    match leaves.iter().find(|leaf| leaf.rows.end > places || leaf.tree >= rows.outputs()) {
        None => Ok(()),
        Some(leaf) => {
            let expected = format!("rows within 0..{places} of {} trees", rows.outputs());
            Err(Error::shape("leaves", expected, format!("{:?} of tree {}", leaf.rows, leaf.tree)))
        }
    }
}

fn work(plan: &[[u32; 4]]) -> Work {
    let rows: u64 = plan.iter().map(|piece| u64::from(piece[1])).sum();
    Work { operations: 64 * rows, bytes: 12 * rows }
}

fn whole(words: &[u32]) -> u64 {
    u64::from(words[0]) | u64::from(words[1]) << 32
}

fn wrong_device() -> Error {
    Error::WrongDevice { op: "leaves", why: "the rows are on a GPU, the stream is not".to_string() }
}
