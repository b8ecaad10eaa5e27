//! The best splits of nodes by classes or numbers.

use std::ops::Range;

use rayon::prelude::*;

use super::target_histogram::read;
use super::target_tasks::{FOUND_WORDS, SEARCH_WORDS, record, width_of};
use super::target_winners::{Winner, WinnerPlace};
use crate::cpu::tree::FeaturePlace;
use crate::cpu::tree::split::{Split, SplitRule, first_best};
use crate::cpu::tree::splitters::{CellScratch, FeatureDraw, TargetNode, TargetSplit, between, scan, scan_at_random};
use crate::cpu::tree::target::TreeTarget;
use crate::cpu::tree::target_split::target_split as of_features;
use crate::device::{Device, Gpu, Recording, Stream};
use crate::error::{Error, Result};
use crate::kernel::{kernels, params};
use crate::ops::tree::grow_state::GpuGrowth;
use crate::ops::tree::target_rows::TreeWords;
use crate::ops::tree::{Binned, GrowState};

kernels! {
    /// The best split by each feature, from histograms.
    pub KERNEL = "tree/forest/target_split", [Read, Read, Read, Write], Params;
    /// The same from the rows of nodes.
    pub KERNEL_ROWS = "tree/forest/target_split__rows", [Read, Read, Read, Read, Read, Write], Params;
    /// The best of a node's features.
    pub KERNEL_WINNER = "tree/forest/target_split__winner", [Read, Read, Write], Params;
}

params! {
    pub(super) struct Params {
        searches: u32, task_begin: u32, tasks: u32, width: u32, lists_first: u32, list_words: u32, search_words: u32,
        reciprocals_first: u32, cells: u32, key_low: u32, key_high: u32, min_rows: u32, rows: u32, words_first: u32,
        words_step: u32, drawn_first: u32, group_first: u32, groups_of_8: u32, codes_first: u32,
    }
}

/// Words of a cell that a device can search: what its workgroups have room for.
const MAX_WORDS: usize = 7;
/// Cells of a task times words that one core searches at least.
const SEARCHED: usize = 1 << 12;
/// Bytes of histograms that are brought to the host together.
const MAX_READ: usize = 1 << 26;
/// Features that have a number in what comes back of a node.
const MAX_FEATURES: usize = 1 << 15;

/// Where the cells of a node come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeCells {
    /// A slot, which has its histogram.
    Slot(usize),
    /// Its rows, a tree and a range of the order, of which the search counts the features it looks at: for small nodes.
    Rows(usize, Range<usize>),
}

/// A node whose best split is wanted.
#[derive(Debug)]
pub struct TargetSearch<'a, T> {
    /// Its cells.
    pub cells: NodeCells,
    /// What it learns, and what its splits must keep to.
    pub node: TargetNode<'a, T>,
    /// The features to try; of equal gains the first wins.
    pub features: &'a [u32],
    /// With the path of the node: each feature has one threshold, drawn for it.
    pub at_random: Option<(FeatureDraw, u64)>,
}

/// The best split of each node, none where none is allowed. `thresholds` are those behind the bins of each feature. All searches of
/// a call are of one kind: by histograms or by rows, at random or not, with as many rows to a child.
///
/// On a GPU each feature's splits are bounded in f32, and those that may be best are settled in f64, made of integers: the
/// split that the CPU finds, to the bit. Some 20 bits of a node come back, 64 for each sum of numbers, for each other word of a cell
/// as many as the weight and the rows of the node's own have, and the cells of categorical features, which the host settles. One
/// wait. Cells of more than 7 words are read back and searched on the host.
///
/// A search by rows is for devices, and for what [`takes_rows`] says yes to.
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
    check(binned, state, searches, words)?;
    match stream.gpu() {
        Some(_) if searches.is_empty() => Ok(vec![]),
        Some(_) if binned.cells() == 0 => Ok(vec![None; searches.len()]),
        Some(recording) if is_searched_there(binned, words) => {
            let per_block = searches_per_block(&recording.gpu, binned, searches, words);
            let tree_words = state.tree_words;
            let storage = state.on_gpu()?;
            let mut found = vec![];
            for block in searches.chunks(per_block) {
                found.extend(on_gpu(recording, binned, (storage, tree_words), thresholds, block)?);
            }
            Ok(found)
        }
        _ => {
            let together = MAX_READ / (8 * words * binned.cells()).max(1);
            let mut found = vec![];
            for block in searches.chunks(together.max(1)) {
                let slot = |search: &TargetSearch<'_, T>| match search.cells {
                    NodeCells::Slot(slot) => Ok(slot),
                    NodeCells::Rows(..) => Err(Error::shape("target_split", "nodes with histograms", "rows")),
                };
                let slots: Vec<usize> = block.iter().map(slot).collect::<Result<_>>()?;
                let cells = read(stream, binned, state, &slots)?;
                let cells: Vec<&[u64]> = cells.iter().map(|cells| &**cells).collect();
                found.extend(on_host(binned, thresholds, block, &cells));
            }
            Ok(found)
        }
    }
}

/// Whether nodes can be searched by their rows: on a device, where no feature is categorical.
pub fn takes_rows(stream: &Stream, binned: &Binned<'_>, words: usize) -> bool {
    let is_on_gpu = matches!(stream.device(), Device::Gpu(_));
    is_on_gpu && is_searched_there(binned, words) && !binned.features.iter().any(|place| place.categorical)
}

/// Whether a device searches cells of so many words, and has numbers for so many features.
fn is_searched_there(binned: &Binned<'_>, words: usize) -> bool {
    words <= MAX_WORDS && binned.features.len() < MAX_FEATURES
}

fn check<T: TreeTarget>(
    binned: &Binned<'_>,
    state: &GrowState,
    searches: &[TargetSearch<'_, T>],
    words: usize,
) -> Result<()> {
    let known = binned.features.len();
    let mut asked = searches.iter().flat_map(|search| search.features);
    if let Some(feature) = asked.find(|feature| **feature as usize >= known) {
        return Err(Error::bad_index(*feature));
    }
    if let Some(search) = searches.iter().find(|search| search.node.cell.len() != words) {
        let (expected, got) = (format!("cells of {words} words"), search.node.cell.len());
        return Err(Error::shape("target_split", expected, got));
    }
    let kind = |search: &TargetSearch<'_, T>| {
        let by_rows = matches!(search.cells, NodeCells::Rows(..));
        (by_rows, search.at_random.is_some(), search.node.bounds.min_samples_leaf)
    };
    if searches.windows(2).any(|pair| kind(&pair[0]) != kind(&pair[1])) {
        return Err(Error::shape("target_split", "searches of one kind", "several"));
    }
    let places = state.places();
    let outside = |search: &&TargetSearch<'_, T>| match &search.cells {
        NodeCells::Slot(_) => false,
        NodeCells::Rows(_, rows) => rows.start > rows.end || rows.end > places,
    };
    match searches.iter().find(outside) {
        Some(search) => {
            Err(Error::shape("target_split", format!("rows within 0..{places}"), format!("{:?}", search.cells)))
        }
        None => Ok(()),
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
        let TargetSearch { node, features, at_random, .. } = &searches[*at];
        let drawn = at_random.as_ref().map(|(draw, path)| (draw, *path));
        of_features(node, &features[range.clone()], (binned.features, thresholds), cells[*at], drawn)
    };
    let found: Vec<Option<TargetSplit>> = tasks.par_iter().map(of_task).collect();
    let mut winners: Vec<Option<TargetSplit>> = vec![None; searches.len()];
    for ((at, _), found) in tasks.into_iter().zip(found) {
        winners[at] = first_best(winners[at].take(), found);
    }
    winners
}

/// Whether a feature is searched on the device: one of two bins at least, whose bins have an order.
pub(super) fn is_for_devices(place: &FeaturePlace) -> bool {
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

/// Searches that are recorded together, for one wait: as many as the room for what they find allows.
fn searches_per_block<T>(gpu: &Gpu, binned: &Binned<'_>, searches: &[TargetSearch<'_, T>], words: usize) -> usize {
    let features = width_of(searches);
    let copied = |search: &TargetSearch<'_, T>| -> usize {
        categories(search, binned.features).map(|(_, _, place)| place.all_bins()).sum()
    };
    let copied = searches.iter().map(copied).max().unwrap_or(0);
    let of_feature = 2 + FOUND_WORDS + 2 * words;
    let bytes = 4 * (SEARCH_WORDS + 2 + 4 * words + of_feature * features + 2 * words * copied);
    // A winner's place is a bit of at most 2³².
    let bits = 64 + 64 * words;
    (gpu.scratch_bytes() as usize / bytes).min(u32::MAX as usize / bits).max(1)
}

fn on_gpu<T: TreeTarget>(
    recording: &mut Recording,
    binned: &Binned<'_>,
    (storage, tree_words): (&mut GpuGrowth, TreeWords),
    thresholds: &[Vec<f32>],
    searches: &[TargetSearch<'_, T>],
) -> Result<Vec<Option<TargetSplit>>> {
    let words = searches.first().map_or(1, |search| search.node.cell.len());
    let copies: Vec<Vec<(usize, u32, &FeaturePlace)>> =
        searches.iter().map(|search| categories(search, binned.features).collect()).collect();
    let width = width_of(searches);
    let places = WinnerPlace::of_all(searches, width);
    let listed = places.last().map_or(0, WinnerPlace::end_word);
    let copied: usize = copies.iter().flatten().map(|(_, _, place)| place.all_bins()).sum();
    let all = listed + 2 * words * copied;
    let winners = record(recording, binned, (storage, tree_words), (searches, &places), all)?;
    let mut to = 4 * listed as u64;
    for (search, copies) in searches.iter().zip(&copies) {
        for (_, _, place) in copies {
            let NodeCells::Slot(slot) = search.cells else { continue };
            let from = 8 * (words * (slot * binned.cells() + place.first as usize)) as u64;
            let bytes = 8 * (words * place.all_bins()) as u64;
            recording.copy((&storage.filled()?, from), (&winners, to), bytes)?;
            to += bytes;
        }
    }
    let mut found: Vec<u32> = Vec::with_capacity(all);
    recording.read(&winners, 0, all as u64, &mut |part| found.extend_from_slice(part))?;
    let long = |pair: &[u32]| u64::from(pair[0]) | u64::from(pair[1]) << 32;
    let (numbers, mut rest) = found.split_at(listed);
    let mut splits = Vec::with_capacity(searches.len());
    for ((search, place), copies) in searches.iter().zip(&places).zip(&copies) {
        let found = place.read(search, width, numbers);
        let mut best = found.and_then(|found| split_of(search, found, binned.features, thresholds));
        for (at, feature, place) in copies {
            let (cells, others) = rest.split_at(2 * words * place.all_bins());
            rest = others;
            let cells: Vec<u64> = cells.chunks_exact(2).map(long).collect();
            let (mut own, of_feature) = (None, (*feature, *place, &[][..]));
            match &search.at_random {
                None => scan(&search.node, of_feature, &cells, &mut CellScratch::default(), &mut own),
                Some((draw, path)) => scan_at_random(&search.node, of_feature, &cells, (draw, *path), &mut own),
            }
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
fn split_of<T: TreeTarget>(
    search: &TargetSearch<'_, T>,
    found: Winner,
    places: &[FeaturePlace],
    thresholds: &[Vec<f32>],
) -> Option<(usize, TargetSplit)> {
    let Winner { bin, next, missing_left, at, left } = found;
    let feature = *search.features.get(at)?;
    let next = Some(next).filter(|next| *next < places[feature as usize].bins as usize);
    let threshold = between(&thresholds[feature as usize], bin, next);
    let rule = SplitRule { missing_left, ..SplitRule::at(feature, bin as u16, threshold) };
    // What it gains is the same f64 here as it was there.
    let gain = search.node.target.gain(search.node.bounds.totals, &left);
    Some((at, Split { rule, gain, left }))
}
