//! The best splits of nodes.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::grow_state::{CELL_BYTES, GpuGrowth, ScratchBuffer};
use super::histogram::decode;
use super::{Binned, GrowState, fill_table};
use crate::cpu::tree::best_split::{GradientNode, GradientRules, GradientSplit, best_split as of_feature};
use crate::cpu::tree::histogram::Histogram;
use crate::cpu::tree::monotone::{MonotoneLimit, UNBOUNDED};
use crate::cpu::tree::split::better;
use crate::cpu::tree::{FeaturePlace, GradientSums, SplitRule};
use crate::device::{Buffer, Dispatch, Gpu, Recording, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    /// The best split by each feature.
    pub KERNEL = "tree/best_split", [Read, Read, Read, Write], Params;
    /// The best of a node's features.
    pub KERNEL_WINNER = "tree/best_split__winner", [Read, Read, Write], Params;
    /// What the children of nodes are searched by.
    pub KERNEL_CHILDREN = "tree/best_split__children", [Read, Read, Read, Write, Write, Write], ChildrenParams;
}

/// Lanes that look at a node and a feature together, as in the shader.
const TEAM: u64 = 32;

params! {
    struct Params { searches: u32, tasks: u32, tasks_first: u32, cells: u32, list_length: u32 }
    pub(super) struct ChildrenParams { nodes: u32, features_first: u32, piece_rows: u32, jobs_first: u32 }
}

/// Features that one task searches at least.
const FEATURES_PER_TASK: usize = 4;
/// Words of what a feature, and a node, found: gain, place of the split, feature, sums on the left.
pub(super) const FOUND_WORDS: usize = 8;
/// Words of a cell.
const CELL_WORDS: usize = CELL_BYTES as usize / 4;
/// What one cell costs, in operations.
const OPERATIONS: usize = 192;
/// Bits of what was found: that there is a split, and that missing values go left.
const FOUND: u32 = 1 << 31;
const MISSING_LEFT: u32 = 1 << 30;
/// Words of a search in the table.
pub(super) const SEARCH_WORDS: usize = 32;
/// Σ Hessian stays below this, and Σ |gradient| too.
const LARGEST: f64 = (1_u64 << 42) as f64;

/// A node whose best split is wanted.
#[derive(Debug, Clone, PartialEq)]
pub struct SplitSearch {
    /// The slot of its histogram.
    pub slot: usize,
    /// What its rows add up to.
    pub node: GradientSums,
    /// What its splits must keep to.
    pub rules: GradientRules,
    /// The features to try.
    pub features: Vec<u32>,
    /// What holds its children's values, where some features have a direction.
    pub monotone: Option<Monotone>,
}

/// The bounds of a node's values, and the direction of each feature (as in [`MonotoneLimit`]).
#[derive(Debug, Clone, PartialEq)]
pub struct Monotone {
    /// The smallest and the largest value.
    pub bounds: [f64; 2],
    /// One for each feature.
    pub directions: Arc<[i8]>,
}

impl SplitSearch {
    /// The best split by one feature, from the node's cells.
    fn best(&self, histogram: &Histogram, feature: u32, cells: &FeaturePlace) -> Option<GradientSplit> {
        let limit = self.monotone.as_ref().map(|monotone| monotone.limit(feature));
        of_feature(histogram, feature, cells, &GradientNode { sums: self.node, rules: &self.rules, limit })
    }
}

impl Monotone {
    /// What splits by a feature must keep to.
    pub fn limit(&self, feature: u32) -> MonotoneLimit {
        let direction = self.directions.get(feature as usize).copied().unwrap_or(0);
        MonotoneLimit { bounds: self.bounds, direction }
    }
}

/// The best split of each node, none where none is allowed; equal gains go to the lowest feature.
///
/// On a GPU each feature's splits are bounded in f32, and those that may be best are settled in f64, made of integers: the
/// split that the CPU finds, to the bit. 32 bytes of a node come back, and beside them the cells of categorical features,
/// which the host settles. One wait. Costs about 50 operations a cell, and some 2,000 for each split that may be best.
pub fn best_split(
    stream: &mut Stream,
    binned: &Binned<'_>,
    state: &mut GrowState,
    searches: &[SplitSearch],
) -> Result<Vec<Option<GradientSplit>>> {
    binned.on(stream, "best_split")?;
    state.on(stream, "best_split")?;
    let known = binned.features.len();
    let mut asked = searches.iter().flat_map(|search| &search.features);
    if let Some(feature) = asked.find(|feature| **feature as usize >= known) {
        return Err(Error::bad_index(*feature));
    }
    match stream.gpu() {
        None => on_cpu(binned, state, searches),
        Some(_) if searches.is_empty() => Ok(vec![]),
        Some(_) if binned.cells() == 0 => Ok(vec![None; searches.len()]),
        Some(recording) => {
            let per_block = searches_per_block(&recording.gpu, binned, searches);
            let storage = state.on_gpu()?;
            let blocks = searches.chunks(per_block).map(|searches| on_gpu(recording, binned, storage, searches));
            Ok(blocks.collect::<Result<Vec<_>>>()?.concat())
        }
    }
}

fn on_cpu(binned: &Binned<'_>, state: &mut GrowState, searches: &[SplitSearch]) -> Result<Vec<Option<GradientSplit>>> {
    let slots = &state.on_cpu()?.1.slots;
    if let Some(search) = searches.iter().find(|search| search.slot >= slots.len()) {
        return Err(Error::bad_index(search.slot as u32));
    }
    let tasks: Vec<(usize, u32)> =
        (0..searches.len()).flat_map(|at| searches[at].features.iter().map(move |feature| (at, *feature))).collect();
    let best = |&(at, feature): &(usize, u32)| {
        let search = &searches[at];
        search.best(&slots[search.slot], feature, &binned.features[feature as usize])
    };
    let found: Vec<Option<GradientSplit>> = tasks.par_iter().with_min_len(FEATURES_PER_TASK).map(best).collect();
    let mut winners = vec![None; searches.len()];
    tasks.into_iter().zip(found).for_each(|((at, _), found)| winners[at] = better(winners[at], found));
    Ok(winners)
}

/// Searches that are recorded together: as many as the room for what they find and the work of one dispatch allow.
pub(super) fn searches_per_block(gpu: &Gpu, binned: &Binned<'_>, searches: &[SplitSearch]) -> usize {
    let features = searches.iter().map(|search| search.features.len()).max().unwrap_or(0);
    let categories = searches.iter().map(|search| category_cells(search, binned.features).len()).max().unwrap_or(0);
    let words = SEARCH_WORDS + FOUND_WORDS * (features + 1) + CELL_WORDS * categories;
    let by_room = gpu.scratch_bytes() as usize / (4 * words);
    let by_work = gpu.operations_per_dispatch() as usize / (OPERATIONS * 256 * features).max(1);
    by_room.min(by_work).max(1)
}

fn on_gpu(
    recording: &mut Recording,
    binned: &Binned<'_>,
    storage: &mut GpuGrowth,
    searches: &[SplitSearch],
) -> Result<Vec<Option<GradientSplit>>> {
    let [_, winners] = record(recording, binned, storage, searches)?;
    let numbers = FOUND_WORDS * searches.len();
    let cells: Vec<usize> = searches.iter().map(|search| category_cells(search, binned.features).len()).collect();
    let all = numbers + CELL_WORDS * cells.iter().sum::<usize>();
    let mut words: Vec<u32> = Vec::with_capacity(all);
    recording.read(&winners, 0, all as u64, &mut |part| words.extend_from_slice(part))?;
    let (numbers, mut rest) = words.split_at(numbers);
    let mut categories = Vec::with_capacity(searches.len());
    for cells in cells {
        let (own, others) = rest.split_at(CELL_WORDS * cells);
        categories.push(own);
        rest = others;
    }
    let winners = searches.par_iter().zip(numbers.par_chunks_exact(FOUND_WORDS)).zip(&categories);
    Ok(winners.map(|((search, words), categories)| settle(search, words, categories, binned.features)).collect())
}

/// The features of a search that are categorical, or those that are not.
fn features_where<'a>(
    search: &'a SplitSearch,
    features: &'a [FeaturePlace],
    categorical: bool,
) -> impl Iterator<Item = u32> + 'a {
    search.features.iter().copied().filter(move |feature| features[*feature as usize].categorical == categorical)
}

/// The cells of the categorical features of a search, one feature after the other.
fn category_cells(search: &SplitSearch, features: &[FeaturePlace]) -> Vec<usize> {
    features_where(search, features, true).flat_map(|feature| cells_of(&features[feature as usize])).collect()
}

fn cells_of(cells: &FeaturePlace) -> Range<usize> {
    let first = cells.first as usize;
    // A feature of one bin has no column, and no cells.
    first..first + if cells.all_bins() < 2 { 0 } else { cells.all_bins() }
}

/// What the device found for a node.
pub(super) fn winner(words: &[u32]) -> Option<GradientSplit> {
    let long = |at: usize| u64::from(words[at]) | u64::from(words[at + 1]) << 32;
    let place = words[2];
    (place & FOUND != 0).then(|| {
        let rule = SplitRule::at(words[3], place as u16, 0.0);
        let rule = SplitRule { missing_left: place & MISSING_LEFT != 0, ..rule };
        let left = GradientSums::wide(long(4) as i64, long(6));
        GradientSplit { rule, gain: f64::from_bits(long(0)), left }
    })
}

/// The winner of the device and the categorical features.
fn settle(search: &SplitSearch, words: &[u32], categories: &[u32], features: &[FeaturePlace]) -> Option<GradientSplit> {
    let mut winner = winner(words);
    let mut rest = categories;
    for feature in features_where(search, features, true) {
        let cells = &features[feature as usize];
        let (own, others) = rest.split_at(CELL_WORDS * cells_of(cells).len());
        let place = FeaturePlace { first: 0, ..*cells };
        winner = better(winner, search.best(&decode(own), feature, &place));
        rest = others;
    }
    winner
}

/// Records searches; returns the table of them and what was found.
pub(super) fn record(
    recording: &mut Recording,
    binned: &Binned<'_>,
    storage: &mut GpuGrowth,
    searches: &[SplitSearch],
) -> Result<[Arc<Buffer>; 2]> {
    let mut words = vec![];
    let mut tasks = vec![];
    for (number, search) in (0..).zip(searches) {
        let first_task = tasks.len();
        let direction = |feature: u32| match &search.monotone {
            Some(monotone) => [0, 1, 2][usize::from(monotone.limit(feature).direction.rem_euclid(3) as u8)],
            None => 0,
        };
        let task = |feature: u32| [number, feature | direction(feature) << 30];
        tasks.extend(features_where(search, binned.features, false).map(task));
        words.extend(entry(search, first_task, tasks.len() - first_task).as_flattened());
    }
    let count = tasks.len();
    let (task_words, list_length) = task_words(&tasks, searches.len());
    let params = Params {
        searches: searches.len() as u32,
        tasks: count as u32,
        tasks_first: words.len() as u32,
        cells: binned.cells() as u32,
        list_length,
    };
    words.extend(task_words);
    let plan = fill_table(recording, storage, ScratchBuffer::Searches, &words)?;
    let found = storage.scratch_buffer(recording, ScratchBuffer::Found, 4 * (FOUND_WORDS * count.max(1)) as u64)?;
    let copies: Vec<(usize, Vec<usize>)> =
        searches.iter().map(|search| (search.slot, category_cells(search, binned.features))).collect();
    let copied: usize = copies.iter().map(|(_, cells)| cells.len()).sum();
    let listed = FOUND_WORDS * searches.len();
    let winners =
        storage.scratch_buffer(recording, ScratchBuffer::Winners, 4 * (listed + CELL_WORDS * copied) as u64)?;
    let slots = storage.filled()?;
    run(recording, binned, &params, [&plan, &slots, &found, &winners])?;
    let mut to = 4 * listed as u64;
    for (slot, cells) in copies {
        for run in cells.chunk_by(|one, next| one + 1 == *next) {
            let (from, bytes) = ((slot * binned.cells() + run[0]) as u64, CELL_BYTES * run.len() as u64);
            recording.copy((&slots, CELL_BYTES * from), (&winners, to), bytes)?;
            to += bytes;
        }
    }
    Ok([plan, winners])
}

/// Records the searches of a table: the best split by each feature, then by all.
fn run(
    recording: &mut Recording,
    binned: &Binned<'_>,
    params: &Params,
    [plan, slots, found, winners]: [&Arc<Buffer>; 4],
) -> Result<()> {
    let (count, searches) = (u64::from(params.tasks), u64::from(params.searches));
    let features = &binned.on_gpu()?.features;
    if count > 0 {
        let grid = Grid::covering(TEAM * count, 64)?;
        let work = Work { operations: OPERATIONS as u64 * 256 * count, bytes: CELL_BYTES * 256 * count };
        recording.dispatch(&KERNEL, Dispatch::new(params, &[plan, features, slots, found], grid, work))?;
    }
    let work = Work { operations: 64 * count, bytes: 4 * FOUND_WORDS as u64 * (searches + count) };
    recording.dispatch(&KERNEL_WINNER, Dispatch::new(params, &[plan, found, winners], Grid::linear(searches)?, work))
}

/// Records the searches of children, whose entries in the table the device wrote: `tasks` has features for each. Returns
/// what was found.
pub(super) fn record_planned(
    recording: &mut Recording,
    binned: &Binned<'_>,
    storage: &mut GpuGrowth,
    plan: &Arc<Buffer>,
    (searches, tasks, list_length): (usize, usize, u32),
    winners: &Arc<Buffer>,
) -> Result<()> {
    let bytes = 4 * (FOUND_WORDS * tasks.max(1)) as u64;
    let found = storage.scratch_buffer(recording, ScratchBuffer::Found, bytes)?;
    let params = Params {
        searches: searches as u32,
        tasks: tasks as u32,
        tasks_first: (SEARCH_WORDS * searches) as u32,
        cells: binned.cells() as u32,
        list_length,
    };
    let slots = storage.filled()?;
    run(recording, binned, &params, [plan, &slots, &found, winners])
}

/// The words of tasks, each the number of its search and its feature, and the length of the list if they are one: where all
/// searches have the same features.
pub(super) fn task_words(tasks: &[[u32; 2]], searches: usize) -> (Vec<u32>, u32) {
    let each = tasks.len() / searches.max(1);
    let is_listed = |(at, task): (usize, &[u32; 2])| *task == [(at / each) as u32, tasks[at % each][1]];
    match each > 0 && tasks.len() == each * searches && tasks.iter().enumerate().all(is_listed) {
        true => (tasks[..each].iter().map(|[_, feature]| *feature).collect(), each as u32),
        false => (tasks.as_flattened().to_vec(), 0),
    }
}

/// A search as the device reads it, in units of its sums: gains there are gains here divided by units[0]²/units[1].
fn entry(search: &SplitSearch, first_task: usize, tasks: usize) -> [[u32; 4]; SEARCH_WORDS / 4] {
    let SplitSearch { slot, node, rules, .. } = search;
    let [gradient_unit, hessian_unit] = rules.units;
    let (l1, l2) =
        ((rules.l1 / gradient_unit).min(LARGEST) as f32, (rules.l2 / hessian_unit).min(LARGEST * LARGEST) as f32);
    let halves = |word: u64| [word as u32, (word >> 32) as u32];
    let [gradient_low, gradient_high] = halves(node.gradient as u64);
    let [weight_low, weight_high] = halves(node.weight());
    let [hessian_low, hessian_high] = halves(min_hessian_sum(rules));
    let min_count = rules.min_count.min(u64::from(u32::MAX)) as u32;
    let pair = |one: f64, other: f64| {
        let [[a, b], [c, d]] = [halves(one.to_bits()), halves(other.to_bits())];
        [a, b, c, d]
    };
    let flags = u32::from(search.monotone.is_some()) | u32::from(is_bounded(search)) << 1;
    let [low, high] = search.monotone.as_ref().map_or(UNBOUNDED, |monotone| monotone.bounds);
    [
        [*slot as u32, first_task as u32, tasks as u32, flags],
        [gradient_low, gradient_high, weight_low, weight_high],
        [l1.to_bits(), l2.to_bits(), min_count, hessian_low],
        [hessian_high, 0, 0, 0],
        pair(gradient_unit, hessian_unit),
        pair(rules.l1, rules.l2),
        pair(low, high),
        pair(rules.min_gain, 0.0),
    ]
}

/// The smallest Σ Hessian in fixed point that is heavy enough, by the very comparison that the CPU makes.
fn min_hessian_sum(rules: &GradientRules) -> u64 {
    let heavy = |hessian: u64| hessian as f64 * rules.units[1] >= rules.min_hessian;
    let (mut low, mut high) = (0, LARGEST as u64);
    // `high` is heavy or larger than any sum.
    while low < high {
        let middle = (low + high) / 2;
        if heavy(middle) { high = middle } else { low = middle + 1 }
    }
    low
}

/// Whether the bounds in f32 hold. An l2 next to nothing, beside Hessians of zero, would leave its range; and they know
/// nothing of directions.
fn is_bounded(search: &SplitSearch) -> bool {
    let l2 = search.rules.l2 / search.rules.units[1];
    search.monotone.is_none() && (l2 == 0.0 || l2 >= 1.0 / (1 << 20) as f64)
}
