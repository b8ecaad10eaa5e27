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
    /// The leaves of rows.
    pub KERNEL = "tree/predict", [Read, Read, Read, Read, Write], Params;
    /// What their values add up to.
    pub KERNEL_SUM = "tree/predict__sum", [Read, Read, Read, Write], SumParams;
}

params! {
    struct Params { rows: u32, words: u32, trees: u32, x_first: u32, x_stride: u32 }
    struct SumParams { rows: u32, trees: u32, trees_before: u32, outputs: u32, step: u32 }
}

/// Rows whose leaves are handed over together.
const BLOCK: usize = 256;
/// What a step costs, in operations: its loads are scattered, and miss the caches where trees are large (up to 24 ns a
/// step on a software driver with two cores).
const OPERATIONS: u64 = 256;
/// What it costs to add a value.
const ADDITION: u64 = 96;
/// Sums of values of such a size are 0 or numbers that a GPU adds exactly: normal ones, and finite.
const PLAIN: Range<f64> = 1e-200..1e200;

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
    check(stream, x, flat)?;
    if out.len() != x.rows() * outputs {
        let (expected, got) = (format!("{} rows of {outputs} results", x.rows()), format!("{} results", out.len()));
        return Err(Error::shape("predict", expected, got));
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

/// The values of the nodes of trees, which are added up.
#[derive(Debug, Clone, Copy)]
pub struct LeafValues<'a> {
    /// Of each tree those of its nodes, one after the other.
    pub trees: &'a [&'a [f64]],
    /// Whether a node has a value of each output; else one, and the trees take the outputs in turn.
    pub of_all: bool,
}

impl LeafValues<'_> {
    /// Adds what some rows meet in a tree.
    fn add(&self, sums: &mut [f64], outputs: usize, tree: usize, leaves: &[u32]) {
        let values = self.trees[tree];
        if self.of_all {
            for (sums, leaf) in sums.chunks_exact_mut(outputs).zip(leaves) {
                let values = &values[*leaf as usize * outputs..][..outputs];
                sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
            }
        } else {
            let own = sums.iter_mut().skip(tree % outputs).step_by(outputs);
            own.zip(leaves).for_each(|(sum, leaf)| *sum += values[*leaf as usize]);
        }
    }
}

/// What each output begins with and the values of the leaves that each row of X meets, added in f64 in the order of the trees:
/// n×outputs.
///
/// The same numbers on every device: a GPU makes f64 of integers, and 8 bytes an output come back; the leaves' numbers come
/// back, as from [`predict`], where they are fewer bytes than values and sums, or where a value is next to 0.
pub fn predict_sums(
    stream: &mut Stream,
    x: &DeviceMatrix,
    flat: &FlatTrees,
    values: &LeafValues<'_>,
    start: &[f64],
) -> Result<Vec<f64>> {
    let outputs = start.len();
    let width = if values.of_all { outputs } else { 1 };
    let ends = flat.roots().iter().skip(1).map(|root| root.0).chain([flat.nodes().len()]);
    let counts = flat.roots().iter().zip(ends).map(|(root, end)| width * (end - root.0));
    if !counts.eq(values.trees.iter().map(|values| values.len())) {
        let expected = format!("{width} values for each of {} nodes of {} trees", flat.nodes().len(), flat.trees());
        let got: usize = values.trees.iter().map(|values| values.len()).sum();
        return Err(Error::shape("predict", expected, format!("{got} values of {} trees", values.trees.len())));
    }
    let mut sums: Vec<f64> = start.iter().copied().cycle().take(x.rows() * outputs).collect();
    check(stream, x, flat)?;
    match stream.gpu() {
        Some(recording) if outputs > 0 && adds_there(recording, x.rows(), flat, values, start) => {
            sum_on_gpu(recording, x, flat, values, start, &mut sums)?;
        }
        _ => {
            let add = |sums: &mut [f64], tree: usize, leaves: &[u32]| values.add(sums, outputs, tree, leaves);
            predict(stream, x, flat, &mut sums, outputs, add)?;
        }
    }
    Ok(sums)
}

/// Whether it is less to send values and bring sums back than to bring leaf numbers back, and the sums are the host's.
fn adds_there(recording: &Recording, rows: usize, flat: &FlatTrees, values: &LeafValues<'_>, start: &[f64]) -> bool {
    let numbers = 4 * rows * flat.trees().div_ceil(32 / bits_of(flat));
    let count: usize = values.trees.iter().map(|values| values.len()).sum();
    let sent = 8 * (start.len() + count);
    let is_plain = |value: &f64| *value == 0.0 || PLAIN.contains(&value.abs());
    sent + 8 * rows * start.len() < numbers
        && sent as u64 <= recording.gpu.binding_bytes()
        && start.iter().chain(values.trees.iter().copied().flatten()).all(is_plain)
}

/// Refuses rows of another device, and of too few columns.
fn check(stream: &Stream, x: &DeviceMatrix, flat: &FlatTrees) -> Result<()> {
    x.on(stream, "predict")?;
    let widest = flat.nodes().iter().map(|node| node.feature & FEATURE).max().unwrap_or(0);
    if x.columns() > 0 && widest as usize >= x.columns() {
        return Err(Error::shape("predict", format!("at least {} columns", u64::from(widest) + 1), x.columns()));
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
    let (per_block, stretch) = blocks_of(recording, x, &trees, 0, 0)?;
    for rows in blocks(x.rows(), per_block) {
        let out = &mut out[rows.start * outputs..rows.end * outputs];
        for some in blocks(trees.roots.len(), stretch) {
            let Leaves { numbers, count, .. } = find_leaves(recording, x, &trees, rows.clone(), some.clone())?;
            let mut leaves = Vec::with_capacity(count);
            recording.read(&numbers, 0, count as u64, &mut |part| leaves.extend_from_slice(part))?;
            hand_over(&leaves, rows.len(), some, trees.bits, out, outputs, &arrive);
        }
    }
    Ok(())
}

/// Rows of a block, and trees of a stretch: where not even a block of rows fits with all trees, they are taken in stretches. A row
/// takes so many words and operations beside those of its leaves.
fn blocks_of(
    recording: &Recording,
    x: &DeviceMatrix,
    trees: &UploadedTrees,
    more_words: usize,
    more_operations: u64,
) -> Result<(usize, usize)> {
    let per_word = 32 / trees.bits;
    let words = trees.roots.len().div_ceil(per_word);
    let depths: u64 = trees.roots.iter().map(|root| u64::from(root[1]) + 1).sum();
    let (gpu, fixed) = (&recording.gpu, x.store()?.stride() + more_words);
    let operations = OPERATIONS * depths + more_operations;
    let per_block = RowStore::block_rows(gpu, (fixed + words) as u64, operations, BLOCK);
    let room = (gpu.scratch_bytes() as usize / 4 / per_block.max(1)).saturating_sub(fixed).max(1);
    Ok((per_block, room.min(words) * per_word))
}

fn upload(recording: &mut Recording, flat: &FlatTrees) -> Result<UploadedTrees> {
    let first = |node: &FlatNode| match node.feature & CATEGORIES {
        0 => ordered(node.threshold),
        _ => node.threshold.to_bits(),
    };
    let entry = |node: &FlatNode| [first(node), node.feature, node.children[0], node.children[1]];
    let nodes: Vec<u32> = flat.nodes().iter().flat_map(entry).collect();
    let roots: Vec<[u32; 2]> = flat.roots().iter().map(|(first, depth)| [*first as u32, *depth as u32]).collect();
    let categories = upload_table(recording, flat.words(), 16, "sets of categories")?;
    Ok(UploadedTrees { nodes: upload_table(recording, &nodes, 16, "trees")?, categories, roots, bits: bits_of(flat) })
}

/// Bits of a leaf's number.
fn bits_of(flat: &FlatTrees) -> usize {
    let ends = flat.roots().iter().skip(1).map(|root| root.0).chain([flat.nodes().len()]);
    match flat.roots().iter().zip(ends).map(|(root, end)| end - root.0).max().unwrap_or(0) {
        0..=0x100 => 8,
        0x101..=0x1_0000 => 16,
        _ => 32,
    }
}

/// The leaves of some rows in some trees.
struct Leaves {
    /// Word after word, in each all rows.
    numbers: Arc<Buffer>,
    count: usize,
    /// The first node and depth of each tree.
    roots: Arc<Buffer>,
}

fn find_leaves(
    recording: &mut Recording,
    x: &DeviceMatrix,
    trees: &UploadedTrees,
    rows: Range<usize>,
    some: Range<usize>,
) -> Result<Leaves> {
    let view = x.store()?.view(recording, rows.clone())?;
    let roots: Vec<u32> = trees.roots[some.clone()].iter().flatten().copied().collect();
    let roots = upload_table(recording, &roots, 16, "roots of trees")?;
    let words = some.len().div_ceil(32 / trees.bits);
    let count = rows.len() * words;
    let numbers = recording.scratch(4 * count as u64, "leaves of rows")?;
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
    let buffers = &[view.buffer(), &trees.nodes, &roots, &trees.categories, &numbers];
    recording
        .dispatch(&KERNEL, Dispatch::new(&params, buffers, grid, work).overrides(&[("BITS", trees.bits as u32)]))?;
    Ok(Leaves { numbers, count, roots })
}

/// Adds up the values of leaves on the device.
fn sum_on_gpu(
    recording: &mut Recording,
    x: &DeviceMatrix,
    flat: &FlatTrees,
    values: &LeafValues<'_>,
    start: &[f64],
    sums: &mut [f64],
) -> Result<()> {
    if x.rows() == 0 || x.columns() == 0 || flat.trees() == 0 {
        return Ok(());
    }
    let (trees, outputs) = (upload(recording, flat)?, start.len());
    // A zero below 0 would be added as it is.
    let halves = |value: &f64| [(value + 0.0).to_bits() as u32, ((value + 0.0).to_bits() >> 32) as u32];
    let numbers: Vec<u32> = start.iter().chain(values.trees.iter().copied().flatten()).flat_map(halves).collect();
    let numbers = upload_table(recording, &numbers, 16, "values of leaves")?;
    let added = ADDITION * (trees.roots.len() * if values.of_all { outputs } else { 1 }) as u64;
    let (per_block, stretch) = blocks_of(recording, x, &trees, 2 * outputs, added)?;
    for rows in blocks(x.rows(), per_block) {
        let all = rows.len() * outputs;
        let found = recording.scratch(8 * all as u64, "sums of leaves")?;
        for some in blocks(trees.roots.len(), stretch) {
            let Leaves { numbers: leaves, count, roots } =
                find_leaves(recording, x, &trees, rows.clone(), some.clone())?;
            let params = SumParams {
                rows: rows.len() as u32,
                trees: some.len() as u32,
                trees_before: some.start as u32,
                outputs: outputs as u32,
                step: if values.of_all { 1 } else { outputs as u32 },
            };
            let work = Work { operations: added * rows.len() as u64, bytes: 4 * (count + 4 * all) as u64 };
            let buffers = &[&leaves, &roots, &numbers, &found];
            let dispatch = Dispatch::new(&params, buffers, Grid::covering(all as u64, 64)?, work);
            recording.dispatch(&KERNEL_SUM, dispatch.overrides(&[("BITS", trees.bits as u32)]))?;
        }
        let mut read: Vec<u32> = Vec::with_capacity(2 * all);
        recording.read(&found, 0, 2 * all as u64, &mut |part| read.extend_from_slice(part))?;
        let own = &mut sums[rows.start * outputs..rows.end * outputs];
        for (sum, halves) in own.iter_mut().zip(read.chunks_exact(2)) {
            *sum = f64::from_bits(u64::from(halves[0]) | u64::from(halves[1]) << 32);
        }
    }
    Ok(())
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
