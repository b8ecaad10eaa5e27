//! Products of a kernel matrix that is never stored.

use std::ops::Range;

use super::matrix::{PROGRAM_OPERATIONS, matrix};
use super::{Instruction, PairRows, Pass, Plan, check, encoded, form, step_code, step_operations};
use crate::array::{DeviceMatrix, RowStore, View, blocks};
use crate::cpu::gram::product as twin;
use crate::device::{Dispatch, Recording, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};
use crate::ops::linalg::gemm::{KERNEL_MERGE, Layout, MergeParams, gemm_into};
use crate::ops::linalg::map::{Combine, combine_matrices};
use crate::ops::pairs::TILE;

kernels! {
    /// Rows of A, rows of B, the squares of their lengths, V, the sums of each span.
    pub KERNEL = "gram/product", [Read, Read, Read, Read, Read, Write], Params;
}

params! {
    struct Params {
        program: [[f32; 4]; 10], instructions: u32, rows: u32, columns: u32, depth: u32, row_tiles: u32,
        span_tiles: u32, a_first: u32, a_vec4s: u32, b_first: u32, b_vec4s: u32, a_square_first: u32,
        b_square_first: u32, v_first: u32, v_vec2s: u32, half: u32, alone: u32,
    }
}

/// Columns that a workgroup walks over: fixed, so that sums do not depend on the room there is.
const SPAN: usize = 2048;
/// Rows and columns of a tile whose values are made by a program.
const PROGRAM_TILE: usize = 64;

/// K(a, b)·V for n and m rows and V of m×p: n×p values. K is not stored: 2·n·m·(d + p) operations, and on a GPU K is made
/// again for every two columns of V. A sum of kernels is a sum of such products; only a product or a function of kernels that
/// need different sums over the columns goes through blocks of K.
///
/// The product with the transpose is this with the sides exchanged: k(x, y) = k(y, x). The error is at most (m/256 + 300)·ε·Σ|k·v| beside that of k itself.
pub fn product(
    stream: &mut Stream,
    plan: &Plan,
    (a, b): (&PairRows, &PairRows),
    v: &DeviceMatrix,
) -> Result<DeviceMatrix> {
    check(stream, "gram product", plan, [a, b])?;
    if v.rows() != b.rows() {
        return Err(Error::shape("gram product", format!("{} rows in V", b.rows()), v.rows()));
    }
    v.complete_on(stream, "gram product")?;
    let p = v.columns();
    let mut out = DeviceMatrix::output(stream.device(), a.rows(), p)?;
    if stream.gpu().is_none() {
        twin::product(plan, &a.host()?, &b.host()?, v.values()?, p, out.values_mut()?);
    } else if let Some(terms) = terms(plan) {
        for (number, pass) in terms.iter().enumerate().filter(|_| a.rows() > 0 && p > 0) {
            let Some(recording) = stream.gpu() else { break };
            record(recording, pass, (a, b), v, (&out, number > 0))?;
        }
    } else {
        by_blocks(stream, plan, (a, b), v, &out)?;
    }
    Ok(out)
}

/// The passes of a plan that only adds up what they make, without the additions; nothing for other plans.
fn terms(plan: &Plan) -> Option<Vec<Pass>> {
    let added = [Instruction::Load(0), Instruction::Add];
    let term = |(number, pass): (usize, &Pass)| {
        let program = if number == 0 { &pass.program[..] } else { pass.program.strip_suffix(&added)? };
        let alone = program.iter().all(|instruction| !matches!(instruction, Instruction::Load(_)));
        (alone && pass.target == 0).then(|| Pass { program: program.to_vec(), ..pass.clone() })
    };
    plan.passes.iter().enumerate().map(term).collect()
}

/// K(a, b)ᵀ·(W∘(K(a, b)·V − U)) for n and m rows, V of m×p, U and W of n×p, ∘ value by value: m×p values. On the CPU each value
/// of K is made once.
pub fn normal_product(
    stream: &mut Stream,
    plan: &Plan,
    (a, b): (&PairRows, &PairRows),
    v: &DeviceMatrix,
    [u, w]: [Option<&DeviceMatrix>; 2],
) -> Result<DeviceMatrix> {
    let p = v.columns();
    let other = [u, w].into_iter().flatten().any(|other| (other.rows(), other.columns()) != (a.rows(), p));
    if v.rows() != b.rows() || other {
        let expected = format!("{} rows in V, {}×{p} in U and W", b.rows(), a.rows());
        return Err(Error::shape("gram product", expected, v.rows()));
    }
    if stream.gpu().is_some() {
        let mut between = product(stream, plan, (a, b), v)?;
        if let Some(u) = u {
            combine_matrices(stream, Combine::Sum(-1.0, 1.0), u, &mut between)?;
        }
        if let Some(w) = w {
            combine_matrices(stream, Combine::Product, w, &mut between)?;
        }
        return product(stream, plan, (b, a), &between);
    }
    check(stream, "gram product", plan, [a, b])?;
    let mut out = DeviceMatrix::output(stream.device(), b.rows(), p)?;
    let [u, w] = [u.map(DeviceMatrix::values).transpose()?, w.map(DeviceMatrix::values).transpose()?];
    twin::normal_product(plan, (&a.host()?, &b.host()?), v.values()?, [u, w], p, out.values_mut()?);
    Ok(out)
}

/// A product or a function of kernels of several sums: blocks of rows of K in scratch, each multiplied and forgotten.
fn by_blocks(
    stream: &mut Stream,
    plan: &Plan,
    (a, b): (&PairRows, &PairRows),
    v: &DeviceMatrix,
    out: &DeviceMatrix,
) -> Result<()> {
    let Some(recording) = stream.gpu() else { return Ok(()) };
    let (target, p) = (out.store()?, v.columns());
    let per_block = RowStore::block_rows(&recording.gpu.clone(), (plan.registers * b.rows()) as u64, 1, TILE);
    for rows in blocks(a.rows(), per_block) {
        let part = a.part(stream, rows.clone())?;
        let k = matrix(stream, plan, &part, b)?;
        let mut product = DeviceMatrix::output(stream.device(), rows.len(), p)?;
        gemm_into(stream, Layout::NN, (1.0, &k), v, (0.0, &mut product))?;
        let Some(recording) = stream.gpu() else { return Ok(()) };
        let from = product.store()?.view(recording, 0..rows.len())?;
        let aim = target.target(recording, rows.clone(), false)?;
        let place = |view: &View| 4 * u64::from(view.first_word());
        let bytes = 4 * (rows.len() * target.stride()) as u64;
        recording.copy((from.buffer(), place(&from)), (aim.view.buffer(), place(&aim.view)), bytes)?;
        target.commit(recording, aim)?;
    }
    Ok(())
}

/// One pass, added to what is there if `add` is set.
fn record(
    recording: &mut Recording,
    pass: &Pass,
    (a, b): (&PairRows, &PairRows),
    v: &DeviceMatrix,
    (out, add): (&DeviceMatrix, bool),
) -> Result<()> {
    let depth = a.sides[pass.side].0.columns() as u64;
    let step = step_operations(pass.step) * depth + PROGRAM_OPERATIONS + 8;
    let a_words = depth.next_multiple_of(4) + 4;
    let limit = recording.gpu.operations_per_dispatch();
    // Whole spans of columns, as many as the work of 128 rows and the room allow.
    let by_work = limit / (TILE as u64 * step * SPAN as u64);
    let by_room = recording.gpu.scratch_bytes() / (4 * (a_words + 4) * SPAN as u64);
    let spans = by_work.min(by_room).clamp(1, 256) as usize;
    let columns_at_once = (spans * SPAN).min(b.rows().max(1));
    let layers = columns_at_once.div_ceil(SPAN) as u64;
    let a_block = RowStore::block_rows(&recording.gpu, a_words + 4 * layers, step * columns_at_once as u64, TILE);
    let out_rows = out.store()?;
    for rows in blocks(a.rows(), a_block) {
        let target = out_rows.target(recording, rows.clone(), add)?;
        for quad in 0..out_rows.stride() / 4 {
            let mut beta = if add { 1.0 } else { 0.0 };
            for columns in blocks(b.rows(), columns_at_once) {
                let into = target.view.skip(4 * quad);
                spans_of(
                    recording,
                    pass,
                    (a, b),
                    (v, quad),
                    (rows.clone(), columns),
                    (&into, out_rows.stride(), beta),
                )?;
                beta = 1.0;
            }
            if b.rows() == 0 && !add {
                let into = target.view.skip(4 * quad);
                let nothing = View::whole(recording.scratch(16 * rows.len() as u64, "no columns")?);
                merge(recording, &nothing, (rows.len(), 0), (&into, out_rows.stride(), 0.0))?;
            }
        }
        out_rows.commit(recording, target)?;
    }
    Ok(())
}

fn spans_of(
    recording: &mut Recording,
    pass: &Pass,
    (a, b): (&PairRows, &PairRows),
    (v, quad): (&DeviceMatrix, usize),
    (rows, columns): (Range<usize>, Range<usize>),
    into: (&View, usize, f32),
) -> Result<()> {
    let (a_rows, a_squares) = &a.sides[pass.side];
    let (b_rows, b_squares) = &b.sides[pass.side];
    let a_view = a_rows.store()?.view(recording, rows.clone())?;
    let b_view = b_rows.store()?.view(recording, columns.clone())?;
    let a_square = a_squares.store()?.view(recording, rows.clone())?;
    let b_square = b_squares.store()?.view(recording, columns.clone())?;
    let v_view = v.store()?.view(recording, columns.clone())?;
    let layers = columns.len().div_ceil(SPAN);
    let partial = View::whole(recording.scratch(16 * (layers * rows.len()) as u64, "sums of spans")?);
    let form = form(pass);
    let tile = if form == 1 { TILE } else { PROGRAM_TILE };
    let row_tiles = rows.len().div_ceil(tile) as u64;
    let mut params = Params {
        program: encoded(&pass.program),
        instructions: pass.program.len() as u32,
        rows: rows.len() as u32,
        columns: columns.len() as u32,
        depth: a_rows.columns() as u32,
        row_tiles: row_tiles as u32,
        span_tiles: (SPAN / tile) as u32,
        a_first: a_view.first_word() / 4,
        a_vec4s: (a_rows.store()?.stride() / 4) as u32,
        b_first: b_view.first_word() / 4,
        b_vec4s: (b_rows.store()?.stride() / 4) as u32,
        a_square_first: a_square.first_word(),
        b_square_first: b_square.first_word(),
        v_first: v_view.first_word() / 2 + 2 * quad as u32,
        v_vec2s: (v.store()?.stride() / 2) as u32,
        half: 0,
        alone: u32::from(v.columns() <= 4 * quad + 2),
    };
    let buffers =
        &[a_view.buffer(), b_view.buffer(), a_square.buffer(), b_square.buffer(), v_view.buffer(), partial.buffer()];
    let (m, n, k) = (rows.len() as u64, columns.len() as u64, a_rows.columns() as u64);
    let operations = (step_operations(pass.step) * k + PROGRAM_OPERATIONS + 8) * m * n;
    let work = Work { operations, bytes: 4 * (m * k + n * k + 4 * n + 4 * m * layers as u64) };
    let grid = Grid::linear(row_tiles)?.layers(layers as u32)?;
    let overrides = [("STEP", step_code(pass.step)), ("FORM", form), ("TILE", tile as u32)];
    recording.dispatch(&KERNEL, Dispatch::new(&params, buffers, grid, work).overrides(&overrides))?;
    if params.alone == 0 {
        (params.half, params.v_first) = (1, params.v_first + 1);
        recording.dispatch(&KERNEL, Dispatch::new(&params, buffers, grid, work).overrides(&overrides))?;
    }
    merge(recording, &partial, (rows.len(), layers), into)
}

/// Adds the sums of the spans in their order.
fn merge(
    recording: &mut Recording,
    partial: &View,
    (rows, layers): (usize, usize),
    (out, stride, beta): (&View, usize, f32),
) -> Result<()> {
    let params = MergeParams {
        vec4s: rows as u32,
        row_vec4s: 1,
        out_first: out.first_word() / 4,
        out_vec4s: (stride / 4) as u32,
        layers: layers as u32,
        layer_vec4s: rows as u32,
        columns: 0,
        column_first: 0,
        finish: 0,
        alpha: 1.0,
        beta,
        pad: 0,
        low: [0.0; 4],
        high: [0.0; 4],
    };
    let work = Work { operations: 4 * (rows * layers) as u64, bytes: 16 * (rows * (layers + 1)) as u64 };
    let grid = Grid::covering(rows as u64, 64)?;
    // The spans stand in for a bias that is not read.
    let buffers = &[partial.buffer(), out.buffer(), partial.buffer()];
    recording.dispatch(&KERNEL_MERGE, Dispatch::new(&params, buffers, grid, work))
}
