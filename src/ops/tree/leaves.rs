//! The sums of leaves, and the scores of the rows in them.

use std::ops::Range;
use std::sync::Arc;

use super::gradients::BoostingRows;
use super::grow_state::{GpuGrowth, RowBuffers, ScratchBuffer};
use super::other_scores::record as record_others;
use super::{GrowState, RoundTotals, fill_table};
use crate::cpu::tree::gradients::RowLoss;
use crate::cpu::tree::predict::FlatTrees;
use crate::cpu::tree::{GradientSums, RowSample};
use crate::device::{Buffer, Dispatch, Recording, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    /// Sums of pieces of the row order.
    pub KERNEL = "tree/leaves", [Read, Read, Read, Write], Params;
    /// The values of leaves.
    pub KERNEL_VALUES = "tree/leaves__values", [Read, Read, Write], ValueParams;
    /// Adds the values of leaves to scores.
    pub KERNEL_SCORES = "tree/leaves__scores", [Read, Read, Read, Write, Write], ScoreParams;
}

params! {
    struct Params { rows: u32, pieces: u32, is_fine: u32, sums_first: u32 }
    struct ValueParams {
        leaves: u32, sums_first: u32, l1_low: u32, l1_high: u32, l2_low: u32, l2_high: u32, rate_low: u32,
        rate_high: u32,
    }
    struct ScoreParams { rows: u32, pieces: u32 }
}

/// A leaf of a tree.
#[derive(Debug, Clone, PartialEq)]
pub struct LeafRows {
    /// The tree, and the output.
    pub tree: usize,
    /// Its range of the row order.
    pub rows: Range<usize>,
    /// The smallest and the largest value that it may have, before the learning rate.
    pub bounds: [f64; 2],
}

/// How the sums of leaves become their values: −Σg/(Σh + l2), with |Σg| less l1, held within bounds, times the learning
/// rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LeafRules {
    /// Is taken off |Σg|.
    pub l1: f64,
    /// Is added to Σh.
    pub l2: f64,
    /// Multiplies the value.
    pub learning_rate: f64,
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
    let plan = Plan::new(leaves.iter().map(|leaf| (leaf.tree, leaf.rows.clone())));
    let recording = stream.gpu().ok_or_else(wrong_device)?;
    let (values, first) = (rows.gradient_buffer().clone(), rows.sums_first());
    sum(recording, state.on_gpu()?, rows, &plan, (&values, true), first)?;
    let words = read(recording, rows, first + 4 * plan.pieces.len())?;
    Ok(plan.add(&words[first..]))
}

/// Records the addition of the leaves' values to the scores of their rows.
pub fn add_to_scores(
    stream: &mut Stream,
    state: &mut GrowState,
    rows: &mut BoostingRows,
    leaves: &[LeafRows],
    values: &[f32],
) -> Result<()> {
    check(state, rows, leaves)?;
    let plan = Plan::new(leaves.iter().map(|leaf| (leaf.tree, leaf.rows.clone())));
    let recording = stream.gpu().ok_or_else(wrong_device)?;
    let storage = state.on_gpu()?;
    let words: Vec<u32> = values.iter().map(|value| value.to_bits()).collect();
    let values = fill_table(recording, storage, ScratchBuffer::LeafValues, &words)?;
    let table = fill_table(recording, storage, ScratchBuffer::Leaves, plan.pieces.as_flattened())?;
    scores(recording, storage, rows, &plan, [&table, &values])
}

/// How a round ends and the next begins.
#[derive(Debug)]
pub struct RoundChange<'a> {
    /// The leaves of all trees, one tree after the other.
    pub leaves: &'a [LeafRows],
    /// How they get their values.
    pub rules: LeafRules,
    /// The trees, for rows that they were not grown on.
    pub trees: &'a FlatTrees,
    /// The losses of the next round, for each output; none for the softmax loss.
    pub losses: &'a [RowLoss],
    /// The sample of the next round; all rows if there is none.
    pub sample: Option<RowSample>,
}

/// What comes back between two rounds.
#[derive(Debug)]
pub struct RoundEnd {
    /// The sums of the leaves, as [`leaf_sums`] gives them.
    pub sums: Vec<[i64; 2]>,
    /// What is known of the next round.
    pub next: RoundTotals,
    /// The scores of the rows that are held out, if there are any.
    pub held_out: Option<Vec<Vec<f32>>>,
}

/// Ends a round and begins the next on the GPU that has the rows: the values of the leaves, the scores of all rows, then
/// the gradients, the order and the integers of the next round. One wait.
pub fn next_round(
    stream: &mut Stream,
    state: &mut GrowState,
    rows: &mut BoostingRows,
    change: &RoundChange<'_>,
) -> Result<RoundEnd> {
    let RoundChange { leaves, rules, trees, losses, sample } = change;
    check(state, rows, leaves)?;
    let (of_leaves, of_trees) =
        (Plan::new(leaves.iter().map(|leaf| (leaf.tree, leaf.rows.clone()))), whole_trees(rows));
    let recording = stream.gpu().ok_or_else(wrong_device)?;
    let storage = state.on_gpu()?;
    let totals_first = rows.sums_first();
    let sums_first = totals_first + 4 * of_trees.pieces.len();
    let gradients = rows.gradient_buffer().clone();
    let table = sum(recording, storage, rows, &of_leaves, (&gradients, true), sums_first)?;
    let values = values(recording, storage, rows, (&of_leaves, leaves), *rules, sums_first)?;
    scores(recording, storage, rows, &of_leaves, [&table, &values])?;
    record_others(recording, storage, rows, trees, &values)?;
    rows.record_gradients(recording, losses)?;
    rows.begin(recording, storage, sample.as_ref())?;
    record_totals(recording, storage, rows, &of_trees)?;
    let held_first = sums_first + 4 * of_leaves.pieces.len();
    let held = rows.held_out().map(|held| (held.score_buffer().clone(), held.words()));
    let held_words = held.as_ref().map_or(0, |held| held.1);
    if let Some((held, words)) = &held {
        let report = rows.report(recording, held_first + words)?;
        recording.copy((held, 0), (&report, 4 * held_first as u64), 4 * *words as u64)?;
    }
    let words = read(recording, rows, held_first + held_words)?;
    let next = round_totals(rows, &of_trees, &words[..sums_first], sample.is_some());
    let held_out = rows.held_out().map(|held| held.scores(&words[held_first..]));
    Ok(RoundEnd { sums: of_leaves.add(&words[sums_first..held_first]), next, held_out })
}

/// What is known of a round whose gradients are recorded: its order and integers are made. One wait.
pub(super) fn begin_round(
    recording: &mut Recording,
    storage: &mut GpuGrowth,
    rows: &mut BoostingRows,
    sample: Option<&RowSample>,
) -> Result<RoundTotals> {
    rows.begin(recording, storage, sample)?;
    let plan = whole_trees(rows);
    record_totals(recording, storage, rows, &plan)?;
    let words = read(recording, rows, rows.sums_first() + 4 * plan.pieces.len())?;
    Ok(round_totals(rows, &plan, &words, sample.is_some()))
}

/// All rows of each tree.
fn whole_trees(rows: &BoostingRows) -> Plan {
    Plan::new((0..rows.outputs()).map(|tree| (tree, tree * rows.places()..(tree + 1) * rows.places())))
}

/// Records what the rows of each tree add up to in the integers of splits.
fn record_totals(
    recording: &mut Recording,
    storage: &mut GpuGrowth,
    rows: &mut BoostingRows,
    plan: &Plan,
) -> Result<()> {
    let Some(RowBuffers { packed, .. }) = storage.buffers.clone() else { return Err(wrong_device()) };
    let first = rows.sums_first();
    sum(recording, storage, rows, plan, (&packed, false), first).map(|_| ())
}

fn round_totals(rows: &mut BoostingRows, plan: &Plan, words: &[u32], is_sampled: bool) -> RoundTotals {
    let first = rows.sums_first();
    let count = if is_sampled { words[first - 1] as usize } else { rows.places() };
    rows.set_sampled(count);
    let sums = |[gradient, hessian]: [i64; 2]| GradientSums { gradient, hessian: hessian as u64, count: count as u64 };
    RoundTotals::new(&words[..first], plan.add(&words[first..]).into_iter().map(sums).collect(), count)
}

/// Records the sums of pieces; returns the table of them.
pub(super) fn sum(
    recording: &mut Recording,
    storage: &mut GpuGrowth,
    rows: &mut BoostingRows,
    plan: &Plan,
    (values, is_fine): (&Arc<Buffer>, bool),
    sums_first: usize,
) -> Result<Arc<Buffer>> {
    let Some(RowBuffers { order, .. }) = storage.buffers.clone() else { return Err(wrong_device()) };
    let which = if is_fine { ScratchBuffer::Leaves } else { ScratchBuffer::Roots };
    let table = fill_table(recording, storage, which, plan.pieces.as_flattened())?;
    let report = rows.report(recording, sums_first + 4 * plan.pieces.len())?;
    let params = Params {
        rows: rows.rows as u32,
        pieces: plan.pieces.len() as u32,
        is_fine: u32::from(is_fine),
        sums_first: sums_first as u32,
    };
    let buffers = &[&table, &order, values, &report];
    let dispatch = Dispatch::new(&params, buffers, Grid::linear(plan.pieces.len() as u64)?, plan.work());
    recording.dispatch(&KERNEL, dispatch)?;
    Ok(table)
}

/// Records the values of leaves, from the sums of their pieces.
fn values(
    recording: &mut Recording,
    storage: &mut GpuGrowth,
    rows: &mut BoostingRows,
    (plan, leaves): (&Plan, &[LeafRows]),
    rules: LeafRules,
    sums_first: usize,
) -> Result<Arc<Buffer>> {
    let halves = |number: f64| [number.to_bits() as u32, (number.to_bits() >> 32) as u32];
    let mut words: Vec<u32> = vec![];
    for (number, leaf) in leaves.iter().enumerate() {
        let first = plan.owners.partition_point(|owner| *owner < number);
        let end = plan.owners.partition_point(|owner| *owner <= number);
        words.extend([first as u32, (end - first) as u32, leaf.tree as u32, 0]);
        words.extend(leaf.bounds.map(halves).as_flattened());
    }
    let table = fill_table(recording, storage, ScratchBuffer::LeafTable, &words)?;
    let values = storage.scratch_buffer(recording, ScratchBuffer::LeafValues, 4 * leaves.len() as u64)?;
    let report = rows.report(recording, 0)?;
    let [[l1_low, l1_high], [l2_low, l2_high], [rate_low, rate_high]] =
        [rules.l1, rules.l2, rules.learning_rate].map(halves);
    let (leaves, sums_first) = (leaves.len() as u32, sums_first as u32);
    let params = ValueParams { leaves, sums_first, l1_low, l1_high, l2_low, l2_high, rate_low, rate_high };
    let work = Work { operations: 4096 * u64::from(leaves), bytes: 16 * plan.pieces.len() as u64 };
    let grid = Grid::covering(u64::from(leaves), 64)?;
    recording.dispatch(&KERNEL_VALUES, Dispatch::new(&params, &[&table, &report, &values], grid, work))?;
    Ok(values)
}

/// Records the addition of values to scores.
fn scores(
    recording: &mut Recording,
    storage: &mut GpuGrowth,
    rows: &mut BoostingRows,
    plan: &Plan,
    [table, values]: [&Arc<Buffer>; 2],
) -> Result<()> {
    let Some(RowBuffers { order, .. }) = storage.buffers.clone() else { return Err(wrong_device()) };
    let report = rows.report(recording, 0)?;
    let params = ScoreParams { rows: rows.rows as u32, pieces: plan.pieces.len() as u32 };
    let buffers = &[table, &order, values, rows.score_buffer(), &report];
    let dispatch = Dispatch::new(&params, buffers, Grid::linear(plan.pieces.len() as u64)?, plan.work());
    recording.dispatch(&KERNEL_SCORES, dispatch)
}

/// The first words of the report.
pub(super) fn read(recording: &mut Recording, rows: &mut BoostingRows, words: usize) -> Result<Vec<u32>> {
    let (report, mut found) = (rows.report(recording, 0)?, Vec::with_capacity(words));
    recording.read(&report, 0, words as u64, &mut |part| found.extend_from_slice(part))?;
    Ok(found)
}

/// Ranges of the row order in pieces.
pub(super) struct Plan {
    /// First place, rows, tree, number of the range.
    pub(super) pieces: Vec<[u32; 4]>,
    /// The range of each piece.
    owners: Vec<usize>,
    ranges: usize,
}

impl Plan {
    /// Rows of a piece: sixteen a lane.
    pub(super) const PIECE: usize = 1 << 12;

    pub(super) fn new(ranges: impl Iterator<Item = (usize, Range<usize>)>) -> Plan {
        let mut plan = Plan { pieces: vec![], owners: vec![], ranges: 0 };
        for (number, (tree, rows)) in ranges.enumerate() {
            for first in rows.clone().step_by(Plan::PIECE) {
                let count = Plan::PIECE.min(rows.end - first);
                plan.pieces.push([first as u32, count as u32, tree as u32, number as u32]);
                plan.owners.push(number);
            }
            plan.ranges += 1;
        }
        plan
    }

    /// The sums of each range, from the words of its pieces.
    pub(super) fn add(&self, words: &[u32]) -> Vec<[i64; 2]> {
        let mut sums = vec![[0_i64; 2]; self.ranges];
        for (owner, words) in self.owners.iter().zip(words.chunks_exact(4)) {
            sums[*owner][0] += whole(words[0], words[1]);
            sums[*owner][1] += whole(words[2], words[3]);
        }
        sums
    }

    /// The same where a piece has one sum.
    pub(super) fn add_single(&self, words: &[u32]) -> Vec<i64> {
        let mut sums = vec![0_i64; self.ranges];
        for (owner, words) in self.owners.iter().zip(words.chunks_exact(2)) {
            sums[*owner] += whole(words[0], words[1]);
        }
        sums
    }

    pub(super) fn work(&self) -> Work {
        let rows: u64 = self.pieces.iter().map(|piece| u64::from(piece[1])).sum();
        Work { operations: 64 * rows, bytes: 12 * rows }
    }
}

/// An integer of two words.
fn whole(low: u32, high: u32) -> i64 {
    (u64::from(low) | u64::from(high) << 32) as i64
}

pub(super) fn check(state: &GrowState, rows: &BoostingRows, leaves: &[LeafRows]) -> Result<()> {
    let places = state.places();
    match leaves.iter().find(|leaf| leaf.rows.end > places || leaf.tree >= rows.outputs()) {
        None => Ok(()),
        Some(leaf) => {
            let expected = format!("rows within 0..{places} of {} trees", rows.outputs());
            Err(Error::shape("leaves", expected, format!("{:?} of tree {}", leaf.rows, leaf.tree)))
        }
    }
}

fn wrong_device() -> Error {
    Error::WrongDevice { op: "leaves", why: "the rows are on a GPU, the stream is not".to_string() }
}
