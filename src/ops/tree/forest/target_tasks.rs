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

/// Words of what a task found, beside the sums of the left child.
pub(super) const FOUND_WORDS: usize = 4;
/// Words of a search beside its cell, at most.
pub(super) const SEARCH_WORDS: usize = 9;
/// Bits of the number of a tree; those above say how many bits of a word are a count.
const TREE_BITS: u32 = 26;
/// A place in a list of features that has none.
const NO_FEATURE: u32 = 0xffff;
/// What one cell costs, in operations, for each word, and what a row costs.
const OPERATIONS: u64 = 200;
const ROW: u64 = 64;
/// Terms of the series of the logarithm.
const TERMS: u64 = 11;

/// The features that each search tries, those that a device does not search left out: two to a word, all lists of one length.
struct Lists {
    width: usize,
    words: Vec<u32>,
    /// Words from one list to the next; 0 where all searches share one.
    step: usize,
}

/// Features of a search at most.
pub(super) fn width_of<T>(searches: &[TargetSearch<'_, T>]) -> usize {
    searches.iter().map(|search| search.features.len()).max().unwrap_or(0)
}

impl Lists {
    fn new<T>(binned: &Binned<'_>, searches: &[TargetSearch<'_, T>]) -> Lists {
        let (width, first) = (width_of(searches), searches.first().map_or(&[][..], |search| search.features));
        let is_shared = searches.iter().all(|search| search.features == first);
        let own = |feature: Option<&u32>| match feature {
            Some(feature) if is_for_devices(&binned.features[*feature as usize]) => *feature,
            _ => NO_FEATURE,
        };
        let listed = if is_shared { &searches[..searches.len().min(1)] } else { searches };
        let step = width.div_ceil(2);
        let mut words = Vec::with_capacity(step * listed.len());
        for search in listed {
            let pair = |at: usize| own(search.features.get(at)) | own(search.features.get(at + 1)) << 16;
            words.extend((0..width).step_by(2).map(pair));
        }
        Lists { width, words, step: if is_shared { 0 } else { step } }
    }
}

/// Records the searches; the winners stand at the beginning of a buffer of `all` words.
pub(super) fn record<T: TreeTarget>(
    recording: &mut Recording,
    binned: &Binned<'_>,
    (storage, tree_words): (&mut GpuGrowth, TreeWords),
    (searches, places): (&[TargetSearch<'_, T>], &[WinnerPlace]),
    all: usize,
) -> Result<Arc<Buffer>> {
    let Some(first) = searches.first() else { return storage.scratch_buffer(recording, ScratchBuffer::Winners, 4) };
    let (words, kind) = (first.node.cell.len(), first.node.target.score().kind);
    let mut table: Vec<u32> = searches.iter().zip(places).flat_map(|(search, place)| entry(search, *place)).collect();
    let search_words = table.len() / searches.len();
    let (lists, lists_first) = (Lists::new(binned, searches), table.len());
    let count = searches.len() * lists.width;
    table.extend(lists.words);
    let drawn = first.at_random.as_ref();
    let [key_low, key_high] = drawn.map_or([0; 2], |(draw, _)| draw.threshold_key());
    let [words_first, words_step, drawn_first] = tree_words.steps();
    let params = Params {
        searches: searches.len() as u32,
        task_begin: 0,
        tasks: count as u32,
        width: lists.width as u32,
        lists_first: lists_first as u32,
        list_words: lists.step as u32,
        search_words: search_words as u32,
        reciprocals_first: table.len() as u32,
        cells: binned.cells() as u32,
        key_low,
        key_high,
        min_rows: first.node.bounds.min_samples_leaf.min(u64::from(u32::MAX)) as u32,
        rows: binned.rows() as u32,
        words_first,
        words_step,
        drawn_first,
        group_first: 0,
        groups_of_8: 0,
        codes_first: 0,
    };
    table.extend((0..TERMS).flat_map(|term| halves((1.0 / (2 * term + 1) as f64).to_bits())));
    let plan = fill_table(recording, storage, ScratchBuffer::Searches, &table)?;
    let bytes = 4 * ((FOUND_WORDS + 2 * words) * count.max(1)) as u64;
    let found = storage.scratch_buffer(recording, ScratchBuffer::Found, bytes)?;
    let winners = storage.scratch_buffer(recording, ScratchBuffer::Winners, 4 * all as u64)?;
    recording.clear(&winners, 0, places.last().map_or(0, |place| place.end_word() as u64))?;
    let by_class = u32::from(kind != ScoreKind::Variance);
    let overrides = [
        ("WORDS", words as u32),
        ("KIND", kind as u32),
        ("RANDOM", u32::from(drawn.is_some())),
        ("BY_CLASS", by_class),
    ];
    if count == 0 {
        return Ok(winners);
    }
    let by_rows = matches!(first.cells, NodeCells::Rows(..));
    let tables = Tables { plan: &plan, found: &found };
    match by_rows {
        true => record_by_rows(recording, binned, storage, tables, (params, searches), &overrides)?,
        false => record_by_slots(recording, binned, storage, tables, params, &overrides)?,
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

/// The tasks of dispatches, with the parameters of each: as many as bounded work allows. `of_task` says what one of a search takes.
fn ranges(params: Params, of_task: impl Fn(usize) -> Work, most: u64) -> Vec<(Params, Work)> {
    let (mut found, mut begin, mut work) = (vec![], 0, Work { operations: 0, bytes: 0 });
    for search in 0..params.searches {
        let own = of_task(search as usize);
        let (mut at, end) = (search * params.width, (search + 1) * params.width);
        while at < end {
            let room = most.saturating_sub(work.operations) / own.operations.max(1);
            // One at least.
            let taken = room.max(u64::from(at == begin)).min(u64::from(end - at));
            if taken == 0 {
                found.push((Params { task_begin: begin, tasks: at, ..params }, work));
                (begin, work) = (at, Work { operations: 0, bytes: 0 });
            }
            at += taken as u32;
            work.operations += taken * own.operations;
            work.bytes += taken * own.bytes;
        }
    }
    found.push((Params { task_begin: begin, ..params }, work));
    found
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
    for (params, work) in ranges(params, |_| of_task, recording.gpu.operations_per_dispatch()) {
        let buffers = &[plan, features, &slots, found];
        let grid = Grid::linear(u64::from(params.tasks - params.task_begin))?;
        let dispatch = Dispatch::new(&params, buffers, grid, work);
        recording.dispatch(&KERNEL, dispatch.overrides(&overrides[..3]))?;
    }
    Ok(())
}

/// Records the tasks of nodes by their rows, for the columns that lie in one buffer at a time.
fn record_by_rows<T: TreeTarget>(
    recording: &mut Recording,
    binned: &Binned<'_>,
    storage: &GpuGrowth,
    Tables { plan, found }: Tables<'_>,
    (params, searches): (Params, &[TargetSearch<'_, T>]),
    overrides: &[(&'static str, u32)],
) -> Result<()> {
    let Some(RowBuffers { order, packed, .. }) = &storage.buffers else { return Ok(()) };
    let on_gpu = binned.on_gpu()?;
    let of_task = |search: usize| {
        let rows = searches[search].node.bounds.count;
        Work { operations: ROW * rows + OPERATIONS * 256 * u64::from(overrides[0].1), bytes: 24 * rows }
    };
    for block in on_gpu.blocks(binned.columns().div_ceil(GROUP_COLUMNS)) {
        let view = on_gpu.view(recording, block.clone())?;
        let params = Params {
            group_first: block.start as u32,
            groups_of_8: block.len() as u32,
            codes_first: view.first_word(),
            ..params
        };
        for (params, work) in ranges(params, of_task, recording.gpu.operations_per_dispatch()) {
            let buffers = &[plan, &on_gpu.feature_codes, view.buffer(), order, packed, found];
            let grid = Grid::linear(u64::from(params.tasks - params.task_begin))?;
            recording.dispatch(&KERNEL_ROWS, Dispatch::new(&params, buffers, grid, work).overrides(overrides))?;
        }
    }
    Ok(())
}

fn halves(word: u64) -> [u32; 2] {
    [word as u32, (word >> 32) as u32]
}

/// A search as the device reads it.
fn entry<T: TreeTarget>(search: &TargetSearch<'_, T>, place: WinnerPlace) -> Vec<u32> {
    let TargetNode { target, cell, bounds } = &search.node;
    let (score, (first, tree)) = (
        target.score(),
        match &search.cells {
            NodeCells::Slot(slot) => (*slot, 0),
            NodeCells::Rows(tree, rows) => (rows.start, *tree),
        },
    );
    let mut words = vec![first as u32, bounds.count as u32, tree as u32 | score.count_bits << TREE_BITS, place.first()];
    words.extend(cell.iter().flat_map(|word| halves(*word)));
    if matches!(score.kind, ScoreKind::Entropy | ScoreKind::Misclassification) {
        words.extend(halves(bounds.totals.purity.to_bits()));
    }
    if let Some((draw, path)) = &search.at_random {
        words.extend(halves(*path));
        words.push(draw.tree());
    }
    words
}
