//! Rows into columns.

use std::ops::Range;

use crate::array::{DeviceMatrix, RowStore, View, blocks, padded};
use crate::device::{Dispatch, Recording, Stream};
use crate::error::Result;
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    pub KERNEL = "linalg/transpose", [Read, Write], Params;
}

params! {
    struct Params {
        rows: u32, columns: u32, tiles: u32, column_tiles: u32, x_first: u32, x_vec4s: u32, out_first: u32,
        out_vec4s: u32, padded_rows: u32,
    }
}

/// Xᵀ as a new matrix, d×n. It moves 8·n·d bytes.
///
/// ```
/// use gristmill::{Device, Matrix, ops};
/// let mut stream = Device::Cpu.stream();
/// let x = Matrix::from_rows(&[[1.0, 2.0, 3.0]])?.to(&Device::Cpu)?;
/// assert_eq!(ops::transpose(&mut stream, &x)?.to_matrix(&mut stream)?.rows(), 3);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn transpose(stream: &mut Stream, x: &DeviceMatrix) -> Result<DeviceMatrix> {
    x.on(stream, "transpose")?;
    let mut out = DeviceMatrix::output(stream.device(), x.columns(), x.rows())?;
    out.missing_as_in_transposed(x);
    let Some(recording) = stream.gpu() else {
        crate::cpu::linalg::transpose::transpose(x.values()?, x.rows(), x.columns(), out.values_mut()?);
        return Ok(out);
    };
    let (from, to) = (x.store()?, out.store()?);
    let out_block = RowStore::block_rows(&recording.gpu, to.stride() as u64, 1, 32).next_multiple_of(4);
    let x_block = RowStore::block_rows(&recording.gpu, from.stride() as u64, 1, 32).next_multiple_of(4);
    for columns in blocks(x.columns(), out_block) {
        let target = to.target(recording, columns.clone(), false)?;
        for rows in blocks(x.rows(), x_block) {
            let view = from.view(recording, rows.clone())?;
            // The last block also writes the zeros behind the rows.
            let end = if rows.end == x.rows() { to.stride() } else { rows.end };
            let input = Input { view: &view, stride: from.stride(), rows: rows.len(), columns: columns.clone() };
            turn(recording, input, (&target.view, to.stride(), rows.start), end - rows.start)?;
        }
        to.commit(recording, target)?;
    }
    Ok(out)
}

/// The columns `columns` of the rows `rows` as rows of a scratch buffer, padded with zeros to a multiple of four.
pub(crate) fn transpose_block(
    recording: &mut Recording,
    x: &RowStore,
    rows: Range<usize>,
    columns: Range<usize>,
) -> Result<View> {
    let stride = padded(rows.len());
    let out = View::whole(recording.scratch(4 * (columns.len() * stride) as u64, "a turned block")?);
    let x_block = RowStore::block_rows(&recording.gpu, x.stride() as u64, 1, 32).next_multiple_of(4);
    for part in blocks(rows.len(), x_block) {
        let view = x.view(recording, rows.start + part.start..rows.start + part.end)?;
        let end = if part.end == rows.len() { stride } else { part.end };
        let input = Input { view: &view, stride: x.stride(), rows: part.len(), columns: columns.clone() };
        turn(recording, input, (&out, stride, part.start), end - part.start)?;
    }
    Ok(out)
}

/// Rows in one buffer, of which some columns are turned.
struct Input<'a> {
    view: &'a View,
    stride: usize,
    rows: usize,
    columns: Range<usize>,
}

/// One dispatch: the input's rows become columns of `out` (view, stride), from column `first` on.
fn turn(
    recording: &mut Recording,
    x: Input,
    (out, out_stride, first): (&View, usize, usize),
    padded_rows: usize,
) -> Result<()> {
    let columns = x.columns.len();
    let column_tiles = columns.div_ceil(32) as u64;
    let tiles = padded_rows.div_ceil(32) as u64 * column_tiles;
    let params = Params {
        rows: x.rows as u32,
        columns: columns as u32,
        tiles: tiles as u32,
        column_tiles: column_tiles as u32,
        x_first: (x.view.first_word() + x.columns.start as u32) / 4,
        x_vec4s: (x.stride / 4) as u32,
        out_first: (out.first_word() + first as u32) / 4,
        out_vec4s: (out_stride / 4) as u32,
        padded_rows: padded_rows as u32,
    };
    let grid = Grid::linear(tiles)?;
    let work = Work { operations: 0, bytes: 8 * (x.rows * columns) as u64 };
    recording.dispatch(&KERNEL, Dispatch::new(&params, &[x.view.buffer(), out.buffer()], grid, work))
}
