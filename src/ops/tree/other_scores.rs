//! The scores of rows that no tree was grown on.

use std::ops::Range;
use std::sync::Arc;

use bytemuck::Zeroable;

use super::gradients::{BoostingRows, upload_numbers};
use super::grow_state::{GpuGrowth, ScratchBuffer};
use super::{GrowState, fill_table};
use crate::array::{DeviceMatrix, Matrix, RowStore, blocks};
use crate::cpu::tree::ordered;
use crate::cpu::tree::predict::{CATEGORIES, FlatTrees};
use crate::device::{Buffer, Device, Dispatch, Recording, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    pub KERNEL = "tree/other_scores", [Read, Read, Read, Read, Write, Write], Params;
}

params! {
    struct Params {
        first: u32, count: u32, is_listed: u32, x_row: u32, x_rows: u32, x_first: u32, x_stride: u32, root: u32,
        depth: u32, categories_first: u32, scores_first: u32,
    }
}

/// What a step costs, in operations, as for predictions.
const OPERATIONS: u64 = 256;

/// Rows on a GPU that no tree is grown on, with a score for each output: those that early stopping looks at.
#[derive(Debug)]
pub struct HeldOutRows {
    x: DeviceMatrix,
    outputs: usize,
    scores: Arc<Buffer>,
}

impl HeldOutRows {
    /// Brings rows and their scores to the stream's GPU; nothing on the CPU, and where there are too many.
    pub fn new(stream: &mut Stream, x: &Matrix, scores: &[Vec<f32>]) -> Result<Option<HeldOutRows>> {
        let Device::Gpu(gpu) = stream.device().clone() else { return Ok(None) };
        let words = (x.rows() * scores.len()) as u64;
        if words == 0 || 4 * words > gpu.binding_bytes() || 4 * words > gpu.memory.budget() / 8 {
            return Ok(None);
        }
        let x = x.to(stream.device())?;
        let Some(recording) = stream.gpu() else { return Ok(None) };
        let buffer = recording.scratch(4 * words, "scores of rows that are held out")?;
        for (output, scores) in scores.iter().enumerate() {
            upload_numbers(recording, &buffer, (output * x.rows()) as u64, scores)?;
        }
        Ok(Some(HeldOutRows { x, outputs: scores.len(), scores: buffer }))
    }

    /// Words of the scores: output after output, one for each row.
    pub(super) fn words(&self) -> usize {
        self.outputs * self.x.rows()
    }

    pub(super) fn score_buffer(&self) -> &Arc<Buffer> {
        &self.scores
    }

    /// The scores of each output, from their words.
    pub(super) fn scores(&self, words: &[u32]) -> Vec<Vec<f32>> {
        let column = |words: &[u32]| words.iter().map(|word| f32::from_bits(*word)).collect();
        words.chunks_exact(self.x.rows()).map(column).collect()
    }

    /// The scores of each output, read back.
    pub fn read_scores(&self, stream: &mut Stream) -> Result<Vec<Vec<f32>>> {
        let recording = stream.gpu().ok_or_else(wrong_device)?;
        let mut words = Vec::with_capacity(self.words());
        recording.read(&self.scores, 0, self.words() as u64, &mut |part| words.extend_from_slice(part))?;
        Ok(self.scores(&words))
    }
}

/// Records the addition of the leaves' values, those of all trees one after the other, to the scores of the rows that the
/// trees, one an output, were not grown on: the rows outside the sample, and those that are held out.
pub fn add_to_others(
    stream: &mut Stream,
    state: &mut GrowState,
    rows: &mut BoostingRows,
    trees: &FlatTrees,
    values: &[f32],
) -> Result<()> {
    let recording = stream.gpu().ok_or_else(wrong_device)?;
    let storage = state.on_gpu()?;
    let words: Vec<u32> = values.iter().map(|value| value.to_bits()).collect();
    let values = fill_table(recording, storage, ScratchBuffer::LeafValues, &words)?;
    record(recording, storage, rows, trees, &values)
}

/// The same for values that are on the device.
pub(super) fn record(
    recording: &mut Recording,
    storage: &mut GpuGrowth,
    rows: &mut BoostingRows,
    trees: &FlatTrees,
    values: &Arc<Buffer>,
) -> Result<()> {
    let outside = rows.outside_sample();
    if outside.is_empty() && rows.held_out().is_none() {
        return Ok(());
    }
    if trees.trees() != rows.outputs() {
        return Err(Error::shape("other_scores", format!("{} trees", rows.outputs()), trees.trees()));
    }
    let report = rows.report(recording, 0)?;
    let (table, categories_first) = upload(recording, storage, trees)?;
    let order = storage.buffers.as_ref().map(|buffers| buffers.order.clone()).ok_or_else(wrong_device)?;
    for (tree, (root, depth)) in trees.roots().iter().enumerate() {
        let params = |rows: usize| Params {
            root: *root as u32,
            depth: *depth as u32,
            categories_first,
            scores_first: (tree * rows) as u32,
            ..Params::zeroed()
        };
        if let Some(x) = rows.values().filter(|_| !outside.is_empty()) {
            let first = tree * rows.places();
            let places = Some(first + outside.start..first + outside.end);
            let buffers = [&table, &order, values, rows.score_buffer(), &report];
            of_tree(recording, x, places, params(rows.rows), buffers)?;
        }
        if let Some(held) = rows.held_out() {
            let buffers = [&table, &table, values, &held.scores, &report];
            of_tree(recording, &held.x, None, params(held.x.rows()), buffers)?;
        }
    }
    Ok(())
}

/// The steps of all trees, in which leaves are numbered through, and their categories behind them.
fn upload(recording: &mut Recording, storage: &mut GpuGrowth, trees: &FlatTrees) -> Result<(Arc<Buffer>, u32)> {
    let mut words = Vec::with_capacity(4 * trees.nodes().len() + trees.words().len());
    let ends = trees.roots().iter().skip(1).map(|root| root.0).chain([trees.nodes().len()]);
    let mut leaves = 0;
    for ((root, _), end) in trees.roots().iter().zip(ends) {
        for (own, node) in (0..).zip(&trees.nodes()[*root..end]) {
            let first = match node.feature & CATEGORIES {
                _ if node.children == [own; 2] => {
                    leaves += 1;
                    leaves - 1
                }
                0 => ordered(node.threshold),
                _ => node.threshold.to_bits(),
            };
            words.extend([first, node.feature, node.children[0], node.children[1]]);
        }
    }
    let categories_first = words.len() as u32;
    words.extend(trees.words());
    Ok((fill_table(recording, storage, ScratchBuffer::Steps, &words)?, categories_first))
}

/// Records one tree, for places of the order or else for all rows of `x`.
fn of_tree(
    recording: &mut Recording,
    x: &DeviceMatrix,
    places: Option<Range<usize>>,
    params: Params,
    [table, order, values, scores, report]: [&Arc<Buffer>; 5],
) -> Result<()> {
    let store = x.store()?;
    let room = match store.is_one_buffer() {
        true => x.rows(),
        false => RowStore::block_rows(&recording.gpu, store.stride() as u64, 1, 256),
    };
    let operations = OPERATIONS * u64::from(params.depth + 1);
    let together = (recording.gpu.operations_per_dispatch() / operations).max(64) as usize;
    for block in blocks(x.rows(), room) {
        let view = store.view(recording, block.clone())?;
        let all = places.clone().unwrap_or(block.clone());
        for some in blocks(all.len(), together) {
            let params = Params {
                first: (all.start + some.start) as u32,
                count: some.len() as u32,
                is_listed: u32::from(places.is_some()),
                x_row: block.start as u32,
                x_rows: block.len() as u32,
                x_first: view.first_word(),
                x_stride: store.stride() as u32,
                ..params
            };
            let count = some.len() as u64;
            let work = Work { operations: operations * count, bytes: 4 * (x.columns() as u64 + 3) * count };
            let buffers = &[view.buffer(), table, order, values, scores, report];
            recording.dispatch(&KERNEL, Dispatch::new(&params, buffers, Grid::covering(count, 64)?, work))?;
        }
    }
    Ok(())
}

fn wrong_device() -> Error {
    Error::WrongDevice { op: "other_scores", why: "the rows are on a GPU, the stream is not".to_string() }
}
