//! The leaves of many rows in many trees.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::upload_table;
use crate::array::{DeviceMatrix, RowStore, blocks};
use crate::cpu::tree::ordered;
use crate::cpu::tree::predict::{CATEGORIES, FEATURE, FlatNode, FlatTrees};
use crate::device::{Buffer, Dispatch, Recording, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    pub KERNEL = "tree/predict", [Read, Read, Read, Read, Write], Params;
}

params! {
    struct Params { rows: u32, words: u32, trees: u32, x_first: u32, x_stride: u32 }
}

/// Rows whose leaves are handed over together.
const BLOCK: usize = 256;
/// What a step costs, in operations: its loads are scattered, and miss the caches where trees are large (up to 24 ns a
/// step on a software driver with two cores).
const OPERATIONS: u64 = 256;

/// Leads each row of X (n×d, missing values allowed) through the trees in order and calls `arrive` for each block of
/// rows and tree with the rows' results, the tree and the leaf of each row. `out` is n×outputs.
///
/// On a GPU only the leaves' numbers come back, a byte each for trees of up to 256 nodes; what they stand for is added
/// by `arrive` on the host in the order of the trees: the same result on every device. Costs one step a row, tree and
/// level.
pub fn predict<T: Send>(
    stream: &mut Stream,
    x: &DeviceMatrix,
    flat: &FlatTrees,
    out: &mut [T],
    outputs: usize,
    arrive: impl Fn(&mut [T], usize, &[u32]) + Sync,
) -> Result<()> {
    x.on(stream, "predict")?;
    if out.len() != x.rows() * outputs {
        let (expected, got) = (format!("{} rows of {outputs} results", x.rows()), format!("{} results", out.len()));
        return Err(Error::shape("predict", expected, got));
    }
    let widest = flat.nodes().iter().map(|node| node.feature & FEATURE).max().unwrap_or(0);
    if x.columns() > 0 && widest as usize >= x.columns() {
        return Err(Error::shape("predict", format!("at least {} columns", u64::from(widest) + 1), x.columns()));
    }
    if x.rows() == 0 || x.columns() == 0 || outputs == 0 || flat.trees() == 0 {
        return Ok(());
    }
    match stream.gpu() {
        None => flat.run(x.values()?, x.columns(), out, outputs, arrive),
        Some(recording) => on_gpu(recording, x, flat, out, outputs, arrive)?,
    }
    Ok(())
}

/// The trees on the device.
struct UploadedTrees {
    nodes: Arc<Buffer>,
    /// Sets and bins of categories.
    categories: Arc<Buffer>,
    /// First node and depth of each.
    roots: Vec<[u32; 2]>,
    /// Bits of a leaf's number.
    bits: usize,
}

fn on_gpu<T: Send>(
    recording: &mut Recording,
    x: &DeviceMatrix,
    flat: &FlatTrees,
    out: &mut [T],
    outputs: usize,
    arrive: impl Fn(&mut [T], usize, &[u32]) + Sync,
) -> Result<()> {
    let trees = upload(recording, flat)?;
    let per_word = 32 / trees.bits;
    let words = trees.roots.len().div_ceil(per_word);
    let depths: u64 = trees.roots.iter().map(|root| u64::from(root[1]) + 1).sum();
    let stride = x.store()?.stride();
    let per_block = RowStore::block_rows(&recording.gpu, (stride + words) as u64, OPERATIONS * depths, BLOCK);
    // Where not even a block of rows fits with all trees, the trees are taken in stretches.
    let room = (recording.gpu.scratch_bytes() as usize / 4 / per_block.max(1)).saturating_sub(stride).max(1);
    let stretch = room.min(words) * per_word;
    for rows in blocks(x.rows(), per_block) {
        let out = &mut out[rows.start * outputs..rows.end * outputs];
        for some in blocks(trees.roots.len(), stretch) {
            let leaves = run(recording, x, &trees, rows.clone(), some.clone())?;
            hand_over(&leaves, rows.len(), some, trees.bits, out, outputs, &arrive);
        }
    }
    Ok(())
}

fn upload(recording: &mut Recording, flat: &FlatTrees) -> Result<UploadedTrees> {
    let first = |node: &FlatNode| match node.feature & CATEGORIES {
        0 => ordered(node.threshold),
        _ => node.threshold.to_bits(),
    };
    let entry = |node: &FlatNode| [first(node), node.feature, node.children[0], node.children[1]];
    let nodes: Vec<u32> = flat.nodes().iter().flat_map(entry).collect();
    let roots: Vec<[u32; 2]> = flat.roots().iter().map(|(first, depth)| [*first as u32, *depth as u32]).collect();
    let ends = flat.roots().iter().skip(1).map(|root| root.0).chain([flat.nodes().len()]);
    let most = flat.roots().iter().zip(ends).map(|(root, end)| end - root.0).max().unwrap_or(0);
    let bits = match most {
        0..=0x100 => 8,
        0x101..=0x1_0000 => 16,
        _ => 32,
    };
    let categories = upload_table(recording, flat.words(), 16, "sets of categories")?;
    Ok(UploadedTrees { nodes: upload_table(recording, &nodes, 16, "trees")?, categories, roots, bits })
}

/// The leaves of some rows in some trees, read back: word after word, in each all rows.
fn run(
    recording: &mut Recording,
    x: &DeviceMatrix,
    trees: &UploadedTrees,
    rows: Range<usize>,
    some: Range<usize>,
) -> Result<Vec<u32>> {
    let view = x.store()?.view(recording, rows.clone())?;
    let roots: Vec<u32> = trees.roots[some.clone()].iter().flatten().copied().collect();
    let table = upload_table(recording, &roots, 16, "roots of trees")?;
    let words = some.len().div_ceil(32 / trees.bits);
    let count = rows.len() * words;
    let leaves = recording.scratch(4 * count as u64, "leaves of rows")?;
    let params = Params {
        rows: rows.len() as u32,
        words: words as u32,
        trees: some.len() as u32,
        x_first: view.first_word(),
        x_stride: x.store()?.stride() as u32,
    };
    let depths: u64 = trees.roots[some].iter().map(|root| u64::from(root[1]) + 1).sum();
    let values = (rows.len() * x.columns()) as u64;
    let grid = Grid::covering(count as u64, 64)?;
    let work = Work { operations: OPERATIONS * depths * rows.len() as u64, bytes: 4 * (values + count as u64) };
    let buffers = &[view.buffer(), &trees.nodes, &table, &trees.categories, &leaves];
    recording
        .dispatch(&KERNEL, Dispatch::new(&params, buffers, grid, work).overrides(&[("BITS", trees.bits as u32)]))?;
    let mut found = Vec::with_capacity(count);
    recording.read(&leaves, 0, count as u64, &mut |part| found.extend_from_slice(part))?;
    Ok(found)
}

/// Calls `arrive` for each block of rows, tree by tree, blocks in parallel.
fn hand_over<T: Send>(
    leaves: &[u32],
    rows: usize,
    trees: Range<usize>,
    bits: usize,
    out: &mut [T],
    outputs: usize,
    arrive: &(impl Fn(&mut [T], usize, &[u32]) + Sync),
) {
    let per_word = 32 / bits;
    let mask = u32::MAX >> (32 - bits);
    out.par_chunks_mut(BLOCK * outputs).enumerate().for_each(|(block, out)| {
        let first = block * BLOCK;
        let mut places = [0_u32; BLOCK];
        let places = &mut places[..out.len() / outputs];
        for (at, tree) in trees.clone().enumerate() {
            let words = &leaves[at / per_word * rows + first..][..places.len()];
            let shift = at % per_word * bits;
            places.iter_mut().zip(words).for_each(|(place, word)| *place = word >> shift & mask);
            arrive(out, tree, places);
        }
    });
}
