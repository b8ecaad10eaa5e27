//! The kernel function of each row with itself.

use super::{PairRows, Plan, check, encoded, step_code};
use crate::array::{DeviceMatrix, DeviceVec, RowStore, View, blocks};
use crate::cpu::gram::diagonal as twin;
use crate::device::{Dispatch, Stream};
use crate::error::Result;
use crate::kernel::{Grid, Work, kernels, params};
use crate::ops::reduce::row_sums::team_sums;

kernels! {
    /// The squares of the rows' lengths, the values.
    pub KERNEL = "gram/diagonal", [Read, Write], Params;
}

params! {
    struct Params {
        program: [[f32; 4]; 10], instructions: u32, rows: u32, depth: u32, square_first: u32, out_first: u32,
        slot_words: u32, slot: u32,
    }
}

/// k(aᵢ, aᵢ) for each row: n values, what stands on the diagonal of the matrix of the rows with themselves.
pub fn diagonal(stream: &mut Stream, plan: &Plan, a: &PairRows) -> Result<DeviceVec<f32>> {
    check(stream, "gram diagonal", plan, [a, a])?;
    if stream.gpu().is_none() {
        let mut values = vec![0.0; a.rows()];
        twin::diagonal(plan, &a.host()?, &mut values);
        return Ok(DeviceVec::from_host(values));
    }
    let out = DeviceVec::<f32>::output(stream, a.rows())?;
    let Some(recording) = stream.gpu() else { return Ok(out) };
    let per_block = RowStore::block_rows(&recording.gpu, 2 + plan.registers as u64, 100, 256);
    for rows in blocks(a.rows(), per_block) {
        let target = out.store()?.target(recording, rows.clone(), false)?;
        let slots = View::whole(recording.scratch(4 * (plan.registers * rows.len()) as u64, "registers")?);
        for pass in &plan.passes {
            let (side, squares) = &a.sides[pass.side];
            let square = squares.store()?.view(recording, rows.clone())?;
            let params = Params {
                program: encoded(&pass.program),
                instructions: pass.program.len() as u32,
                rows: rows.len() as u32,
                depth: side.columns() as u32,
                square_first: square.first_word(),
                out_first: slots.first_word(),
                slot_words: rows.len() as u32,
                slot: pass.target as u32,
            };
            let work = Work { operations: 100 * rows.len() as u64, bytes: 8 * rows.len() as u64 };
            let grid = Grid::covering(rows.len() as u64, 256)?;
            let overrides = [("STEP", step_code(pass.step)), ("FORM", 0)];
            let buffers = &[square.buffer(), slots.buffer()];
            recording.dispatch(&KERNEL, Dispatch::new(&params, buffers, grid, work).overrides(&overrides))?;
        }
        let to = (target.view.buffer(), 4 * u64::from(target.view.first_word()));
        recording.copy((slots.buffer(), 0), to, 4 * rows.len() as u64)?;
        out.store()?.commit(recording, target)?;
    }
    Ok(out)
}

/// |row|² of each row of X (n×d): n values, each within (d/64 + 12)·ε of itself.
pub(super) fn squares(stream: &mut Stream, x: &DeviceMatrix) -> Result<DeviceVec<f32>> {
    x.complete_on(stream, "squares of rows")?;
    if stream.gpu().is_none() {
        let mut sums = vec![0.0; x.rows()];
        twin::squares(x.values()?, x.columns(), &mut sums);
        return Ok(DeviceVec::from_host(sums));
    }
    team_sums(stream, x, true)
}
