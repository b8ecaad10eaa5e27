//! The best splits of nodes by classes or numbers.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::grow_state::{GpuGrowth, ScratchBuffer};
use super::target_histogram::read;
use super::{Binned, GrowState, fill_table};
use crate::cpu::tree::FeaturePlace;
use crate::cpu::tree::split::{Split, SplitRule, first_best};
use crate::cpu::tree::splitters::{CellScratch, TargetNode, TargetSplit, between, scan};
use crate::cpu::tree::target::TreeTarget;
use crate::cpu::tree::target_split::target_split as of_features;
use crate::device::{Buffer, Dispatch, Gpu, Recording, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    /// The best split by each feature.
    pub KERNEL = "tree/target_split", [Read, Read, Read, Write], Params;
    /// The best of a node's features.
    pub KERNEL_WINNER = "tree/target_split__winner", [Read, Read, Read, Read, Write], Params;
}

params! {
    struct Params { searches: u32, tasks: u32, tasks_first: u32, reciprocals_first: u32, cells: u32 }
}

/// Words of a cell that a device can search: what its workgroups have room for.
const MAX_WORDS: usize = 7;
/// Cells of a task times words that one core searches at least.
const SEARCHED: usize = 1 << 12;
/// Bytes of histograms that are brought to the host together.
const MAX_READ: usize = 1 << 26;
/// Words of a search in the table beside those of its cell, and of what it found.
const SEARCH_WORDS: usize = 16;
const WINNER_WORDS: usize = 4;
/// What one cell costs, in operations, for each word.
const OPERATIONS: usize = 200;
/// Terms of the series of the logarithm.
const TERMS: u64 = 11;
/// Bits of what was found: that there is a split, and that missing values go left.
const FOUND: u32 = 1 << 31;
const MISSING_LEFT: u32 = 1 << 30;

/// A node whose best split is wanted.
#[derive(Debug)]
pub struct TargetSearch<'a, T> {
    /// The slot of its histogram.
    pub slot: usize,
    /// What it learns, and what its splits must keep to.
    pub node: TargetNode<'a, T>,
    /// The features to try; of equal gains the first wins.
    pub features: &'a [u32],
}

/// The best split of each node, none where none is allowed. `thresholds` are those behind the bins of each feature.
///
/// On a GPU each feature's splits are bounded in f32, and those that may be best are settled in f64, made of integers: the
/// split that the CPU finds, to the bit. 16 bytes of a node and 8 for each word of a cell come back, and the cells of
/// categorical features, which the host settles. One wait. Cells of more than 7 words are read back and searched on the host.
pub fn target_split<T: TreeTarget>(
    stream: &mut Stream,
    binned: &Binned<'_>,
    state: &mut GrowState,
    thresholds: &[Vec<f32>],
    searches: &[TargetSearch<'_, T>],
) -> Result<Vec<Option<TargetSplit>>> {
    binned.on(stream, "target_split")?;
    state.on(stream, "target_split")?;
    let words = (state.cell_bytes / 8) as usize;
    let known = binned.features.len();
    let mut asked = searches.iter().flat_map(|search| search.features);
    if let Some(feature) = asked.find(|feature| **feature as usize >= known) {
        return Err(Error::bad_index(*feature));
    }
    if let Some(search) = searches.iter().find(|search| search.node.cell.len() != words) {
        let (expected, got) = (format!("cells of {words} words"), search.node.cell.len());
        return Err(Error::shape("target_split", expected, got));
    }
    match stream.gpu() {
        Some(_) if searches.is_empty() => Ok(vec![]),
        Some(_) if binned.cells() == 0 => Ok(vec![None; searches.len()]),
        Some(recording) if words <= MAX_WORDS && known < 1 << 16 => {
            let per_block = searches_per_block(&recording.gpu, binned, searches, words);
            let storage = state.on_gpu()?;
            let mut found = vec![];
            for block in searches.chunks(per_block) {
                found.extend(on_gpu(recording, binned, storage, thresholds, block)?);
            }
            Ok(found)
        }
        _ => {
            let together = MAX_READ / (8 * words * binned.cells()).max(1);
            let mut found = vec![];
            for block in searches.chunks(together.max(1)) {
                let slots: Vec<usize> = block.iter().map(|search| search.slot).collect();
                let cells = read(stream, binned, state, &slots)?;
                let cells: Vec<&[u64]> = cells.iter().map(|cells| &**cells).collect();
                found.extend(on_host(binned, thresholds, block, &cells));
            }
            Ok(found)
        }
    }
}

/// The best splits from whole histograms, on all cores.
fn on_host<T: TreeTarget>(
    binned: &Binned<'_>,
    thresholds: &[Vec<f32>],
    searches: &[TargetSearch<'_, T>],
    cells: &[&[u64]],
) -> Vec<Option<TargetSplit>> {
    let words = searches.first().map_or(1, |search| search.node.cell.len());
    let cells_of_feature = (binned.cells() * words).div_ceil(binned.features.len().max(1)).max(1);
    let share = SEARCHED.div_ceil(cells_of_feature);
    let shares = |at: usize| {
        let count = searches[at].features.len();
        (0..count).step_by(share).map(move |first| (at, first..(first + share).min(count)))
    };
    let tasks: Vec<(usize, Range<usize>)> = (0..searches.len()).flat_map(shares).collect();
    let of_task = |(at, range): &(usize, Range<usize>)| {
        let TargetSearch { node, features, .. } = &searches[*at];
        of_features(node, &features[range.clone()], (binned.features, thresholds), cells[*at])
    };
    let found: Vec<Option<TargetSplit>> = tasks.par_iter().map(of_task).collect();
    let mut winners: Vec<Option<TargetSplit>> = vec![None; searches.len()];
    for ((at, _), found) in tasks.into_iter().zip(found) {
        winners[at] = first_best(winners[at].take(), found);
    }
    winners
}

/// Whether a feature is searched on the device: one of two bins at least, whose bins have an order.
fn is_for_devices(place: &FeaturePlace) -> bool {
    !place.categorical && place.all_bins() >= 2
}

/// The categorical features of a search, with their places in its order.
fn categories<'a, T>(
    search: &'a TargetSearch<'_, T>,
    places: &'a [FeaturePlace],
) -> impl Iterator<Item = (usize, u32, &'a FeaturePlace)> {
    let placed = search.features.iter().enumerate().map(|(at, feature)| (at, *feature, &places[*feature as usize]));
    placed.filter(|(_, _, place)| place.categorical && place.all_bins() >= 2)
}

/// Searches that are recorded together: as many as the room for what they find and the work of one dispatch allow.
fn searches_per_block<T>(gpu: &Gpu, binned: &Binned<'_>, searches: &[TargetSearch<'_, T>], words: usize) -> usize {
    let features = searches.iter().map(|search| search.features.len()).max().unwrap_or(0);
    let copied = |search: &TargetSearch<'_, T>| -> usize {
        categories(search, binned.features).map(|(_, _, place)| place.all_bins()).sum()
    };
    let copied = searches.iter().map(copied).max().unwrap_or(0);
    let bytes = 4 * (SEARCH_WORDS + WINNER_WORDS + 6 * words + 6 * features + 2 * words * copied);
    let by_room = gpu.scratch_bytes() as usize / bytes;
    let by_work = gpu.operations_per_dispatch() as usize / (OPERATIONS * words * 256 * features).max(1);
    by_room.min(by_work).max(1)
}

fn on_gpu<T: TreeTarget>(
    recording: &mut Recording,
    binned: &Binned<'_>,
    storage: &mut GpuGrowth,
    thresholds: &[Vec<f32>],
    searches: &[TargetSearch<'_, T>],
) -> Result<Vec<Option<TargetSplit>>> {
    let words = searches.first().map_or(1, |search| search.node.cell.len());
    let copies: Vec<Vec<(usize, u32, &FeaturePlace)>> =
        searches.iter().map(|search| categories(search, binned.features).collect()).collect();
    let listed = (WINNER_WORDS + 2 * words) * searches.len();
    let copied: usize = copies.iter().flatten().map(|(_, _, place)| place.all_bins()).sum();
    let all = listed + 2 * words * copied;
    let winners = record(recording, binned, storage, searches, all)?;
    let (slots, mut to) = (storage.filled()?, 4 * listed as u64);
    for (search, copies) in searches.iter().zip(&copies) {
        for (_, _, place) in copies {
            let from = 8 * (words * (search.slot * binned.cells() + place.first as usize)) as u64;
            let bytes = 8 * (words * place.all_bins()) as u64;
            recording.copy((&slots, from), (&winners, to), bytes)?;
            to += bytes;
        }
    }
    let mut found: Vec<u32> = Vec::with_capacity(all);
    recording.read(&winners, 0, all as u64, &mut |part| found.extend_from_slice(part))?;
    let long = |pair: &[u32]| u64::from(pair[0]) | u64::from(pair[1]) << 32;
    let (numbers, mut rest) = found.split_at(listed);
    let mut splits = Vec::with_capacity(searches.len());
    let numbered = numbers.chunks_exact(WINNER_WORDS + 2 * words);
    for ((search, own), copies) in searches.iter().zip(numbered).zip(&copies) {
        let mut best = winner(search, own, binned.features, thresholds);
        for (at, feature, place) in copies {
            let (cells, others) = rest.split_at(2 * words * place.all_bins());
            rest = others;
            let cells: Vec<u64> = cells.chunks_exact(2).map(long).collect();
            let mut own = None;
            scan(&search.node, (*feature, place, &[]), &cells, &mut CellScratch::default(), &mut own);
            best = match (best, own.map(|split| (*at, split))) {
                (Some(one), Some(other)) if is_first(&one, &other) => Some(one),
                (one, None) => one,
                (_, other) => other,
            };
        }
        splits.push(best.map(|(_, split)| split));
    }
    Ok(splits)
}

/// Whether one split wins over another, each with its feature's place in the node's order.
fn is_first(one: &(usize, TargetSplit), other: &(usize, TargetSplit)) -> bool {
    one.1.gain > other.1.gain || one.1.gain == other.1.gain && one.0 < other.0
}

/// What the device found for a node, with the place of its feature in the node's order.
fn winner<T: TreeTarget>(
    search: &TargetSearch<'_, T>,
    words: &[u32],
    places: &[FeaturePlace],
    thresholds: &[Vec<f32>],
) -> Option<(usize, TargetSplit)> {
    let long = |pair: &[u32]| u64::from(pair[0]) | u64::from(pair[1]) << 32;
    let (place, next, task) = (words[2], (words[3] & 0xffff) as usize, (words[3] >> 16) as usize);
    if place & FOUND == 0 {
        return None;
    }
    let placed = search.features.iter().enumerate();
    let (at, feature) = placed
        .filter(|(_, feature)| is_for_devices(&places[**feature as usize]))
        .nth(task)
        .map(|(at, own)| (at, *own))?;
    let bin = (place & 0xffff) as usize;
    let next = Some(next).filter(|next| *next < places[feature as usize].bins as usize);
    let threshold = between(&thresholds[feature as usize], bin, next);
    let rule = SplitRule { missing_left: place & MISSING_LEFT != 0, ..SplitRule::at(feature, bin as u16, threshold) };
    let left = words[WINNER_WORDS..].chunks_exact(2).map(long).collect();
    Some((at, Split { rule, gain: f64::from_bits(long(words)), left }))
}

/// Records the searches; the winners stand at the beginning of a buffer of `all` words.
fn record<T: TreeTarget>(
    recording: &mut Recording,
    binned: &Binned<'_>,
    storage: &mut GpuGrowth,
    searches: &[TargetSearch<'_, T>],
    all: usize,
) -> Result<Arc<Buffer>> {
    let words = searches.first().map_or(1, |search| search.node.cell.len());
    let kind = searches.first().map_or(0, |search| search.node.target.score().kind as u32);
    let (mut table, mut tasks) = (vec![], vec![]);
    for (number, search) in (0..).zip(searches) {
        let first_task = tasks.len() / 2;
        let own = search.features.iter().filter(|feature| is_for_devices(&binned.features[**feature as usize]));
        tasks.extend(own.flat_map(|feature| [number, *feature]));
        table.extend(entry(search, first_task, tasks.len() / 2 - first_task));
    }
    let count = tasks.len() / 2;
    let tasks_first = table.len();
    table.extend(tasks);
    let params = Params {
        searches: searches.len() as u32,
        tasks: count as u32,
        tasks_first: tasks_first as u32,
        reciprocals_first: table.len() as u32,
        cells: binned.cells() as u32,
    };
    table.extend((0..TERMS).flat_map(|term| halves((1.0 / (2 * term + 1) as f64).to_bits())));
    let plan = fill_table(recording, storage, ScratchBuffer::Searches, &table)?;
    let found = storage.scratch_buffer(recording, ScratchBuffer::Found, 16 * count.max(1) as u64)?;
    let winners = storage.scratch_buffer(recording, ScratchBuffer::Winners, 4 * all as u64)?;
    let (slots, features) = (storage.filled()?, &binned.on_gpu()?.features);
    let overrides = [("WORDS", words as u32), ("KIND", kind)];
    let cells = (256 * words * count) as u64;
    if count > 0 {
        let work = Work { operations: OPERATIONS as u64 * cells, bytes: 8 * cells };
        let buffers = &[&plan, features, &slots, &found];
        let dispatch = Dispatch::new(&params, buffers, Grid::linear(count as u64)?, work);
        recording.dispatch(&KERNEL, dispatch.overrides(&overrides))?;
    }
    let nodes = searches.len() as u64;
    let work =
        Work { operations: 64 * count as u64 + 512 * nodes, bytes: 16 * count as u64 + 2048 * words as u64 * nodes };
    let buffers = &[&plan, features, &slots, &found, &winners];
    let dispatch = Dispatch::new(&params, buffers, Grid::linear(nodes)?, work);
    recording.dispatch(&KERNEL_WINNER, dispatch.overrides(&overrides[..1]))?;
    Ok(winners)
}

fn halves(word: u64) -> [u32; 2] {
    [word as u32, (word >> 32) as u32]
}

/// A search as the device reads it.
fn entry<T: TreeTarget>(search: &TargetSearch<'_, T>, first_task: usize, tasks: usize) -> Vec<u32> {
    let TargetNode { target, cell, bounds } = &search.node;
    let min_rows = bounds.min_samples_leaf.min(u64::from(u32::MAX)) as u32;
    let mut words = vec![search.slot as u32, first_task as u32, tasks as u32, min_rows];
    words.extend([bounds.count as u32, target.score().count_bits, 0, 0]);
    words.extend(halves(bounds.totals.weight.to_bits()));
    words.extend(halves(bounds.totals.purity.to_bits()));
    words.resize(SEARCH_WORDS, 0);
    words.extend(cell.iter().flat_map(|word| halves(*word)));
    words.extend(bounds.totals.parts.iter().flat_map(|part| halves(part.to_bits())));
    words.resize(SEARCH_WORDS + 4 * cell.len(), 0);
    words
}
