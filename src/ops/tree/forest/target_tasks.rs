//! The searches of target_split as a device takes them: tables of nodes and of features to try.

use std::sync::Arc;

use super::target_split::{KERNEL, KERNEL_ROWS, KERNEL_WINNER, NodeCells, Params, TargetSearch, is_for_devices};
use super::target_winners::WinnerPlace;
use crate::cpu::tree::splitters::TargetNode;
use crate::cpu::tree::target::{ScoreKind, TreeTarget};
use crate::device::{Buffer, Dispatch, Recording};
use crate::error::Result;
use crate::kernel::{Grid, Work};
use crate::ops::tree::binned::GROUP_COLUMNS;
use crate::ops::tree::grow_state::{GpuGrowth, RowBuffers, ScratchBuffer};
use crate::ops::tree::target_rows::TreeWords;
use crate::ops::tree::{Binned, fill_table};

/// Words of a search in the table beside those of its cell, and of what a task found.
pub(super) const SEARCH_WORDS: usize = 16;
pub(super) const FOUND_WORDS: usize = 4;
/// What one cell costs, in operations, for each word, and what a row costs.
const OPERATIONS: u64 = 200;
const ROW: u64 = 64;
/// Terms of the series of the logarithm.
const TERMS: u64 = 11;

/// Records the searches; the winners stand at the beginning of a buffer of `all` words.
pub(super) fn record<T: TreeTarget>(
    recording: &mut Recording,
    binned: &Binned<'_>,
    (storage, tree_words): (&mut GpuGrowth, TreeWords),
    (searches, places): (&[TargetSearch<'_, T>], &[WinnerPlace]),
    all: usize,
) -> Result<Arc<Buffer>> {
    let words = searches.first().map_or(1, |search| search.node.cell.len());
    let kind = searches.first().map_or(0, |search| search.node.target.score().kind as u32);
    let (mut table, mut tasks) = (vec![], vec![]);
    for ((number, search), place) in (0..).zip(searches).zip(places) {
        let first_task = tasks.len() / 2;
        let own = search.features.iter().filter(|feature| is_for_devices(&binned.features[**feature as usize]));
        tasks.extend(own.flat_map(|feature| [number, *feature]));
        table.extend(entry(search, tree_words, [first_task, tasks.len() / 2 - first_task], *place));
    }
    let count = tasks.len() / 2;
    let tasks_first = table.len();
    table.extend(tasks);
    let drawn = searches.first().and_then(|search| search.at_random.as_ref());
    let [key_low, key_high] = drawn.map_or([0; 2], |(draw, _)| draw.threshold_key());
    let params = Params {
        searches: searches.len() as u32,
        task_begin: 0,
        tasks: count as u32,
        tasks_first: tasks_first as u32,
        reciprocals_first: table.len() as u32,
        cells: binned.cells() as u32,
        key_low,
        key_high,
        rows: binned.rows() as u32,
        group_first: 0,
        groups_of_8: 0,
        codes_first: 0,
    };
    table.extend((0..TERMS).flat_map(|term| halves((1.0 / (2 * term + 1) as f64).to_bits())));
    let plan = fill_table(recording, storage, ScratchBuffer::Searches, &table)?;
    let bytes = 4 * ((FOUND_WORDS + 2 * words) * count.max(1)) as u64;
    let found = storage.scratch_buffer(recording, ScratchBuffer::Found, bytes)?;
    let winners = storage.scratch_buffer(recording, ScratchBuffer::Winners, 4 * all as u64)?;
    let by_class = u32::from(kind != ScoreKind::Variance as u32);
    let overrides =
        [("WORDS", words as u32), ("KIND", kind), ("RANDOM", u32::from(drawn.is_some())), ("BY_CLASS", by_class)];
    if count > 0 {
        let by_rows = searches.iter().any(|search| matches!(search.cells, NodeCells::Rows(..)));
        let tables = Tables { plan: &plan, found: &found };
        match by_rows {
            true => record_by_rows(recording, binned, storage, tables, (params, rows_of_tasks(searches)), &overrides)?,
            false => record_by_slots(recording, binned, storage, tables, params, &overrides)?,
        }
    }
    let nodes = searches.len() as u64;
    let work = Work { operations: 64 * count as u64 + 512 * nodes, bytes: 16 * count as u64 + 64 * nodes };
    let buffers = &[&plan, &found, &winners];
    let dispatch = Dispatch::new(&params, buffers, Grid::linear(nodes)?, work);
    recording.dispatch(&KERNEL_WINNER, dispatch.overrides(&[overrides[0], overrides[3]]))?;
    Ok(winners)
}

/// What tasks are read from, and what they find.
#[derive(Clone, Copy)]
struct Tables<'a> {
    plan: &'a Arc<Buffer>,
    found: &'a Arc<Buffer>,
}

/// Rows that a task counts on the mean.
fn rows_of_tasks<T>(searches: &[TargetSearch<'_, T>]) -> usize {
    let rows: usize = searches.iter().map(|search| search.node.bounds.count as usize).sum();
    rows.div_ceil(searches.len().max(1))
}

/// The tasks of dispatches, each of bounded work, with the parameters of each.
fn ranges(params: Params, of_task: Work, most: u64) -> impl Iterator<Item = (Params, u64, Work)> {
    let (all, together) = (params.tasks, (most / of_task.operations.max(1)).clamp(1, 1 << 24) as u32);
    (0..all).step_by(together as usize).map(move |first| {
        let count = together.min(all - first);
        let params = Params { task_begin: first, tasks: first + count, ..params };
        let count = u64::from(count);
        (params, count, Work { operations: count * of_task.operations, bytes: count * of_task.bytes })
    })
}

/// Records the tasks of nodes with histograms.
fn record_by_slots(
    recording: &mut Recording,
    binned: &Binned<'_>,
    storage: &GpuGrowth,
    Tables { plan, found }: Tables<'_>,
    params: Params,
    overrides: &[(&'static str, u32)],
) -> Result<()> {
    let cells = 256 * u64::from(overrides[0].1);
    let of_task = Work { operations: OPERATIONS * cells, bytes: 8 * cells };
    let (slots, features) = (storage.filled()?, &binned.on_gpu()?.features);
    for (params, tasks, work) in ranges(params, of_task, recording.gpu.operations_per_dispatch()) {
        let buffers = &[plan, features, &slots, found];
        let dispatch = Dispatch::new(&params, buffers, Grid::linear(tasks)?, work);
        recording.dispatch(&KERNEL, dispatch.overrides(&overrides[..3]))?;
    }
    Ok(())
}

/// Records the tasks of nodes by their rows, for the columns that lie in one buffer at a time; so many rows a task.
fn record_by_rows(
    recording: &mut Recording,
    binned: &Binned<'_>,
    storage: &GpuGrowth,
    Tables { plan, found }: Tables<'_>,
    (params, rows): (Params, usize),
    overrides: &[(&'static str, u32)],
) -> Result<()> {
    let Some(RowBuffers { order, packed, .. }) = &storage.buffers else { return Ok(()) };
    let on_gpu = binned.on_gpu()?;
    let of_task =
        Work { operations: ROW * rows as u64 + OPERATIONS * 256 * u64::from(overrides[0].1), bytes: 24 * rows as u64 };
    for block in on_gpu.blocks(binned.columns().div_ceil(GROUP_COLUMNS)) {
        let view = on_gpu.view(recording, block.clone())?;
        let params = Params {
            group_first: block.start as u32,
            groups_of_8: block.len() as u32,
            codes_first: view.first_word(),
            ..params
        };
        for (params, tasks, work) in ranges(params, of_task, recording.gpu.operations_per_dispatch()) {
            let buffers = &[plan, &on_gpu.feature_codes, view.buffer(), order, packed, found];
            let dispatch = Dispatch::new(&params, buffers, Grid::linear(tasks)?, work);
            recording.dispatch(&KERNEL_ROWS, dispatch.overrides(overrides))?;
        }
    }
    Ok(())
}

fn halves(word: u64) -> [u32; 2] {
    [word as u32, (word >> 32) as u32]
}

/// A search as the device reads it.
fn entry<T: TreeTarget>(
    search: &TargetSearch<'_, T>,
    tree_words: TreeWords,
    [first_task, tasks]: [usize; 2],
    place: WinnerPlace,
) -> Vec<u32> {
    let TargetNode { target, cell, bounds } = &search.node;
    let min_rows = bounds.min_samples_leaf.min(u64::from(u32::MAX)) as u32;
    let (first, [words_first, drawn]) = match &search.cells {
        NodeCells::Slot(slot) => (*slot, [0; 2]),
        NodeCells::Rows(tree, rows) => (rows.start, tree_words.of(*tree)),
    };
    let (tree, path) = search.at_random.as_ref().map_or((0, 0), |(draw, path)| (draw.tree(), *path));
    let mut words = vec![first as u32, first_task as u32, tasks as u32, min_rows];
    words.extend([bounds.count as u32, target.score().count_bits]);
    words.extend(halves(path));
    words.extend(halves(bounds.totals.weight.to_bits()));
    words.extend(halves(bounds.totals.purity.to_bits()));
    words.extend([tree, words_first, drawn, place.word()]);
    words.extend(cell.iter().flat_map(|word| halves(*word)));
    words.extend(bounds.totals.parts.iter().flat_map(|part| halves(part.to_bits())));
    words.resize(SEARCH_WORDS + 4 * cell.len(), 0);
    words
}
