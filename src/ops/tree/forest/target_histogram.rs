//! Histograms of target cells: classes or numbers in fixed point.

use std::borrow::Cow;
use std::ops::Range;

use rayon::prelude::*;

use crate::cpu::tree::TargetRows;
use crate::cpu::tree::target_histogram::CountedColumn;
use crate::device::Stream;
use crate::error::{Error, Result};
use crate::kernel::kernels;
use crate::ops::tree::grow_state::GrowthStorage;
use crate::ops::tree::pieces::{Counting, MergeParams, Overrides, Params, record, slots_of};
use crate::ops::tree::{Binned, GrowState, HistogramFill};

kernels! {
    /// Counts pieces of nodes, a quarter of a word at a time, by atomics in workgroup memory.
    pub KERNEL = "tree/forest/target_histogram", [Read, Read, Read, Uniform, Read, Write], Params;
    /// Adds the pieces, and makes siblings of parents.
    pub KERNEL_MERGE = "tree/forest/target_histogram__merge", [Read, Read, Write], MergeParams;
}

const COUNTING: Counting = Counting {
    kernel: &KERNEL,
    merge: &KERNEL_MERGE,
    max_rows: 1 << 16,
    min_rows: 1 << 11,
    words: 4,
    columns: 4,
    operations: 96,
};
/// Bytes of the cells that one task counts in: what the first cache holds beside the rows.
const CACHED: usize = 1 << 14;

/// Makes the histograms of nodes, on all cores or recorded on the stream: for each cell the sums of its rows' words,
/// exactly. `targets` are those that the trees were begun with. The slots and parents of one call are all different.
///
/// Costs one addition for each row, column and word of the row. On a GPU the rows are read once for each word of a cell.
pub fn target_histogram(
    stream: &mut Stream,
    binned: &Binned<'_>,
    state: &mut GrowState,
    targets: &[TargetRows<'_>],
    fills: &[HistogramFill],
) -> Result<()> {
    binned.on(stream, "target_histogram")?;
    state.on(stream, "target_histogram")?;
    check(binned, state, targets, fills)?;
    match stream.gpu() {
        None => on_cpu(binned, state, targets, fills),
        Some(_) if binned.cells() == 0 => Ok(()),
        Some(recording) => {
            let (words, tree_words) = ((state.cell_bytes / 8) as u32, state.tree_words);
            let by_class = u32::from(matches!(targets.first(), Some(TargetRows::Classes(_))));
            let overrides: Overrides<'_> = [&[("BY_CLASS", by_class), ("WORDS", words)], &[("WORDS", words)]];
            record(recording, (&COUNTING, words), binned, state, fills, |tree| tree_words.of(tree), overrides)
        }
    }
}

fn check(binned: &Binned<'_>, state: &GrowState, targets: &[TargetRows<'_>], fills: &[HistogramFill]) -> Result<()> {
    let (places, rows) = (state.places(), binned.rows());
    let shape = |expected: String, got: String| Err(Error::shape("target_histogram", expected, got));
    if let Some(fill) = fills.iter().find(|fill| fill.rows.start > fill.rows.end || fill.rows.end > places) {
        return shape(format!("rows within 0..{places}"), format!("{:?}", fill.rows));
    }
    if let Some(fill) = fills.iter().find(|fill| fill.tree >= targets.len()) {
        return shape(format!("one of {} trees", targets.len()), format!("tree {}", fill.tree));
    }
    let words = targets.first().map_or(1, TargetRows::words);
    if state.cell_bytes != 8 * words as u64 || targets.iter().any(|target| target.words() != words) {
        return shape(format!("targets of {} words", state.cell_bytes / 8), format!("{words} words"));
    }
    match binned.columns() > 0 && targets.iter().any(|target| target.rows() != rows) {
        true => shape(format!("targets of {rows} rows"), format!("{}", state.rows)),
        false => Ok(()),
    }
}

fn on_cpu(
    binned: &Binned<'_>,
    state: &mut GrowState,
    targets: &[TargetRows<'_>],
    fills: &[HistogramFill],
) -> Result<()> {
    let (order, storage) = state.on_cpu()?;
    let (codes, starts, all_cells) = (binned.codes()?, binned.starts, binned.cells());
    let slots = &mut storage.target_slots;
    if slots.len() < slots_of(fills) {
        slots.resize(slots_of(fills), vec![]);
    }
    let words = targets.first().map_or(1, TargetRows::words);
    let groups = groups(starts, words);
    // Each histogram is taken out of its slot while it is made.
    let mut made: Vec<Vec<u64>> = fills.iter().map(|fill| std::mem::take(&mut slots[fill.slot])).collect();
    let mut tasks: Vec<(&HistogramFill, &Range<usize>, &mut [u64])> = vec![];
    for (fill, made) in fills.iter().zip(&mut made) {
        made.resize(all_cells * words, 0);
        let mut rest = made.as_mut_slice();
        for group in &groups {
            let cells = (starts[group.end] - starts[group.start]) as usize;
            let (own, others) = rest.split_at_mut(cells * words);
            tasks.push((fill, group, own));
            rest = others;
        }
    }
    tasks.into_par_iter().for_each(|(fill, group, cells)| {
        cells.fill(0);
        let column =
            |column: usize| CountedColumn { column: column as u32, first: starts[column] - starts[group.start] };
        let columns: Vec<CountedColumn> = group.clone().map(column).collect();
        targets[fill.tree].fill(codes, &columns, &order[fill.rows.clone()], cells);
    });
    for (fill, made) in fills.iter().zip(made) {
        if let Some(parent) = fill.parent {
            slots[parent].iter_mut().zip(&made).for_each(|(word, other)| *word = word.wrapping_sub(*other));
        }
        slots[fill.slot] = made;
    }
    Ok(())
}

/// Columns that are counted together, so that their cells stay in the first cache.
fn groups(starts: &[u32], words: usize) -> Vec<Range<usize>> {
    let columns = starts.len().saturating_sub(1);
    let mut groups: Vec<Range<usize>> = vec![];
    for column in 0..columns {
        match groups.last_mut() {
            Some(group) if (starts[column + 1] - starts[group.start]) as usize * words * 8 <= CACHED => {
                group.end = column + 1;
            }
            _ => groups.push(column..column + 1),
        }
    }
    groups
}

/// The cells of some slots, one after the other, as many words each as the targets have. One read-back.
pub fn read<'a>(
    stream: &mut Stream,
    binned: &Binned<'_>,
    state: &'a GrowState,
    slots: &[usize],
) -> Result<Vec<Cow<'a, [u64]>>> {
    state.on(stream, "target_histogram")?;
    let bytes = state.cell_bytes * binned.cells() as u64;
    match (&state.storage, stream.gpu()) {
        (GrowthStorage::Cpu(storage), _) => {
            let cells = |slot: &usize| storage.target_slots.get(*slot).map_or(&[][..], Vec::as_slice);
            Ok(slots.iter().map(|slot| Cow::Borrowed(cells(slot))).collect())
        }
        (GrowthStorage::Gpu(_), Some(_)) if bytes == 0 || slots.is_empty() => Ok(vec![Cow::Owned(vec![]); slots.len()]),
        (GrowthStorage::Gpu(storage), Some(recording)) => {
            let halves = storage.read_slots(recording, slots, bytes)?;
            let whole = |pair: &[u32]| u64::from(pair[0]) | u64::from(pair[1]) << 32;
            let cells = |halves: &[u32]| Cow::Owned(halves.chunks_exact(2).map(whole).collect());
            Ok(halves.par_chunks_exact(bytes as usize / 4).map(cells).collect())
        }
        (GrowthStorage::Gpu(_), None) => {
            Err(Error::WrongDevice { op: "target_histogram", why: "it is on a GPU".to_string() })
        }
    }
}
