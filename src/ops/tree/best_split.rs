//! The best splits of nodes.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::grow_state::{CELL_BYTES, GpuGrowth, ScratchBuffer};
use super::histogram::decode;
use super::{Binned, GrowState, fill_table};
use crate::cpu::tree::best_split::{GradientNode, GradientRules, GradientSplit, best_split as of_feature};
use crate::cpu::tree::histogram::Histogram;
use crate::cpu::tree::monotone::MonotoneLimit;
use crate::cpu::tree::split::better;
use crate::cpu::tree::{FeaturePlace, GradientSums};
use crate::device::{Buffer, Dispatch, Gpu, Recording, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    /// Bounds of what each feature gains.
    pub KERNEL = "tree/best_split", [Read, Read, Read, Write], Params;
    /// The cells of the features that may be best.
    pub KERNEL_SHORTLIST = "tree/best_split__shortlist", [Read, Read, Read, Read, Write], Params;
}

/// Lanes that look at a node and a feature together, as in the shader.
const TEAM: u64 = 32;

params! {
    struct Params { searches: u32, tasks: u32, tasks_first: u32, cells: u32 }
}

/// Features that one task searches at least.
const FEATURES_PER_TASK: usize = 4;
/// Features of a node whose cells are copied at once.
const LISTED: usize = 4;
/// Words of a node's shortlist: count, features, 256 cells for each.
const LIST_WORDS: usize = 4 * (2 + 256 * LISTED);
/// Words of a cell.
const CELL_WORDS: usize = CELL_BYTES as usize / 4;
/// What one cell costs, in operations.
const OPERATIONS: usize = 192;
/// Words of a search in the table.
const SEARCH_WORDS: usize = 16;
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
/// On a GPU the device bounds what each feature gains in f32, and the host settles the winner among those that may be
/// best, in f64 from the exact sums, with the function that the CPU uses: the same split on every device, to the bit.
/// The cells of categorical features come without bounds, in the same read-back: one, or two where a node has more than
/// four such features. For monotone searches whole histograms are read back. Costs about 50 operations a cell.
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

/// Searches that are recorded together: as many as the room for their shortlists and the work of one dispatch allow.
fn searches_per_block(gpu: &Gpu, binned: &Binned<'_>, searches: &[SplitSearch]) -> usize {
    let features = searches.iter().map(|search| search.features.len()).max().unwrap_or(0);
    let categories = searches.iter().map(|search| category_cells(search, binned.features).len()).max().unwrap_or(0);
    let words = LIST_WORDS + SEARCH_WORDS + 4 * features + CELL_WORDS * categories;
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
    // The device's bounds know nothing of directions: then all is settled here, from whole histograms.
    let mut settled = match searches.iter().any(|search| search.monotone.is_some()) {
        true => vec![None; searches.len()],
        false => shortlisted(recording, binned, storage, searches)?,
    };
    let open: Vec<usize> = (0..searches.len()).filter(|at| settled[*at].is_none()).collect();
    let together = recording.gpu.scratch_bytes() as usize / (CELL_BYTES as usize * binned.cells());
    for open in open.chunks(together.max(1)) {
        let slots: Vec<usize> = open.iter().map(|at| searches[*at].slot).collect();
        let bytes = CELL_BYTES * binned.cells() as u64;
        let words = storage.read_slots(recording, &slots, bytes)?;
        for (&at, words) in open.iter().zip(words.chunks_exact(bytes as usize / 4)) {
            let (search, histogram) = (&searches[at], decode(words));
            let best = |feature: &u32| search.best(&histogram, *feature, &binned.features[*feature as usize]);
            settled[at] = Some(search.features.iter().map(best).fold(None, better));
        }
    }
    Ok(settled.into_iter().map(Option::flatten).collect())
}

/// The winner of each node whose shortlist holds all that may be best.
fn shortlisted(
    recording: &mut Recording,
    binned: &Binned<'_>,
    storage: &mut GpuGrowth,
    searches: &[SplitSearch],
) -> Result<Vec<Option<Option<GradientSplit>>>> {
    let shortlist = record(recording, binned, storage, searches)?;
    let lists = LIST_WORDS * searches.len();
    let cells: Vec<usize> = searches.iter().map(|search| category_cells(search, binned.features).len()).collect();
    let all = lists + CELL_WORDS * cells.iter().sum::<usize>();
    let mut words: Vec<u32> = Vec::with_capacity(all);
    recording.read(&shortlist, 0, all as u64, &mut |part| words.extend_from_slice(part))?;
    let (lists, mut rest) = words.split_at(lists);
    let mut categories = Vec::with_capacity(searches.len());
    for cells in cells {
        let (own, others) = rest.split_at(CELL_WORDS * cells);
        categories.push(own);
        rest = others;
    }
    let lists = searches.par_iter().zip(lists.par_chunks_exact(LIST_WORDS)).zip(&categories);
    Ok(lists.map(|((search, list), categories)| settle(search, list, categories, binned.features)).collect())
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

/// The winner among the listed and the categorical features; nothing where the list does not hold all that may be best.
fn settle(
    search: &SplitSearch,
    list: &[u32],
    categories: &[u32],
    features: &[FeaturePlace],
) -> Option<Option<GradientSplit>> {
    let count = list[0] as usize;
    if count > LISTED || !is_bounded(&search.rules) {
        return None;
    }
    let mut winner = None;
    for (feature, cells) in list[4..8].iter().zip(list[8..].chunks_exact(4 * 256)).take(count) {
        let own = FeaturePlace { first: 0, ..features[*feature as usize] };
        winner = better(winner, search.best(&decode(cells), *feature, &own));
    }
    let mut rest = categories;
    for feature in features_where(search, features, true) {
        let cells = &features[feature as usize];
        let (own, others) = rest.split_at(CELL_WORDS * cells_of(cells).len());
        let place = FeaturePlace { first: 0, ..*cells };
        winner = better(winner, search.best(&decode(own), feature, &place));
        rest = others;
    }
    Some(winner)
}

fn record(
    recording: &mut Recording,
    binned: &Binned<'_>,
    storage: &mut GpuGrowth,
    searches: &[SplitSearch],
) -> Result<Arc<Buffer>> {
    let mut words = vec![];
    let mut tasks = vec![];
    for (number, search) in (0..).zip(searches) {
        let first_task = tasks.len() / 2;
        tasks.extend(features_where(search, binned.features, false).flat_map(|feature| [number, feature]));
        words.extend(entry(search, first_task, tasks.len() / 2 - first_task).as_flattened());
    }
    let count = tasks.len() / 2;
    let params = Params {
        searches: searches.len() as u32,
        tasks: count as u32,
        tasks_first: words.len() as u32,
        cells: binned.cells() as u32,
    };
    words.extend(tasks);
    let plan = fill_table(recording, storage, ScratchBuffer::Searches, &words)?;
    let bounds = storage.scratch_buffer(recording, ScratchBuffer::Bounds, 8 * count.max(1) as u64)?;
    let copies: Vec<(usize, Vec<usize>)> =
        searches.iter().map(|search| (search.slot, category_cells(search, binned.features))).collect();
    let copied: usize = copies.iter().map(|(_, cells)| cells.len()).sum();
    let listed = LIST_WORDS * searches.len();
    let shortlist =
        storage.scratch_buffer(recording, ScratchBuffer::Shortlist, 4 * (listed + CELL_WORDS * copied) as u64)?;
    let (slots, features) = (storage.filled()?, &binned.on_gpu()?.features);
    let cells = 256 * count as u64;
    if count > 0 {
        let grid = Grid::covering(TEAM * count as u64, 64)?;
        let work = Work { operations: OPERATIONS as u64 * cells, bytes: CELL_BYTES * cells };
        recording.dispatch(&KERNEL, Dispatch::new(&params, &[&plan, features, &slots, &bounds], grid, work))?;
    }
    let listed = listed as u64;
    let buffers = &[&plan, features, &slots, &bounds, &shortlist];
    let work = Work { operations: 4 * listed, bytes: 8 * listed };
    let grid = Grid::linear(searches.len() as u64)?;
    recording.dispatch(&KERNEL_SHORTLIST, Dispatch::new(&params, buffers, grid, work))?;
    let mut to = 4 * listed;
    for (slot, cells) in copies {
        for run in cells.chunk_by(|one, next| one + 1 == *next) {
            let (from, bytes) = ((slot * binned.cells() + run[0]) as u64, CELL_BYTES * run.len() as u64);
            recording.copy((&slots, CELL_BYTES * from), (&shortlist, to), bytes)?;
            to += bytes;
        }
    }
    Ok(shortlist)
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
    [
        [*slot as u32, first_task as u32, tasks as u32, 0],
        [gradient_low, gradient_high, weight_low, weight_high],
        [l1.to_bits(), l2.to_bits(), min_count, hessian_low],
        [hessian_high, 0, 0, 0],
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

/// Whether the device's bounds hold. An l2 next to nothing, beside Hessians of zero, would leave the range of f32.
fn is_bounded(rules: &GradientRules) -> bool {
    let l2 = rules.l2 / rules.units[1];
    l2 == 0.0 || l2 >= 1.0 / (1 << 20) as f64
}
