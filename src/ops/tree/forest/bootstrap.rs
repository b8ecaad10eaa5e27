//! The rows that trees of classes or numbers begin with, made on a GPU: bootstrap samples are drawn there, by the numbers by which
//! the host draws them, and orders begin there.

use std::ops::Range;
use std::sync::Arc;

use crate::cpu::random::philox::rejected_below;
use crate::cpu::tree::TargetRows;
use crate::cpu::tree::bootstrap::RowDraws;
use crate::device::{Buffer, Device, Dispatch, Recording, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};
use crate::ops::tree::grow_state::{GpuGrowth, RowBuffers, ScratchBuffer, wrong_device};
use crate::ops::tree::partition::{self, CUT_WORDS, Moves, place_rows, runs_in};
use crate::ops::tree::target_rows::{ONCE, TargetPlaces, TreeWords, upload_classes, upload_target};
use crate::ops::tree::{GrowState, fill_table};

kernels! {
    /// Draws rows and counts how often.
    pub KERNEL = "tree/forest/bootstrap", [Read, Write], Params;
    /// Says which rows trees count.
    pub KERNEL_FLAGS = "tree/forest/bootstrap__flags", [Read, Write], FlagParams;
}

params! {
    struct Params {
        rows: u32, draws: u32, counters: u32, trees: u32, first_tree: u32, stream: u32, key_low: u32, key_high: u32,
        bound: u32, rejected_below: u32, drawn: u32,
    }
    struct FlagParams { rows: u32, runs: u32, trees: u32, drawn: u32, first: u32, row_words: u32 }
}

/// What a draw costs, in operations: its share of ten rounds, and an atomic addition.
const DRAW: u64 = 96;

/// Trees that learn the same targets, from all rows that count or from bootstrap samples of them.
#[derive(Debug, Clone)]
pub struct TreeRows<'a> {
    /// The targets, each row once.
    pub whole: TargetRows<'a>,
    /// Whether they are those that trees of this state were begun with before.
    pub known: bool,
    /// How often each tree takes each row; every row that counts once if none.
    pub draws: Option<TreeDraws<'a>>,
    /// Rows of each tree, in the order of their numbers.
    pub counts: &'a [usize],
}

/// How often trees take their rows.
#[derive(Debug, Clone)]
pub enum TreeDraws<'a> {
    /// As bootstrap samples say, of the trees with these numbers.
    Sampled(RowDraws, Range<usize>),
    /// So often: all rows for the first tree, then for the next.
    Given(&'a [u32]),
}

/// Words of the targets and of one tree's draws, in 32-bit words.
struct RoomWords {
    targets: usize,
    tree: usize,
}

impl TreeRows<'_> {
    fn places(&self) -> TargetPlaces {
        TargetPlaces::of(std::slice::from_ref(&self.whole))
    }

    fn room(whole: &TargetRows<'_>, is_drawn: bool) -> RoomWords {
        let places = TargetPlaces::of(std::slice::from_ref(whole));
        RoomWords { targets: places.first + places.tree, tree: if is_drawn { whole.rows() } else { 0 } }
    }
}

impl GrowState {
    /// Begins trees on a GPU: their orders and how often each takes a row are made there. The targets go up, unless they are
    /// known, and 48 bytes a tree. All of it must fit the memory budget, and each part one binding, or it is [`Error::Limit`].
    pub fn begin_trees(&mut self, stream: &mut Stream, rows: &TreeRows<'_>) -> Result<()> {
        self.on(stream, "tree growth")?;
        let (all, places) = (rows.whole.rows(), rows.counts.iter().sum());
        if let Some(count) = rows.counts.iter().find(|count| **count > all) {
            return Err(Error::shape("tree growth", format!("at most {all} rows a tree"), count));
        }
        let trees = match &rows.draws {
            Some(TreeDraws::Sampled(_, trees)) => trees.len(),
            Some(TreeDraws::Given(times)) => times.len() / all.max(1),
            None => rows.counts.len(),
        };
        if trees != rows.counts.len() {
            return Err(Error::shape("tree growth", format!("{} trees", rows.counts.len()), trees));
        }
        self.begin_there(all, places, 8 * rows.whole.words() as u64);
        self.tree_words = TreeWords::shared(&rows.places(), all, rows.draws.is_some());
        let recording = stream.gpu().ok_or_else(|| wrong_device("tree growth"))?;
        begin(recording, self.on_gpu()?, rows)
    }

    /// How many trees with such targets may grow together: their orders and draws share an eighth of the memory, and draws
    /// one binding. At least 1; as many as one likes on the CPU.
    pub fn max_trees(&self, whole: &TargetRows<'_>, is_drawn: bool) -> usize {
        let Device::Gpu(gpu) = &self.device else { return usize::MAX };
        let (room, order) = (TreeRows::room(whole, is_drawn), 4 * whole.rows().max(1) as u64);
        let (targets, tree) = (4 * room.targets as u64, 4 * room.tree as u64);
        let by_binding = gpu.binding_bytes().saturating_sub(targets) / tree.max(1);
        let by_order = gpu.binding_bytes() / order;
        let by_memory = (gpu.memory.budget() / 8).saturating_sub(targets) / (tree + 2 * order);
        by_binding.min(by_order).min(by_memory).max(1) as usize
    }
}

fn begin(recording: &mut Recording, storage: &mut GpuGrowth, rows: &TreeRows<'_>) -> Result<()> {
    let (all, trees) = (rows.whole.rows(), rows.counts.len());
    let (places, room) = (rows.places(), TreeRows::room(&rows.whole, rows.draws.is_some()));
    // The rows that can be drawn are put in order before the samples are.
    let in_order = rows.counts.iter().sum::<usize>().max(all);
    let words = (room.targets + room.tree * trees) as u64;
    storage.warm(recording, &[&partition::KERNEL, &partition::KERNEL_PLACE])?;
    let stays = storage.buffers.as_ref().is_some_and(|buffers| buffers.fit(in_order, words));
    let buffers = storage.row_buffers(recording, in_order, words)?;
    if !rows.known || !stays {
        upload_classes(recording, &buffers.packed, &rows.whole)?;
        upload_target(recording, &buffers.packed, places.first, &rows.whole)?;
    }
    let params = FlagParams {
        rows: all as u32,
        runs: runs_in(all) as u32,
        trees: trees as u32,
        drawn: ONCE,
        first: places.first as u32,
        row_words: (places.tree / all.max(1)) as u32,
    };
    if all == 0 || trees == 0 {
        return Ok(());
    }
    let of_draws = FlagParams { drawn: room.targets as u32, ..params };
    let (draws, numbers) = match &rows.draws {
        None => return put_in_order(recording, storage, &buffers, params, rows.counts),
        Some(TreeDraws::Given(times)) => {
            recording.upload(&buffers.packed, room.targets as u64, times.len() as u64, &|first, part| {
                part.copy_from_slice(&times[first as usize..first as usize + part.len()]);
            })?;
            return put_in_order(recording, storage, &buffers, of_draws, rows.counts);
        }
        Some(TreeDraws::Sampled(draws, numbers)) => (draws, numbers),
    };
    let known = rows.counting();
    let listed = match known == all {
        true => None,
        false => {
            put_in_order(recording, storage, &buffers, FlagParams { trees: 1, ..params }, &[known])?;
            let listed = recording.scratch(4 * known.max(1) as u64, "rows that can be drawn")?;
            recording.copy((&buffers.order, 0), (&listed, 0), 4 * known as u64)?;
            Some(listed)
        }
    };
    let drawn = Params {
        rows: all as u32,
        draws: draws.draws as u32,
        counters: draws.draws.div_ceil(4) as u32,
        trees: trees as u32,
        first_tree: numbers.start as u32,
        stream: draws.stream,
        key_low: draws.seed as u32,
        key_high: (draws.seed >> 32) as u32,
        bound: known as u32,
        rejected_below: rejected_below(known as u32),
        drawn: room.targets as u32,
    };
    draw(recording, &buffers, listed, drawn)?;
    put_in_order(recording, storage, &buffers, of_draws, rows.counts)
}

impl TreeRows<'_> {
    /// How many rows can be drawn.
    fn counting(&self) -> usize {
        let words = match &self.whole {
            TargetRows::Classes(rows) => rows.words,
            TargetRows::Values(rows) => rows.words,
        };
        words.iter().filter(|word| **word != 0).count()
    }
}

/// Records the draws of trees, as many at a time as one dispatch may make.
fn draw(recording: &mut Recording, buffers: &RowBuffers, listed: Option<Arc<Buffer>>, params: Params) -> Result<()> {
    let words = u64::from(params.rows) * u64::from(params.trees);
    recording.clear(&buffers.packed, u64::from(params.drawn), words)?;
    let is_listed = [("LISTED", u32::from(listed.is_some()))];
    // Bound in any case; not read without a list.
    let listed = listed.unwrap_or_else(|| buffers.spare.clone());
    let of_tree = DRAW * u64::from(params.draws.max(1));
    let together = (recording.gpu.operations_per_dispatch() / of_tree).clamp(1, 1 << 16) as usize;
    for first in (0..params.trees as usize).step_by(together) {
        let trees = together.min(params.trees as usize - first);
        let params = Params {
            trees: trees as u32,
            first_tree: params.first_tree + first as u32,
            drawn: params.drawn + first as u32 * params.rows,
            ..params
        };
        let items = u64::from(params.counters) * trees as u64;
        let work = Work { operations: of_tree * trees as u64, bytes: 32 * items };
        let bound = &[&listed, &buffers.packed];
        let dispatch = Dispatch::new(&params, bound, Grid::covering(items, 64)?, work);
        recording.dispatch(&KERNEL, dispatch.overrides(&is_listed))?;
    }
    Ok(())
}

/// Records the order of trees of so many rows each: a partition of all rows, of which the side that counts is kept.
fn put_in_order(
    recording: &mut Recording,
    storage: &mut GpuGrowth,
    buffers: &RowBuffers,
    params: FlagParams,
    counts: &[usize],
) -> Result<()> {
    let all = params.rows as usize;
    let (runs, total) = (params.runs as usize * counts.len(), all * counts.len());
    let mut cuts = vec![[0; CUT_WORDS]; counts.len()];
    let mut next = 0;
    for (tree, (cut, count)) in cuts.iter_mut().zip(counts).enumerate() {
        cut[..3].copy_from_slice(&[next, params.rows, params.runs * tree as u32]);
        next += *count as u32;
    }
    let table = fill_table(recording, storage, ScratchBuffer::Cuts, cuts.as_flattened())?;
    let flags = storage.scratch_buffer(recording, ScratchBuffer::Flags, 4 * runs as u64)?;
    let work = Work { operations: 4 * total as u64, bytes: 4 * total as u64 };
    let by_run = Grid::covering(runs as u64, 64)?;
    recording.dispatch(&KERNEL_FLAGS, Dispatch::new(&params, &[&buffers.packed, &flags], by_run, work))?;
    place_rows(
        recording,
        storage,
        &table,
        (&buffers.spare, &buffers.order),
        Moves { runs, total, cuts: cuts.len(), begins: true },
    )
}
