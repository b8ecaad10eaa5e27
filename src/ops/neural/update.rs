//! One step of a first-order optimiser over flat parameters.

use crate::array::DeviceVec;
use crate::cpu::neural::update as twin;
pub use crate::cpu::neural::update::{StepNumbers, StepRule};
use crate::device::{Dispatch, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    /// Gradient, ranges of weights, sizes of the gradient, parameters, both memories.
    pub KERNEL = "neural/update", [Read, Read, Read, Write, Write, Write], Params;
}

params! {
    struct Params {
        count: u32, ranges: u32, pieces: u32, rate: f32, kept: f32, added: f32, kept_square: f32, added_square: f32,
        spread: f32, epsilon: f32, shrink: f32, l1: f32, l2: f32, clip: f32,
    }
}

/// L1 and L2 on weights.
#[derive(Debug, Clone, Copy)]
pub struct WeightPenalty<'a> {
    /// Added to a slope with the sign of its weight.
    pub l1: f32,
    /// Added to a slope times its weight.
    pub l2: f32,
    /// Where there are weights, `first` and `end` by turns, ascending; what lies elsewhere has no penalty.
    pub ranges: &'a DeviceVec<u32>,
}

/// A gradient whose length is held below a limit.
#[derive(Debug, Clone, Copy)]
pub struct Clip<'a> {
    /// What [`gradient_norms`](super::gradient_norms) wrote at its beginning, four numbers a piece.
    pub norms: &'a DeviceVec<f32>,
    /// Pieces of the gradient.
    pub pieces: usize,
    /// The longest gradient.
    pub limit: f32,
}

/// What a rule remembers of the steps before: as long as the parameters on a GPU, and for a rule without memory too.
#[derive(Debug)]
pub struct Memory {
    /// The first memory.
    pub first: DeviceVec<f32>,
    /// The second.
    pub second: DeviceVec<f32>,
}

/// Moves the parameters by one step, in one dispatch. Nothing waits.
pub fn update(
    stream: &mut Stream,
    numbers: &StepNumbers<f32>,
    (penalty, clip): (WeightPenalty<'_>, Option<Clip<'_>>),
    (parameters, gradient): (&mut DeviceVec<f32>, &DeviceVec<f32>),
    memory: &mut Memory,
) -> Result<()> {
    let count = parameters.len();
    if [gradient.len(), memory.first.len(), memory.second.len()] != [count; 3] {
        let got = format!("{}, {} and {}", gradient.len(), memory.first.len(), memory.second.len());
        return Err(Error::shape("update", format!("{count} slopes and memories"), got));
    }
    if stream.gpu().is_none() {
        let clip = clip.map_or(Ok(1.0), |clip| {
            Ok::<f32, Error>(clip_factor(&clip.norms.values()?[..4 * clip.pieces], clip.limit))
        })?;
        let ranges = bytemuck::cast_slice(penalty.ranges.values()?);
        let penalty = twin::Penalty { l1: penalty.l1, l2: penalty.l2, clip, ranges };
        let memories = (memory.first.values_mut()?, memory.second.values_mut()?);
        twin::update(numbers, penalty, (parameters.values_mut()?, gradient.values()?), memories);
        return Ok(());
    }
    let norms = match &clip {
        Some(clip) => clip.norms.view(stream)?,
        None => gradient.view(stream)?,
    };
    let views = [
        gradient.view(stream)?,
        penalty.ranges.view(stream)?,
        norms,
        parameters.view(stream)?,
        memory.first.view(stream)?,
        memory.second.view(stream)?,
    ];
    let Some(recording) = stream.gpu() else { return Ok(()) };
    let params = Params {
        count: count as u32,
        ranges: if penalty.l1 == 0.0 && penalty.l2 == 0.0 { 0 } else { (penalty.ranges.len() / 2) as u32 },
        pieces: clip.map_or(0, |clip| clip.pieces as u32),
        rate: numbers.rate,
        kept: numbers.kept,
        added: numbers.added,
        kept_square: numbers.kept_square,
        added_square: numbers.added_square,
        spread: numbers.spread,
        epsilon: numbers.epsilon,
        shrink: numbers.shrink,
        l1: penalty.l1,
        l2: penalty.l2,
        clip: clip.map_or(0.0, |clip| clip.limit),
    };
    let buffers = [0, 1, 2, 3, 4, 5].map(|at| views[at].buffer());
    let overrides = [("RULE", numbers.rule as u32), ("CLIP", u32::from(clip.is_some()))];
    let work = Work { operations: 16 * count as u64, bytes: 28 * count as u64 };
    let dispatch = Dispatch::new(&params, &buffers, Grid::covering(count as u64, 256)?, work).overrides(&overrides);
    recording.dispatch(&KERNEL, dispatch)
}

/// What a gradient of these sizes is multiplied by.
fn clip_factor(norms: &[f32], limit: f32) -> f32 {
    let norm = norms.chunks_exact(4).map(|piece| piece[0]).sum::<f32>().sqrt();
    if norm > limit { limit / norm } else { 1.0 }
}
