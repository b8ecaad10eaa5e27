//! The kernel matrix of two sets of rows.

use std::ops::Range;

use super::{PairRows, Pass, Plan, check, encoded, form, step_code, step_operations};
use crate::array::{DeviceMatrix, RowStore, View, blocks};
use crate::device::{Dispatch, Recording, Stream};
use crate::error::Result;
use crate::kernel::{Grid, Work, kernels, params};
use crate::ops::pairs::{TILE, block_of_columns};

kernels! {
    /// Rows of A, rows of B, the squares of their lengths, the values.
    pub KERNEL = "gram/matrix", [Read, Read, Read, Read, Write], Params;
}

params! {
    struct Params {
        program: [[f32; 4]; 10], instructions: u32, rows: u32, columns: u32, depth: u32, tiles: u32, column_tiles: u32,
        a_first: u32, a_vec4s: u32, b_first: u32, b_vec4s: u32, a_square_first: u32, b_square_first: u32,
        out_first: u32, out_vec4s: u32, slot_vec4s: u32, slot: u32, sum_slot: u32, same: u32, row_first: u32, column_first: u32,
    }
}

/// Operations of a program on one sum, for the work of a dispatch.
pub(super) const PROGRAM_OPERATIONS: u64 = 40;

/// k(aᵢ, bⱼ) for each pair of rows: n×m values, about 2·n·m·d operations for each pass of the plan.
///
/// A value depends on its two rows alone, to the bit, and is the same with the rows in the other order.
pub fn matrix(stream: &mut Stream, plan: &Plan, a: &PairRows, b: &PairRows) -> Result<DeviceMatrix> {
    pairs(stream, plan, (a, b), false)
}

/// k(aᵢ, aⱼ) for each pair of rows: n×n values, symmetric to the bit. Half of them are computed, on a GPU if the matrix
/// fits one buffer.
pub fn symmetric_matrix(stream: &mut Stream, plan: &Plan, a: &PairRows) -> Result<DeviceMatrix> {
    pairs(stream, plan, (a, a), true)
}

fn pairs(stream: &mut Stream, plan: &Plan, (a, b): (&PairRows, &PairRows), same: bool) -> Result<DeviceMatrix> {
    check(stream, "gram matrix", plan, [a, b])?;
    let mut out = DeviceMatrix::output(stream.device(), a.rows(), b.rows())?;
    match stream.gpu() {
        None => crate::cpu::gram::matrix::matrix(plan, &a.host()?, &b.host()?, same, out.values_mut()?),
        Some(_) if a.rows() == 0 || b.rows() == 0 => {}
        Some(recording) => record(recording, plan, (a, b), same, &out)?,
    }
    Ok(out)
}

fn record(
    recording: &mut Recording,
    plan: &Plan,
    (a, b): (&PairRows, &PairRows),
    same: bool,
    out: &DeviceMatrix,
) -> Result<()> {
    let out_rows = out.store()?;
    let passes = || plan.passes.iter().map(|pass| (pass, a.sides[pass.side].0.columns() as u64));
    let words: u64 = passes().map(|(_, depth)| depth.next_multiple_of(4)).max().unwrap_or(0);
    let step: u64 =
        passes().map(|(pass, depth)| step_operations(pass.step) * depth + PROGRAM_OPERATIONS).max().unwrap_or(1);
    let limit = recording.gpu.operations_per_dispatch();
    let by_work = (limit / (TILE as u64 * step)) as usize;
    let b_block = block_of_columns(&recording.gpu, words as usize, b.rows()).min(by_work.next_multiple_of(16).max(16));
    let planes = if plan.passes.len() > 1 { plan.registers as u64 + 2 } else { 1 };
    let a_words = words + out_rows.stride() as u64 * planes;
    let a_block = RowStore::block_rows(&recording.gpu, a_words, step * b_block as u64, TILE);
    let whole = a_block >= a.rows() && b_block >= b.rows() && plan.passes.len() == 1;
    for rows in blocks(a.rows(), a_block) {
        let target = out_rows.target(recording, rows.clone(), false)?;
        // Several passes meet in scratch, a plane for each register and one for sums; the first is the result.
        let plane_words = rows.len() * out_rows.stride();
        let scratch = match plan.passes.len() {
            1 => None,
            _ => Some(View::whole(recording.scratch(4 * ((plan.registers + 1) * plane_words) as u64, "registers")?)),
        };
        let place = Place {
            view: scratch.as_ref().unwrap_or(&target.view),
            stride: out_rows.stride(),
            plane_words,
            sum_plane: if scratch.is_some() { plan.registers } else { 0 },
            same,
            mirror: same && whole,
        };
        for columns in blocks(b.rows(), b_block) {
            for pass in &plan.passes {
                dispatch(recording, pass, (a, b), (rows.clone(), columns.clone()), &place)?;
            }
        }
        if let Some(scratch) = &scratch {
            let to = (target.view.buffer(), 4 * u64::from(target.view.first_word()));
            recording.copy((scratch.buffer(), 0), to, 4 * plane_words as u64)?;
        }
        out_rows.commit(recording, target)?;
    }
    Ok(())
}

/// Where the values of a block of rows go.
struct Place<'a> {
    view: &'a View,
    /// Words from a row to the next, and from a register to the next.
    stride: usize,
    plane_words: usize,
    /// Where sums wait for their program: a plane of their own, where a program may load from the others.
    sum_plane: usize,
    /// Whether A and B are the same rows.
    same: bool,
    /// Whether only half is made, and stored twice.
    mirror: bool,
}

fn dispatch(
    recording: &mut Recording,
    pass: &Pass,
    (a, b): (&PairRows, &PairRows),
    (rows, columns): (Range<usize>, Range<usize>),
    place: &Place<'_>,
) -> Result<()> {
    let (a_rows, a_squares) = &a.sides[pass.side];
    let (b_rows, b_squares) = &b.sides[pass.side];
    let a_view = a_rows.store()?.view(recording, rows.clone())?;
    let b_view = b_rows.store()?.view(recording, columns.clone())?;
    let a_square = a_squares.store()?.view(recording, rows.clone())?;
    let b_square = b_squares.store()?.view(recording, columns.clone())?;
    let (row_tiles, column_tiles) = (rows.len().div_ceil(TILE) as u64, columns.len().div_ceil(TILE) as u64);
    let tiles = if place.mirror { row_tiles * (row_tiles + 1) / 2 } else { row_tiles * column_tiles };
    let params = Params {
        program: encoded(&pass.program),
        instructions: pass.program.len() as u32,
        rows: rows.len() as u32,
        columns: columns.len() as u32,
        depth: a_rows.columns() as u32,
        tiles: tiles as u32,
        column_tiles: column_tiles as u32,
        a_first: a_view.first_word() / 4,
        a_vec4s: (a_rows.store()?.stride() / 4) as u32,
        b_first: b_view.first_word() / 4,
        b_vec4s: (b_rows.store()?.stride() / 4) as u32,
        a_square_first: a_square.first_word(),
        b_square_first: b_square.first_word(),
        out_first: place.view.first_word() / 4 + (columns.start / 4) as u32,
        out_vec4s: (place.stride / 4) as u32,
        slot_vec4s: (place.plane_words / 4) as u32,
        slot: pass.target as u32,
        sum_slot: place.sum_plane as u32,
        same: u32::from(place.same),
        row_first: rows.start as u32,
        column_first: columns.start as u32,
    };
    let buffers = &[a_view.buffer(), b_view.buffer(), a_square.buffer(), b_square.buffer(), place.view.buffer()];
    let (m, n, k) = (rows.len() as u64, columns.len() as u64, a_rows.columns() as u64);
    let operations = (step_operations(pass.step) * k + PROGRAM_OPERATIONS) * tiles * (TILE * TILE) as u64;
    let work = Work { operations, bytes: 4 * (m * k + n * k + m * n) };
    let overrides = [("STEP", step_code(pass.step)), ("FORM", form(pass)), ("MIRROR", u32::from(place.mirror))];
    let grid = Grid::linear(tiles)?;
    recording.dispatch(&KERNEL, Dispatch::new(&params, buffers, grid, work).overrides(&overrides))
}
