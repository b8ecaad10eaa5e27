//! Histograms of gradient cells.

use std::mem::offset_of;
use std::ops::Range;
use std::sync::Arc;

use bytemuck::{Pod, Zeroable};

use super::growing::{CELL_BYTES, Home, OnGpu, Room};
use super::{Binned, Growing};
use crate::cpu::tree::histogram::{Histogram, Job, Sums, histograms};
use crate::device::{Buffer, Dispatch, Gpu, Recording, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Access, Field, Grid, Kernel, Needs, UNIFORM_BYTES, Work};

/// Counts pieces of nodes by atomics in workgroup memory.
pub const KERNEL: Kernel = Kernel {
    name: "tree/histogram",
    source: include_str!("../../../shaders/tree/histogram.wgsl"),
    buffers: &[Access::Read, Access::Read, Access::Read, Access::Uniform, Access::Read, Access::Write],
    params: &[
        Field { name: "pieces", offset: offset_of!(Params, pieces) },
        Field { name: "octets", offset: offset_of!(Params, octets) },
        Field { name: "octet_first", offset: offset_of!(Params, octet_first) },
        Field { name: "columns", offset: offset_of!(Params, columns) },
        Field { name: "rows", offset: offset_of!(Params, rows) },
        Field { name: "cells", offset: offset_of!(Params, cells) },
        Field { name: "codes_first", offset: offset_of!(Params, codes_first) },
    ],
    params_size: size_of::<Params>(),
    needs: Needs::Floor,
};

/// The form for software drivers with 64-bit integers.
pub const KERNEL_LONG_WORDS: Kernel = Kernel {
    name: "tree/histogram__long_words",
    source: include_str!("../../../shaders/tree/histogram__long_words.wgsl"),
    needs: Needs::LongWords,
    ..KERNEL
};

/// Adds the pieces, and makes siblings of parents.
pub const KERNEL_MERGE: Kernel = Kernel {
    name: "tree/histogram__merge",
    source: include_str!("../../../shaders/tree/histogram__merge.wgsl"),
    buffers: &[Access::Read, Access::Read, Access::Write],
    params: &[
        Field { name: "items", offset: offset_of!(MergeParams, items) },
        Field { name: "cells", offset: offset_of!(MergeParams, cells) },
        Field { name: "jobs_first", offset: offset_of!(MergeParams, jobs_first) },
    ],
    params_size: size_of::<MergeParams>(),
    needs: Needs::Floor,
};

#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Params {
    pieces: u32,
    octets: u32,
    octet_first: u32,
    columns: u32,
    rows: u32,
    cells: u32,
    codes_first: u32,
    pad: u32,
}

#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct MergeParams {
    items: u32,
    cells: u32,
    jobs_first: u32,
    pad: u32,
}

/// A histogram to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fill {
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
/// use gristmill::cpu::tree::{BinnedRows, histogram::pack};
/// use gristmill::ops::tree::{Binned, Fill, Growing, histogram};
/// # use gristmill::Device;
/// let mut stream = Device::Cpu.stream();
/// let codes = [0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]; // three rows, one column
/// let binned = Binned::new(&mut stream, BinnedRows { bins: &codes, stride: 8, columns: &[0, 1, 1] }, &[0, 2], &[])?;
/// let mut growing = Growing::new(&stream);
/// growing.begin(&mut stream, &mut vec![0, 1, 2], &mut [vec![pack(5, 1), pack(-7, 1), pack(3, 2)]])?;
/// histogram::histogram(&mut stream, &binned, &mut growing, &[Fill { tree: 0, rows: 0..3, slot: 0, parent: None }])?;
/// let cell = histogram::read(&mut stream, &binned, &mut growing, 0)?.get(1);
/// assert_eq!((cell.gradient, cell.hessian, cell.count), (-4, 3, 2));
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn histogram(stream: &mut Stream, binned: &Binned<'_>, growing: &mut Growing, fills: &[Fill]) -> Result<()> {
    binned.on(stream, "histogram")?;
    growing.on(stream, "histogram")?;
    let places = growing.places();
    if let Some(fill) = fills.iter().find(|fill| fill.rows.start > fill.rows.end || fill.rows.end > places) {
        let (expected, got) = (format!("rows within 0..{places}"), format!("{:?}", fill.rows));
        return Err(Error::Shape { op: "histogram", expected, got });
    }
    if growing.rows != binned.rows() && binned.columns() > 0 {
        let (expected, got) = (format!("gradients of {} rows", binned.rows()), growing.rows.to_string());
        return Err(Error::Shape { op: "histogram", expected, got });
    }
    match stream.gpu() {
        None => on_cpu(binned, growing, fills),
        Some(_) if binned.cells() == 0 => Ok(()),
        Some(recording) => record(recording, binned, growing, fills),
    }
}

fn on_cpu(binned: &Binned<'_>, growing: &mut Growing, fills: &[Fill]) -> Result<()> {
    let (order, home) = growing.on_cpu()?;
    let most = fills.iter().map(|fill| fill.slot + 1).max().unwrap_or(0);
    if home.slots.len() < most {
        home.slots.resize(most, Histogram::default());
    }
    // Each histogram is taken out of its slot while it is made.
    let mut made: Vec<Histogram> = fills.iter().map(|fill| std::mem::take(&mut home.slots[fill.slot])).collect();
    let jobs = fills.iter().zip(&mut made).map(|(fill, into)| Job {
        rows: &order[fill.rows.clone()],
        packed: &home.packed[fill.tree],
        into,
    });
    histograms(binned.codes()?, binned.starts, jobs.collect(), &mut home.spare);
    for (fill, made) in fills.iter().zip(made) {
        if let Some(parent) = fill.parent {
            home.slots[parent].subtract(&made);
        }
        home.slots[fill.slot] = made;
    }
    Ok(())
}

/// Copies one slot to the host.
pub fn read(stream: &mut Stream, binned: &Binned<'_>, growing: &mut Growing, slot: usize) -> Result<Histogram> {
    growing.on(stream, "histogram")?;
    let cells = binned.cells();
    match (&mut growing.home, stream.gpu()) {
        (Home::Cpu(home), _) => Ok(home.slots.get(slot).cloned().unwrap_or_default()),
        (Home::Gpu(home), Some(recording)) => {
            let slots = home.slots(recording, slot + 1, cells)?;
            let mut words = Vec::with_capacity(4 * cells);
            let first = (4 * slot * cells) as u64;
            recording.read(&slots, first, 4 * cells as u64, &mut |part| words.extend_from_slice(part))?;
            Ok(decode(&words))
        }
        (Home::Gpu(_), None) => Err(Error::Elsewhere { op: "histogram", why: "it is on a GPU".to_string() }),
    }
}

/// A histogram from the words of its cells.
pub(super) fn decode(words: &[u32]) -> Histogram {
    let mut histogram = Histogram::zeros(words.len() / 4);
    for (cell, words) in words.chunks_exact(4).enumerate() {
        let long = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        histogram.set(cell, Sums::wide(long(words[0], words[1]) as i64, long(words[2], words[3])));
    }
    histogram
}

/// How a device counts.
struct Form {
    kernel: &'static Kernel,
    /// Rows of a piece at most, so that the sums of a piece do not overflow.
    most_rows: usize,
    /// Rows of a piece at least, while there are rows enough: clearing and merging cost as much as some rows.
    least_rows: usize,
    /// Words that a piece has for each cell.
    words: usize,
    /// Columns of a workgroup.
    columns: usize,
    /// What a row and a column cost, in operations.
    operations: u64,
}

const FORM: Form =
    Form { kernel: &KERNEL, most_rows: 1 << 16, least_rows: 1 << 11, words: 3, columns: 4, operations: 72 };
const FORM_LONG_WORDS: Form =
    Form { kernel: &KERNEL_LONG_WORDS, most_rows: 2040, least_rows: 2040, words: 2, columns: 8, operations: 16 };
/// Workgroups that keep a card busy.
const GROUPS: usize = 1 << 11;
/// Pieces of a dispatch at most: their table is bound as a uniform.
const MOST_PIECES: usize = (UNIFORM_BYTES / 16) as usize;
const FRESH: u32 = 1 << 31;
const NONE: u32 = u32::MAX;

/// Pieces and nodes that are worked on together.
#[derive(Default)]
struct Round {
    /// First place, rows, first packed word, 0.
    pieces: Vec<[u32; 4]>,
    /// First piece, pieces, slot and whether it is new, parent.
    jobs: Vec<[u32; 4]>,
    rows: usize,
}

fn record(recording: &mut Recording, binned: &Binned<'_>, growing: &mut Growing, fills: &[Fill]) -> Result<()> {
    let gpu = recording.gpu.clone();
    let form = if gpu.long_words { &FORM_LONG_WORDS } else { &FORM };
    let (cells, tree_rows) = (binned.cells(), growing.rows);
    let home = growing.on_gpu()?;
    let most_slot = fills.iter().flat_map(|fill| [Some(fill.slot), fill.parent]).flatten().max().unwrap_or(0);
    let slots = home.slots(recording, most_slot + 1, cells)?;
    let total: usize = fills.iter().map(|fill| fill.rows.len()).sum();
    let column_groups = binned.columns().div_ceil(form.columns).max(1);
    let piece_rows = (total * column_groups / GROUPS).clamp(form.least_rows, form.most_rows);
    let per_round = pieces_per_round(&gpu, form, binned, piece_rows);
    for round in rounds(fills, tree_rows, piece_rows, per_round) {
        let words: Vec<u32> = round.pieces.iter().chain(&round.jobs).flatten().copied().collect();
        let plan = home.room(recording, Room::Pieces, UNIFORM_BYTES)?;
        recording.upload(&plan, 0, words.len() as u64, &mut |first, part| {
            part.copy_from_slice(&words[first as usize..first as usize + part.len()]);
        })?;
        let partial_bytes = 4 * (form.words * cells * round.pieces.len()) as u64;
        let partial = home.room(recording, Room::Partial, partial_bytes)?;
        if !round.pieces.is_empty() {
            count(recording, form, binned, home, &round, [&plan, &partial])?;
        }
        let items = round.jobs.len() * cells;
        let params =
            MergeParams { items: items as u32, cells: cells as u32, jobs_first: round.pieces.len() as u32, pad: 0 };
        recording.dispatch(
            &KERNEL_MERGE,
            Dispatch {
                params: bytemuck::bytes_of(&params),
                buffers: &[&partial, &plan, &slots],
                grid: Grid::covering(items as u64, 64)?,
                overrides: &[("PACKED", u32::from(form.words == 2))],
                work: Work {
                    operations: 16 * (cells * round.pieces.len()) as u64,
                    bytes: partial_bytes + CELL_BYTES * items as u64,
                },
            },
        )?;
    }
    Ok(())
}

/// Bounded by the table of pieces, the room for temporary blocks and the work of one dispatch.
fn pieces_per_round(gpu: &Gpu, form: &Form, binned: &Binned<'_>, piece_rows: usize) -> usize {
    let by_room = gpu.scratch_bytes() as usize / (4 * form.words * binned.cells()).max(1);
    let by_work = gpu.operations_per_dispatch() / (form.operations * (piece_rows * binned.columns()).max(1) as u64);
    by_room.min(by_work as usize).clamp(1, MOST_PIECES)
}

/// Cuts the rows of nodes into pieces, and the pieces into rounds; a node may go on in the next round.
fn rounds(fills: &[Fill], tree_rows: usize, piece_rows: usize, per_round: usize) -> Vec<Round> {
    let mut rounds = vec![];
    let mut round = Round::default();
    for fill in fills {
        let (mut start, mut fresh) = (fill.rows.start, FRESH);
        loop {
            // The table of jobs stands behind that of the pieces, and needs no more room than one for each piece.
            if round.pieces.len() >= per_round || round.pieces.len() + round.jobs.len() + 2 > MOST_PIECES {
                rounds.push(std::mem::take(&mut round));
            }
            let first = round.pieces.len();
            let room = (per_round - first).min(MOST_PIECES - first - round.jobs.len() - 1);
            let end = fill.rows.end.min(start + room * piece_rows);
            for at in (start..end).step_by(piece_rows) {
                let rows = piece_rows.min(end - at);
                round.pieces.push([at as u32, rows as u32, (fill.tree * tree_rows) as u32, 0]);
                round.rows += rows;
            }
            let done = end == fill.rows.end;
            let parent = fill.parent.filter(|_| done).map_or(NONE, |parent| parent as u32);
            let pieces = round.pieces.len() - first;
            round.jobs.push([first as u32, pieces as u32, fill.slot as u32 | fresh, parent]);
            (start, fresh) = (end, 0);
            if done {
                break;
            }
        }
    }
    if !round.jobs.is_empty() {
        rounds.push(round);
    }
    rounds
}

/// Counts the pieces of a round, for the columns that lie in one buffer at a time.
fn count(
    recording: &mut Recording,
    form: &Form,
    binned: &Binned<'_>,
    home: &OnGpu,
    round: &Round,
    [plan, partial]: [&Arc<Buffer>; 2],
) -> Result<()> {
    let on_gpu = binned.on_gpu()?;
    let Some(rows) = &home.buffers else { return Ok(()) };
    let octets = binned.columns().div_ceil(super::binned::OCTET);
    for block in on_gpu.blocks(octets) {
        let view = on_gpu.view(recording, block.clone())?;
        let params = Params {
            pieces: round.pieces.len() as u32,
            octets: block.len() as u32,
            octet_first: block.start as u32,
            columns: binned.columns() as u32,
            rows: binned.rows() as u32,
            cells: binned.cells() as u32,
            codes_first: view.first_word(),
            pad: 0,
        };
        let groups = round.pieces.len() * block.len() * super::binned::OCTET / form.columns;
        let values = (round.rows * block.len() * super::binned::OCTET) as u64;
        recording.dispatch(
            form.kernel,
            Dispatch {
                params: bytemuck::bytes_of(&params),
                buffers: &[view.buffer(), &rows.order, &rows.packed, plan, &on_gpu.starts, partial],
                grid: Grid::linear(groups as u64)?,
                overrides: &[],
                work: Work { operations: form.operations * values, bytes: values + 8 * round.rows as u64 },
            },
        )?;
    }
    Ok(())
}
