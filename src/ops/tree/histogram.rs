//! Histograms of gradient cells.

use std::ops::Range;

use super::grow_state::{CELL_BYTES, GrowthStorage};
use super::pieces::{Counting, MergeParams, Params, record};
use super::{Binned, GrowState};
use crate::cpu::tree::GradientSums;
use crate::cpu::tree::histogram::{Histogram, HistogramJob, histograms};
use crate::device::Stream;
use crate::error::{Error, Result};
use crate::kernel::kernels;

kernels! {
    /// Counts pieces of nodes by atomics in workgroup memory.
    pub KERNEL = "tree/histogram", [Read, Read, Read, Uniform, Read, Write], Params;
    /// Adds the pieces, and makes siblings of parents.
    pub KERNEL_MERGE = "tree/histogram__merge", [Read, Read, Write], MergeParams;
}

/// A histogram to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistogramFill {
    /// The tree, whose gradients count.
    pub tree: usize,
    /// The node's range of the row order.
    pub rows: Range<usize>,
    /// Where it goes; what was there is gone.
    pub slot: usize,
    /// The slot of the parent, from which the new histogram is then taken away: it becomes the sibling's.
    pub parent: Option<usize>,
}

/// Makes the histograms of nodes, on all cores or recorded on the stream: for each cell Σ gradient, Σ Hessian and the
/// number of rows, in 64 bits, exactly. The slots and parents of one call are all different.
///
/// Costs three additions for each row and column.
///
/// ```
/// use gristmill::cpu::tree::{BinnedRows, fixed_point::pack};
/// use gristmill::ops::tree::{Binned, HistogramFill, GrowState, histogram};
/// # use gristmill::Device;
/// let mut stream = Device::Cpu.stream();
/// let codes = [0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]; // three rows, one column
/// let binned = Binned::new(&mut stream, BinnedRows { bins: &codes, stride: 8, columns: &[0, 1, 1] }, &[0, 2], &[])?;
/// let mut state = GrowState::new(&stream);
/// state.begin(&mut stream, &mut vec![0, 1, 2], &mut [vec![pack(5, 1), pack(-7, 1), pack(3, 2)]])?;
/// let fill = HistogramFill { tree: 0, rows: 0..3, slot: 0, parent: None };
/// histogram::histogram(&mut stream, &binned, &mut state, &[fill])?;
/// let cell = histogram::read(&mut stream, &binned, &mut state, 0)?.get(1);
/// assert_eq!((cell.gradient, cell.hessian, cell.count), (-4, 3, 2));
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn histogram(
    stream: &mut Stream,
    binned: &Binned<'_>,
    state: &mut GrowState,
    fills: &[HistogramFill],
) -> Result<()> {
    binned.on(stream, "histogram")?;
    state.on(stream, "histogram")?;
    let places = state.places();
    if let Some(fill) = fills.iter().find(|fill| fill.rows.start > fill.rows.end || fill.rows.end > places) {
        return Err(Error::shape("histogram", format!("rows within 0..{places}"), format!("{:?}", fill.rows)));
    }
    if state.rows != binned.rows() && binned.columns() > 0 {
        return Err(Error::shape("histogram", format!("gradients of {} rows", binned.rows()), state.rows));
    }
    match stream.gpu() {
        None => on_cpu(binned, state, fills),
        Some(_) if binned.cells() == 0 => Ok(()),
        Some(recording) => {
            let tree_rows = state.rows;
            let first_words = |tree: usize| [(tree * tree_rows) as u32, 0];
            record(recording, (&COUNTING, 1), binned, state, fills, first_words, [&[], &[]])
        }
    }
}

fn on_cpu(binned: &Binned<'_>, state: &mut GrowState, fills: &[HistogramFill]) -> Result<()> {
    let (order, storage) = state.on_cpu()?;
    let most = fills.iter().map(|fill| fill.slot + 1).max().unwrap_or(0);
    if storage.slots.len() < most {
        storage.slots.resize(most, Histogram::default());
    }
    // Each histogram is taken out of its slot while it is made.
    let mut made: Vec<Histogram> = fills.iter().map(|fill| std::mem::take(&mut storage.slots[fill.slot])).collect();
    let jobs = fills.iter().zip(&mut made).map(|(fill, into)| HistogramJob {
        rows: &order[fill.rows.clone()],
        packed: &storage.packed[fill.tree],
        into,
    });
    histograms(binned.codes()?, binned.starts, jobs.collect(), &mut storage.spare);
    for (fill, made) in fills.iter().zip(made) {
        if let Some(parent) = fill.parent {
            storage.slots[parent].subtract(&made);
        }
        storage.slots[fill.slot] = made;
    }
    Ok(())
}

/// Copies one slot to the host.
pub fn read(stream: &mut Stream, binned: &Binned<'_>, state: &mut GrowState, slot: usize) -> Result<Histogram> {
    state.on(stream, "histogram")?;
    let cells = binned.cells();
    match (&mut state.storage, stream.gpu()) {
        (GrowthStorage::Cpu(storage), _) => Ok(storage.slots.get(slot).cloned().unwrap_or_default()),
        (GrowthStorage::Gpu(storage), Some(recording)) => {
            let slots = storage.slots(recording, slot + 1, CELL_BYTES * cells as u64)?;
            let mut words = Vec::with_capacity(4 * cells);
            let first = (4 * slot * cells) as u64;
            recording.read(&slots, first, 4 * cells as u64, &mut |part| words.extend_from_slice(part))?;
            Ok(decode(&words))
        }
        (GrowthStorage::Gpu(_), None) => Err(Error::WrongDevice { op: "histogram", why: "it is on a GPU".to_string() }),
    }
}

/// A histogram from the words of its cells.
pub(super) fn decode(words: &[u32]) -> Histogram {
    let mut histogram = Histogram::zeros(words.len() / 4);
    for (cell, words) in words.chunks_exact(4).enumerate() {
        let long = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        histogram.set(cell, GradientSums::wide(long(words[0], words[1]) as i64, long(words[2], words[3])));
    }
    histogram
}

pub(super) const COUNTING: Counting = Counting {
    kernel: &KERNEL,
    merge: &KERNEL_MERGE,
    max_rows: 1 << 16,
    min_rows: 1 << 11,
    words: 3,
    columns: 4,
    operations: 72,
};
