//! Sums of squares of the rows of nodes that learn numbers.

use std::ops::Range;

use rayon::prelude::*;

use crate::cpu::tree::target_squares::target_squares as of_rows;
use crate::cpu::tree::{NodeSquares, TargetRows, ValueRows};
use crate::device::{Dispatch, Recording, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};
use crate::ops::tree::grow_state::{RowBuffers, ScratchBuffer, wrong_device};
use crate::ops::tree::{GrowState, fill_table};

kernels! {
    /// Sums of pieces of the row order.
    pub KERNEL = "tree/forest/target_squares", [Read, Read, Read, Write], Params;
}

params! {
    struct Params { piece_begin: u32, pieces: u32, count_bits: u32 }
}

/// Rows of a piece: 64 a lane.
const PIECE: usize = 1 << 12;
/// What a row costs for each output, in operations.
const ROW: u64 = 128;

/// The squares of nodes: each its tree and a range of the row order. `targets` are those that the trees were begun with.
///
/// Integers, so that all devices agree to the bit. Reads back 4 bytes a node and 16 for each output, as much again for every
/// further 4,096 rows of a node. One wait for as many nodes as an eighth of the memory budget has room for.
pub fn target_squares(
    stream: &mut Stream,
    state: &mut GrowState,
    targets: &[TargetRows<'_>],
    nodes: &[(usize, Range<usize>)],
) -> Result<Vec<NodeSquares>> {
    state.on(stream, "target_squares")?;
    let values = check(state, targets, nodes)?;
    match stream.gpu() {
        None => {
            let order = state.known_order();
            Ok(nodes.par_iter().map(|(tree, rows)| of_rows(values[*tree], &order[rows.clone()])).collect())
        }
        Some(recording) => {
            let mut found = vec![];
            let words = 1 + values.first().map_or(1, |target| target.outputs);
            // Nodes of many rows have more pieces than one, which are few beside the nodes.
            let together = recording.gpu.scratch_bytes() as usize / (4 * (4 + 4 * words));
            for block in nodes.chunks(together.max(1)) {
                found.extend(on_gpu(recording, state, &values, block)?);
            }
            Ok(found)
        }
    }
}

/// The targets, which must be numbers.
fn check<'a>(
    state: &GrowState,
    targets: &[TargetRows<'a>],
    nodes: &[(usize, Range<usize>)],
) -> Result<Vec<ValueRows<'a>>> {
    let (places, trees) = (state.places(), targets.len());
    let refused = |expected: String, got: String| Error::shape("target_squares", expected, got);
    let is_outside =
        |(tree, rows): &&(usize, Range<usize>)| *tree >= trees || rows.start > rows.end || rows.end > places;
    if let Some((tree, rows)) = nodes.iter().find(is_outside) {
        return Err(refused(format!("rows within 0..{places} of {trees} trees"), format!("{rows:?} of tree {tree}")));
    }
    let numbers = |target: &TargetRows<'a>| match target {
        TargetRows::Values(rows) if state.cell_bytes == 8 * (1 + rows.outputs as u64) => Ok(*rows),
        _ => Err(refused(format!("numbers in cells of {} bytes", state.cell_bytes), "others".to_string())),
    };
    targets.iter().map(numbers).collect()
}

fn on_gpu(
    recording: &mut Recording,
    state: &mut GrowState,
    targets: &[ValueRows<'_>],
    nodes: &[(usize, Range<usize>)],
) -> Result<Vec<NodeSquares>> {
    let Some(target) = targets.first().filter(|target| target.outputs > 0) else {
        return Ok(vec![NodeSquares::none(0); nodes.len()]);
    };
    let tree_words = state.tree_words;
    let storage = state.on_gpu()?;
    let (mut pieces, mut owners): (Vec<[u32; 4]>, Vec<usize>) = (vec![], vec![]);
    for (number, (tree, rows)) in nodes.iter().enumerate() {
        let [first, drawn] = tree_words.of(*tree);
        for begin in rows.clone().step_by(PIECE) {
            pieces.push([begin as u32, PIECE.min(rows.end - begin) as u32, first, drawn]);
            owners.push(number);
        }
    }
    let mut found = vec![NodeSquares::none(target.outputs); nodes.len()];
    if pieces.is_empty() {
        return Ok(found);
    }
    let Some(RowBuffers { order, packed, .. }) = storage.buffers.clone() else {
        return Err(wrong_device("target_squares"));
    };
    let plan = fill_table(recording, storage, ScratchBuffer::Leaves, pieces.as_flattened())?;
    let words = 1 + 4 * target.outputs;
    let all = words * pieces.len();
    let squares = storage.scratch_buffer(recording, ScratchBuffer::LeafValues, 4 * all as u64)?;
    let most = recording.gpu.operations_per_dispatch();
    let operations = |piece: &[u32; 4]| ROW * target.outputs as u64 * u64::from(piece[1].max(64));
    let mut begin = 0;
    while begin < pieces.len() {
        let (mut end, mut work) = (begin, Work { operations: 0, bytes: 0 });
        while end < pieces.len() && (end == begin || work.operations + operations(&pieces[end]) <= most) {
            work.operations += operations(&pieces[end]);
            work.bytes += (8 + 8 * words as u64) * u64::from(pieces[end][1]);
            end += 1;
        }
        let params = Params { piece_begin: begin as u32, pieces: end as u32, count_bits: target.count_bits };
        let buffers = &[&plan, &order, &packed, &squares];
        let dispatch = Dispatch::new(&params, buffers, Grid::linear((end - begin) as u64)?, work);
        recording.dispatch(&KERNEL, dispatch.overrides(&[("WORDS", 1 + target.outputs as u32)]))?;
        begin = end;
    }
    let mut read: Vec<u32> = Vec::with_capacity(all);
    recording.read(&squares, 0, all as u64, &mut |part| read.extend_from_slice(part))?;
    let long = |words: &[u32]| words.iter().rev().fold(0, |sum, word| sum << 32 | u128::from(*word));
    for (owner, own) in owners.into_iter().zip(read.chunks_exact(words)) {
        let piece = NodeSquares { first: own[0], squares: own[1..].chunks_exact(4).map(long).collect() };
        found[owner] = std::mem::replace(&mut found[owner], NodeSquares::none(0)).plus(&piece);
    }
    Ok(found)
}
