//! Sizes of gradients and weights.

use super::holds;
use crate::array::DeviceVec;
use crate::cpu::neural::norms as twin;
pub use crate::cpu::neural::norms::PIECE;
use crate::device::{Dispatch, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    /// Parameters, gradient, pieces, sums.
    pub KERNEL = "neural/norms", [Read, Read, Read, Write], Params;
}

params! {
    struct Params { pieces: u32 }
}

/// For each piece of the flat vectors (`first` and `end` by turns in `pieces`, at most [`PIECE`] numbers each) four numbers:
/// Σ gradient², Σ weight², Σ |weight|, and 0. Nothing waits.
pub fn gradient_norms(
    stream: &mut Stream,
    (parameters, gradient): (&DeviceVec<f32>, &DeviceVec<f32>),
    pieces: &DeviceVec<u32>,
    out: &mut DeviceVec<f32>,
) -> Result<()> {
    let count = pieces.len() / 2;
    holds("gradient_norms", "sums", out, 4 * count)?;
    if gradient.len() != parameters.len() {
        return Err(Error::shape("gradient_norms", format!("{} slopes", parameters.len()), gradient.len()));
    }
    if stream.gpu().is_none() {
        let out: &mut [[f32; 4]] = bytemuck::cast_slice_mut(&mut out.values_mut()?[..4 * count]);
        twin::norms(parameters.values()?, gradient.values()?, bytemuck::cast_slice(pieces.values()?), out);
        return Ok(());
    }
    let views = [parameters.view(stream)?, gradient.view(stream)?, pieces.view(stream)?, out.view(stream)?];
    let Some(recording) = stream.gpu() else { return Ok(()) };
    let buffers = [0, 1, 2, 3].map(|at| views[at].buffer());
    let work = Work { operations: 6 * parameters.len() as u64, bytes: 8 * parameters.len() as u64 };
    let params = Params { pieces: count as u32 };
    recording.dispatch(&KERNEL, Dispatch::new(&params, &buffers, Grid::linear(count as u64)?, work))
}
