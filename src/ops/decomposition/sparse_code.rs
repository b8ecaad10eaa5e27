//! Orthogonal matching pursuit on products alone.

use crate::array::{DeviceMatrix, DeviceVec, RowStore, View, blocks};
use crate::cpu::decomposition::sparse_code::OWN_SHARE;
pub use crate::cpu::decomposition::sparse_code::Pursuit;
use crate::device::{Dispatch, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    /// The products of atoms, those of the rows with them, the squares of the rows, the codes.
    pub KERNEL = "decomposition/sparse_code", [Read, Read, Read, Write], Params;
}

params! {
    struct Params {
        rows: u32, nonzeros: u32, gram_first: u32, product_first: u32, square_first: u32, code_first: u32, vec4s: u32,
        tolerance: f32, own_share: f32,
    }
}

/// Atoms, and atoms of a row, that a workgroup of the shader has room for.
const MOST_ATOMS: usize = 1024;
const MOST_NONZEROS: usize = 32;

/// The sparse codes of rows (n×k) by orthogonal matching pursuit: from the products of the rows with the k atoms (n×k) and
/// those of the atoms with each other (k×k), without a wait. `squares`, the squared lengths of the rows, are needed where the
/// pursuit has a tolerance.
///
/// A pursuit ends early where the next atom is a combination of those taken, or where nothing above the rounding of the
/// products is left. On a GPU at most 1024 atoms, and 32 of them for a row; there the coefficients are solved for in f32,
/// within about 100·κ·ε of them for chosen atoms of condition κ.
///
/// ```
/// use gristmill::ops::decomposition::sparse_code::{Pursuit, sparse_code};
/// use gristmill::{Device, Matrix};
/// let gram = Matrix::from_rows(&[[1.0, 0.5], [0.5, 1.0]])?.to(&Device::Cpu)?;
/// let products = Matrix::from_rows(&[[2.0, 1.0], [2.0, 4.0]])?.to(&Device::Cpu)?;
/// let mut stream = Device::Cpu.stream();
/// let pursuit = Pursuit { nonzeros: 1, tolerance: 0.0 };
/// let codes = sparse_code(&mut stream, &products, &gram, None, pursuit)?;
/// assert_eq!(codes.to_matrix(&mut stream)?.as_slice(), [2.0, 0.0, 0.0, 4.0]);
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn sparse_code(
    stream: &mut Stream,
    products: &DeviceMatrix,
    gram: &DeviceMatrix,
    squares: Option<&DeviceVec<f32>>,
    pursuit: Pursuit,
) -> Result<DeviceMatrix> {
    const OP: &str = "sparse_code";
    products.complete_on(stream, OP)?;
    gram.complete_on(stream, OP)?;
    let (n, k) = (products.rows(), products.columns());
    if (gram.rows(), gram.columns()) != (k, k) {
        let got = format!("{}×{}", gram.rows(), gram.columns());
        return Err(Error::shape(OP, format!("{k}×{k} products of the atoms"), got));
    }
    if !(pursuit.tolerance >= 0.0 && pursuit.tolerance.is_finite()) {
        return Err(Error::param("tolerance", "a finite number that is not below 0", pursuit.tolerance));
    }
    match squares {
        Some(squares) => squares.complete_on(stream, OP)?,
        None if pursuit.tolerance > 0.0 => return Err(Error::shape(OP, "the squares of the rows", "none")),
        None => {}
    }
    if squares.is_some_and(|squares| squares.len() != n) {
        return Err(Error::shape(OP, format!("{n} squares"), squares.map_or(0, DeviceVec::len)));
    }
    let mut codes = DeviceMatrix::output(stream.device(), n, k)?;
    if stream.gpu().is_none() {
        let squares = squares.map(DeviceVec::values).transpose()?;
        let out = codes.values_mut()?;
        crate::cpu::decomposition::sparse_code::sparse_code(
            products.values()?,
            gram.values()?,
            k,
            squares,
            pursuit,
            out,
        );
        return Ok(codes);
    }
    if n == 0 || k == 0 {
        return Ok(codes);
    }
    let nonzeros = pursuit.nonzeros.min(k);
    for (what, need, have) in [("atoms", k, MOST_ATOMS), ("atoms of a row", nonzeros, MOST_NONZEROS)] {
        if need > have {
            return Err(Error::Limit { what: format!("{what} on a GPU"), need: need as u64, have: have as u64 });
        }
    }
    let Some(recording) = stream.gpu() else { return Ok(codes) };
    let (square, from, to) = (gram.store()?, products.store()?, codes.store()?);
    let gram_view = square.view(recording, 0..k)?;
    let operations = (k * (nonzeros * nonzeros + 4 * nonzeros + 2)) as u64;
    for rows in blocks(n, RowStore::block_rows(&recording.gpu, 2 * to.stride() as u64, operations, 16)) {
        let view = from.view(recording, rows.clone())?;
        let lengths = match squares {
            Some(squares) => squares.store()?.view(recording, rows.clone())?,
            // Something has to be bound; without a tolerance it is not read.
            None => View::whole(recording.scratch(16, "nothing")?),
        };
        let target = to.target(recording, rows.clone(), false)?;
        let params = Params {
            rows: rows.len() as u32,
            nonzeros: nonzeros as u32,
            gram_first: gram_view.first_word() / 4,
            product_first: view.first_word() / 4,
            square_first: lengths.first_word(),
            code_first: target.view.first_word() / 4,
            vec4s: (to.stride() / 4) as u32,
            tolerance: pursuit.tolerance,
            own_share: OWN_SHARE,
        };
        let count = rows.len() as u64;
        let work = Work { operations: count * operations, bytes: 8 * count * k as u64 };
        let buffers = &[gram_view.buffer(), view.buffer(), lengths.buffer(), target.view.buffer()];
        recording.dispatch(&KERNEL, Dispatch::new(&params, buffers, Grid::linear(count)?, work))?;
        to.commit(recording, target)?;
    }
    Ok(codes)
}
