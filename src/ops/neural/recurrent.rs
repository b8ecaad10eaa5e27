//! The steps of a recurrent layer.

use super::dense::{Rows, forward_on_gpu, input_slope_on_gpu};
use super::{DropNumbers, holds};
use crate::array::DeviceVec;
pub use crate::cpu::neural::cell::Cell;
use crate::cpu::neural::recurrent as twin;
pub use crate::cpu::neural::recurrent::RecurrentShape;
use crate::cpu::neural::tail::Tail;
use crate::device::{Dispatch, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Grid, Work, kernels, params};

kernels! {
    /// The state's sums, gates, states before the steps, memory cells, first states, outputs.
    pub KERNEL = "neural/recurrent", [Read, Write, Write, Write, Write, Write], Params;
    /// States before the steps, memory cells, slopes by the states, gates, the state's sums, slopes of the step before.
    pub KERNEL_BACK = "neural/recurrent__back", [Read, Read, Read, Write, Write, Write], BackParams;
}

params! {
    struct Params {
        rows: u32, steps: u32, step: u32, unit_vec4s: u32, recurrent_vec4s: u32, recurrent_first: u32, memory_vec4s: u32,
        carried: u32, drop_scale: f32, drop_kept: f32, drop_threshold: u32, drop_step: u32, key_low: u32, key_high: u32,
    }
    struct BackParams {
        rows: u32, steps: u32, step: u32, unit_vec4s: u32, recurrent_vec4s: u32, recurrent_first: u32, memory_vec4s: u32,
        unused: u32,
    }
}

/// The largest layer: the sums of its products stay within one span of the depth.
pub const MOST_UNITS: usize = 1024;

impl RecurrentShape {
    /// Numbers a row of the vectors that both passes share: sums of the inputs, of the state, states before the steps, memory
    /// cells, slopes of the step before, the state to begin with, and zeros.
    pub fn kept(&self) -> [usize; 7] {
        let (steps, units) = (self.steps, self.units);
        let recurrent = self.recurrent_strides().0;
        [steps * self.sums(), recurrent, steps * units, self.memory_stride(), 2 * units, 2 * units, 2 * units]
    }
}

/// All steps of the rows. The first of the `kept` vectors, which [`RecurrentShape::kept`] lists, has the sums of the inputs, x·W + bias;
/// `out` gets the states, rows of steps×units, `tail` applied. If `carried`, the first step begins with the last state of the
/// call before. Two dispatches a step; nothing waits.
pub fn recurrent_forward(
    stream: &mut Stream,
    (parameters, shape): (&DeviceVec<f32>, RecurrentShape),
    rows: usize,
    kept: &mut [DeviceVec<f32>],
    out: &mut DeviceVec<f32>,
    (tail, carried): (Tail, bool),
) -> Result<()> {
    const OP: &str = "recurrent_forward";
    let [gates, recurrent, previous, memory, back, state, _] = checked(OP, parameters, shape, rows, kept)?;
    holds(OP, "outputs", out, rows * shape.steps * shape.units)?;
    if rows == 0 {
        return Ok(());
    }
    if stream.gpu().is_none() {
        let passes = twin::Passes {
            gates: gates.values_mut()?,
            recurrent: recurrent.values_mut()?,
            previous: previous.values_mut()?,
            memory: memory.values_mut()?,
            state: state.values_mut()?,
            back: back.values_mut()?,
        };
        twin::forward(parameters.values()?, shape, rows, passes, out.values_mut()?, (tail, carried));
        return Ok(());
    }
    let (units, (row_stride, step_stride)) = (shape.units, shape.recurrent_strides());
    let drop = DropNumbers::new(tail);
    let overrides = [("CELL", shape.cell as u32), ("DROPOUT", drop.on)];
    let views = [
        recurrent.view(stream)?,
        gates.view(stream)?,
        previous.view(stream)?,
        memory.view(stream)?,
        state.view(stream)?,
        out.view(stream)?,
    ];
    for step in 0..shape.steps {
        let from = match step {
            0 => Rows { vector: &*state, first: 0, stride: 2 * units },
            _ => Rows { vector: &*previous, first: step * units, stride: shape.steps * units },
        };
        let to = Rows { vector: &*recurrent, first: step * step_stride, stride: row_stride };
        forward_on_gpu(stream, from, (parameters, shape.of_state()), rows, to, Tail::default())?;
        let Some(recording) = stream.gpu() else { return Ok(()) };
        let params = Params {
            rows: rows as u32,
            steps: shape.steps as u32,
            step: step as u32,
            unit_vec4s: (units / 4) as u32,
            recurrent_vec4s: (row_stride / 4) as u32,
            recurrent_first: (step * step_stride / 4) as u32,
            memory_vec4s: (shape.memory_stride() / 4) as u32,
            carried: u32::from(carried),
            drop_scale: drop.scale,
            drop_kept: drop.kept,
            drop_threshold: drop.threshold,
            drop_step: drop.step,
            key_low: drop.key[0],
            key_high: drop.key[1],
        };
        let (grid, work) = cost(shape, rows)?;
        let buffers = [0, 1, 2, 3, 4, 5].map(|at| views[at].buffer());
        recording.dispatch(&KERNEL, Dispatch::new(&params, &buffers, grid, work).overrides(&overrides))?;
    }
    Ok(())
}

/// The way back from `slope`, the slopes by the states (rows of steps×units): the first of the `kept` vectors gets the slopes by the
/// sums of the inputs, steps×sums, and for a gated recurrent unit the second those by the sums of the state; the other cells have
/// them in common. Two dispatches a step; nothing waits.
pub fn recurrent_backward(
    stream: &mut Stream,
    (parameters, shape): (&DeviceVec<f32>, RecurrentShape),
    rows: usize,
    slope: &DeviceVec<f32>,
    kept: &mut [DeviceVec<f32>],
) -> Result<()> {
    const OP: &str = "recurrent_backward";
    let [gates, recurrent, previous, memory, back, state, _] = checked(OP, parameters, shape, rows, kept)?;
    holds(OP, "slopes", slope, rows * shape.steps * shape.units)?;
    if rows == 0 {
        return Ok(());
    }
    if stream.gpu().is_none() {
        let passes = twin::Passes {
            gates: gates.values_mut()?,
            recurrent: recurrent.values_mut()?,
            previous: previous.values_mut()?,
            memory: memory.values_mut()?,
            state: state.values_mut()?,
            back: back.values_mut()?,
        };
        twin::backward(parameters.values()?, shape, rows, passes, slope.values()?);
        return Ok(());
    }
    let (units, (row_stride, step_stride)) = (shape.units, shape.recurrent_strides());
    let views = [
        previous.view(stream)?,
        memory.view(stream)?,
        slope.view(stream)?,
        gates.view(stream)?,
        recurrent.view(stream)?,
        back.view(stream)?,
    ];
    for step in (0..shape.steps).rev() {
        if step + 1 < shape.steps {
            let first = (step + 1) * shape.sums();
            let from = match shape.cell {
                Cell::Gru => Rows { vector: &*recurrent, first, stride: row_stride },
                _ => Rows { vector: &*gates, first, stride: shape.steps * shape.sums() },
            };
            let to = Rows { vector: &*back, first: 0, stride: 2 * units };
            let unread = (Tail::default(), &*previous);
            input_slope_on_gpu(stream, from, (parameters, shape.of_state()), rows, to, unread)?;
        }
        let Some(recording) = stream.gpu() else { return Ok(()) };
        let params = BackParams {
            rows: rows as u32,
            steps: shape.steps as u32,
            step: step as u32,
            unit_vec4s: (units / 4) as u32,
            recurrent_vec4s: (row_stride / 4) as u32,
            recurrent_first: (step * step_stride / 4) as u32,
            memory_vec4s: (shape.memory_stride() / 4) as u32,
            unused: 0,
        };
        let (grid, work) = cost(shape, rows)?;
        let buffers = [0, 1, 2, 3, 4, 5].map(|at| views[at].buffer());
        let overrides = [("CELL", shape.cell as u32)];
        recording.dispatch(&KERNEL_BACK, Dispatch::new(&params, &buffers, grid, work).overrides(&overrides))?;
    }
    Ok(())
}

/// Puts the state that the next rows begin with back to 0. Nothing goes up.
pub fn forget_state(stream: &mut Stream, kept: &mut [DeviceVec<f32>]) -> Result<()> {
    match kept {
        [.., state, zeros] => state.copy_from(stream, zeros),
        _ => Ok(()),
    }
}

/// Lanes and work of one step.
fn cost(shape: RecurrentShape, rows: usize) -> Result<(Grid, Work)> {
    let vec4s = (rows * shape.units / 4) as u64;
    let gates = shape.cell.gates() as u64;
    Ok((Grid::covering(vec4s, 64)?, Work { operations: 100 * gates * vec4s, bytes: 48 * (gates + 1) * vec4s }))
}

fn checked<'a>(
    op: &'static str,
    parameters: &DeviceVec<f32>,
    shape: RecurrentShape,
    rows: usize,
    kept: &'a mut [DeviceVec<f32>],
) -> Result<&'a mut [DeviceVec<f32>; 7]> {
    let RecurrentShape { first, inputs, units, steps, .. } = shape;
    let fours = [first, inputs, units].iter().all(|number| number.is_multiple_of(4));
    if !fours || inputs == 0 || steps == 0 || units == 0 || units > MOST_UNITS {
        let expected = format!("steps, inputs and up to {MOST_UNITS} units that are multiples of 4");
        return Err(Error::shape(op, expected, format!("{shape:?}")));
    }
    holds(op, "parameters", parameters, first + shape.parameters())?;
    let count = kept.len();
    let kept: &mut [DeviceVec<f32>; 7] =
        kept.try_into().map_err(|_| Error::shape(op, "the seven vectors that `kept` lists", count))?;
    for (vector, length) in kept.iter().zip(shape.kept()) {
        holds(op, "vectors of the layer", vector, rows * length)?;
    }
    Ok(kept)
}
