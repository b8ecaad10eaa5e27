//! The best splits of nodes and of their children between two waits: the device partitions the rows by the splits that it
//! has just found.

use std::ops::Range;
use std::sync::Arc;

use super::best_split::{
    ChildrenParams, FOUND_WORDS, KERNEL_CHILDREN, SEARCH_WORDS, record, record_planned, searches_per_block, task_words,
    winner,
};
use super::binned::GROUP_COLUMNS;
use super::grow_state::{CELL_BYTES, GpuGrowth, ScratchBuffer};
use super::histogram::COUNTING;
use super::partition::{move_rows, runs_of};
use super::pieces::PiecePlan;
use super::{Binned, GrowState, SplitSearch, fill_table};
use crate::cpu::tree::FeaturePlace;
use crate::cpu::tree::best_split::GradientSplit;
use crate::device::{Buffer, Dispatch, Recording, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, UNIFORM_BYTES, Work};

/// A node whose children are searched along with it.
#[derive(Debug, Clone)]
pub struct ChildSearch {
    /// Which of the searches is its own.
    pub search: usize,
    /// The tree.
    pub tree: usize,
    /// Its range of the row order.
    pub rows: Range<usize>,
    /// A free slot for the histogram of its smaller child; that of the larger one takes its own.
    pub slot: usize,
    /// The features to try for each child.
    pub features: [Vec<u32>; 2],
}

/// What was found: the best split of each node, and of the children of each [`ChildSearch`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TwoLevels {
    /// One for each search.
    pub splits: Vec<Option<GradientSplit>>,
    /// Those of the left and the right child; of no meaning where the node has no split.
    pub children: Vec<[Option<GradientSplit>; 2]>,
}

/// Whether children can be searched so: on a GPU that has all codes in one buffer. Sets of categories are the host's to
/// find.
pub fn are_possible(binned: &Binned<'_>) -> bool {
    let groups = binned.columns().div_ceil(GROUP_COLUMNS);
    let in_one = binned.on_gpu().is_ok_and(|on_gpu| on_gpu.blocks(groups).len() == 1);
    in_one && binned.cells() > 0 && !binned.features.iter().any(|feature| feature.categorical)
}

/// The best split of each node, as [`best_split`](super::best_split::best_split) finds it, and those of the children of
/// some: their rows are partitioned and their histograms made by the way. None where there is no room for all of them at
/// once; nothing is done then. One wait.
pub fn two_levels(
    stream: &mut Stream,
    binned: &Binned<'_>,
    state: &mut GrowState,
    searches: &[SplitSearch],
    children: &[ChildSearch],
) -> Result<Option<TwoLevels>> {
    binned.on(stream, "two_levels")?;
    state.on(stream, "two_levels")?;
    let places = state.places();
    let wrong = |child: &&ChildSearch| child.search >= searches.len() || child.rows.end > places;
    if let Some(child) = children.iter().find(wrong) {
        let expected = format!("one of {} searches, rows within 0..{places}", searches.len());
        return Err(Error::shape("two_levels", expected, format!("{} and {:?}", child.search, child.rows)));
    }
    if !are_possible(binned) || children.is_empty() {
        return Ok(None);
    }
    let tree_rows = state.rows;
    let Some(recording) = stream.gpu() else { return Ok(None) };
    let most: Vec<usize> = children.iter().map(|child| child.rows.len() / 2).collect();
    let room = searches_per_block(&recording.gpu, binned, searches);
    let Some(pieces) = PiecePlan::new(&recording.gpu, &COUNTING, binned, &most) else { return Ok(None) };
    if searches.len() > room || 2 * children.len() > room {
        return Ok(None);
    }
    let storage = state.on_gpu()?;
    let slots = children.iter().map(|child| child.slot).chain(searches.iter().map(|search| search.slot)).max();
    storage.slots(recording, slots.map_or(0, |slot| slot + 1), CELL_BYTES * binned.cells() as u64)?;
    let [own, found] = record(recording, binned, storage, searches)?;
    let tables = plan_children(recording, binned, storage, [&own, &found], (searches, children), (&pieces, tree_rows))?;
    let ranges: Vec<Range<usize>> = children.iter().map(|child| child.rows.clone()).collect();
    move_rows(recording, binned, storage, &tables.cuts, &ranges, |_| true)?;
    pieces.record(recording, (&COUNTING, &tables.pieces), binned, storage, CELL_BYTES)?;
    // What was found for the nodes goes behind what is found for their children, and comes back with it.
    let (of_children, of_nodes) = (FOUND_WORDS * 2 * children.len(), FOUND_WORDS * searches.len());
    let bytes = 4 * (of_children + of_nodes) as u64;
    let winners = storage.scratch_buffer(recording, ScratchBuffer::ChildWinners, bytes)?;
    record_planned(recording, binned, storage, &tables.searches, tables.counts, &winners)?;
    recording.copy((&found, 0), (&winners, 4 * of_children as u64), 4 * of_nodes as u64)?;
    let mut words = Vec::with_capacity(of_children + of_nodes);
    recording.read(&winners, 0, (of_children + of_nodes) as u64, &mut |part| words.extend_from_slice(part))?;
    let (of_children, of_nodes) = words.split_at(of_children);
    let pair = |words: &[u32]| [winner(&words[..FOUND_WORDS]), winner(&words[FOUND_WORDS..])];
    Ok(Some(TwoLevels {
        splits: of_nodes.chunks_exact(FOUND_WORDS).map(winner).collect(),
        children: of_children.chunks_exact(2 * FOUND_WORDS).map(pair).collect(),
    }))
}

/// What the device writes for children: cuts, pieces and searches; the tasks are the host's.
struct ChildTables {
    cuts: Arc<Buffer>,
    pieces: Arc<Buffer>,
    searches: Arc<Buffer>,
    /// Searches, tasks, and the length of their list, if they are one.
    counts: (usize, usize, u32),
}

fn plan_children(
    recording: &mut Recording,
    binned: &Binned<'_>,
    storage: &mut GpuGrowth,
    [own, found]: [&Arc<Buffer>; 2],
    (searches, children): (&[SplitSearch], &[ChildSearch]),
    (pieces, tree_rows): (&PiecePlan, usize),
) -> Result<ChildTables> {
    let ranges: Vec<Range<usize>> = children.iter().map(|child| child.rows.clone()).collect();
    let (runs, _) = runs_of(&ranges);
    let (mut table, mut tasks, mut first_piece) = (vec![], vec![], 0);
    for (at, child) in children.iter().enumerate() {
        let mut of_sides = [[0; 2]; 2];
        for (side, features) in child.features.iter().enumerate() {
            of_sides[side] = [tasks.len() as u32, features.len() as u32];
            tasks.extend(features.iter().map(|feature| [(2 * at + side) as u32, *feature]));
        }
        let [[left, lefts], [right, rights]] = of_sides;
        let (slot, rows) = (searches[child.search].slot as u32, &child.rows);
        let first_word = (child.tree * tree_rows) as u32;
        table.extend([child.search as u32, rows.start as u32, rows.len() as u32, runs[at] as u32]);
        table.extend([first_piece as u32, pieces.of_nodes[at] as u32, slot, child.slot as u32]);
        table.extend([left, lefts, right, rights, first_word, 0, 0, 0]);
        first_piece += pieces.of_nodes[at];
    }
    let features_first = table.len() as u32;
    table.extend(binned.features.iter().flat_map(feature_words));
    let table = fill_table(recording, storage, ScratchBuffer::Children, &table)?;
    let searches = 2 * children.len();
    let (words, list_length) = task_words(&tasks, searches);
    // Behind the entries of the searches, which the device writes.
    let (tasks_first, count) = ((SEARCH_WORDS * searches) as u64, words.len() as u64);
    let next = storage.scratch_buffer(recording, ScratchBuffer::ChildSearches, 4 * (tasks_first + count))?;
    recording.upload(&next, tasks_first, count, &|first, part| {
        part.copy_from_slice(&words[first as usize..first as usize + part.len()]);
    })?;
    let cuts = storage.scratch_buffer(recording, ScratchBuffer::Cuts, 4 * 12 * children.len() as u64)?;
    let plan = storage.scratch_buffer(recording, ScratchBuffer::Pieces, UNIFORM_BYTES)?;
    let params = ChildrenParams {
        nodes: children.len() as u32,
        features_first,
        piece_rows: pieces.piece_rows as u32,
        jobs_first: pieces.pieces() as u32,
    };
    let nodes = children.len() as u64;
    let work = Work { operations: 1 << 14, bytes: 512 * nodes + 16 * pieces.pieces() as u64 };
    let buffers = &[&table, found, own, &cuts, &plan, &next];
    recording.dispatch(&KERNEL_CHILDREN, Dispatch::new(&params, buffers, Grid::linear(nodes)?, work))?;
    Ok(ChildTables { cuts, pieces: plan, searches: next, counts: (searches, tasks.len(), list_length) })
}

/// A feature as the device routes by it: its column, the code of its first bin, its bins with a bit above for missing
/// values, its default.
fn feature_words(place: &FeaturePlace) -> [u32; 4] {
    let bins = u32::from(place.bins) | u32::from(place.missing) << 16;
    [place.column.unwrap_or(0), u32::from(place.offset), bins, place.default.map_or(u32::MAX, u32::from)]
}
