//! Quantiles of the residuals of each leaf's rows, on the GPU that has them.

use std::sync::Arc;

use super::gradients::BoostingRows;
use super::grow_state::{RowBuffers, ScratchBuffer};
use super::leaves::{LeafRows, Plan, check, read, sum};
use super::{GrowState, fill_table};
use crate::cpu::tree::leaf_quantiles::number;
use crate::device::{Buffer, Dispatch, Recording, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    /// Counts the digits of keys.
    pub KERNEL = "tree/leaf_quantiles", [Read, Read, Read, Write], Params;
    /// Makes the keys.
    pub KERNEL_KEYS = "tree/leaf_quantiles__keys", [Read, Read, Read, Read, Write], Params;
    /// Finds the digit of each leaf's key.
    pub KERNEL_DIGIT = "tree/leaf_quantiles__digit", [Write, Write], DigitParams;
    /// Finds the next key.
    pub KERNEL_NEXT = "tree/leaf_quantiles__next", [Read, Read, Write], Params;
}

params! {
    struct Params { pieces: u32, rows: u32, shift: u32 }
    struct DigitParams { leaves: u32, shift: u32 }
}

/// Words of a leaf: key, rank, next key, 0.
const LEAF_WORDS: usize = 4;
/// Values of a digit.
const DIGITS: usize = 256;

/// The sums of each leaf, and the residual at its place with the one behind it.
pub type SumsAndQuantiles = (Vec<[i64; 2]>, Vec<[f32; 2]>);

/// The sums of the leaves, as [`leaf_sums`](super::leaves::leaf_sums) gives them, and of the residuals of each leaf's rows
/// the one at a place in their order, with the one behind it: those of
/// [`leaf_quantiles`](crate::cpu::tree::leaf_quantiles::leaf_quantiles).
///
/// A radix selection in all leaves at once: costs six reads of a word a row. One wait.
pub fn leaf_quantiles(
    stream: &mut Stream,
    state: &mut GrowState,
    rows: &mut BoostingRows,
    leaves: &[LeafRows],
    places: &[usize],
) -> Result<SumsAndQuantiles> {
    check(state, rows, leaves)?;
    if places.len() != leaves.len() {
        return Err(Error::shape(
            "leaf_quantiles",
            format!("a place for each of {} leaves", leaves.len()),
            places.len(),
        ));
    }
    let plan = Plan::new(leaves.iter().map(|leaf| (leaf.tree, leaf.rows.clone())));
    let recording = stream.gpu().ok_or_else(wrong_device)?;
    let storage = state.on_gpu()?;
    let (gradients, first) = (rows.gradient_buffer().clone(), rows.sums_first());
    let table = sum(recording, storage, rows, &plan, (&gradients, true), first)?;
    let words: Vec<u32> = places.iter().flat_map(|place| [0, *place as u32, 0, 0]).collect();
    let known = fill_table(recording, storage, ScratchBuffer::LeafTable, &words)?;
    let counts = fill_table(recording, storage, ScratchBuffer::LeafDigits, &vec![0; DIGITS * leaves.len()])?;
    let Some(RowBuffers { order, spare, .. }) = storage.buffers.clone() else { return Err(wrong_device()) };
    let pass = Pass { plan: &plan, rows: rows.rows, keys: spare };
    pass.record(recording, 0, &KERNEL_KEYS, &[&table, &order, rows.target_buffer(), rows.score_buffer(), &pass.keys])?;
    for shift in [24, 16, 8, 0] {
        pass.record(recording, shift, &KERNEL, &[&table, &pass.keys, &known, &counts])?;
        let params = DigitParams { leaves: leaves.len() as u32, shift };
        let words = (DIGITS * leaves.len()) as u64;
        let work = Work { operations: 32 * words, bytes: 8 * words };
        let grid = Grid::linear(leaves.len() as u64)?;
        recording.dispatch(&KERNEL_DIGIT, Dispatch::new(&params, &[&known, &counts], grid, work))?;
    }
    pass.record(recording, 0, &KERNEL_NEXT, &[&table, &pass.keys, &known])?;
    // What was found comes back behind the sums.
    let found_first = first + 4 * plan.pieces.len();
    let all = found_first + words.len();
    let report = rows.report(recording, all)?;
    recording.copy((&known, 0), (&report, 4 * found_first as u64), 4 * words.len() as u64)?;
    let words = read(recording, rows, all)?;
    let found = words[found_first..].chunks_exact(LEAF_WORDS).zip(leaves);
    let pair = |(words, leaf): (&[u32], &LeafRows)| match (leaf.rows.is_empty(), words[2]) {
        (true, _) => [0.0; 2],
        (false, u32::MAX) => [number(words[0]); 2],
        (false, next) => [number(words[0]), number(next)],
    };
    Ok((plan.add(&words[first..found_first]), found.map(pair).collect()))
}

/// What the passes over pieces share.
struct Pass<'a> {
    plan: &'a Plan,
    rows: usize,
    keys: Arc<Buffer>,
}

impl Pass<'_> {
    fn record(
        &self,
        recording: &mut Recording,
        shift: u32,
        kernel: &'static crate::kernel::Kernel,
        buffers: &[&Arc<Buffer>],
    ) -> Result<()> {
        let pieces = self.plan.pieces.len();
        let params = Params { pieces: pieces as u32, rows: self.rows as u32, shift };
        recording.dispatch(kernel, Dispatch::new(&params, buffers, Grid::linear(pieces as u64)?, self.plan.work()))
    }
}

fn wrong_device() -> Error {
    Error::WrongDevice { op: "leaf_quantiles", why: "the rows are on a GPU, the stream is not".to_string() }
}
