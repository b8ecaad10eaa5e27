//! Recurrent layers: a thread takes a block of rows through all steps, so that nothing waits between two steps and the state
//! stays in its cache.

use rayon::prelude::*;

use super::cell::{self, Cell};
use super::dense::DenseShape;
use super::product::update_rows;
use super::tail::Tail;
use crate::cpu::tile::{Operand, pack_panels, panel_width, with_buffer};
use crate::cpu::vectorised;

/// Rows that a task takes at most, and what their number is a multiple of.
const ROW_BLOCK: usize = 144;
const TILE_ROWS: usize = 12;

/// A recurrent layer inside a flat vector: inputs×sums and a row of biases, then units×sums and another row of biases. A cell of
/// g gates has g·units sums, gate by gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecurrentShape {
    /// Where it begins, a multiple of 4.
    pub first: usize,
    /// Numbers of a step that go in, a multiple of 4.
    pub inputs: usize,
    /// Numbers of a step that come out, a multiple of 4.
    pub units: usize,
    /// Steps of a row.
    pub steps: usize,
    /// What a step does.
    pub cell: Cell,
}

impl RecurrentShape {
    /// Sums of a step.
    pub fn sums(&self) -> usize {
        self.cell.gates() * self.units
    }

    /// The product of the inputs.
    pub fn of_input(&self) -> DenseShape {
        DenseShape { first: self.first, inputs: self.inputs, outputs: self.sums() }
    }

    /// The product of the state.
    pub fn of_state(&self) -> DenseShape {
        DenseShape { first: self.first + self.of_input().parameters(), inputs: self.units, outputs: self.sums() }
    }

    /// Numbers of its parameters.
    pub fn parameters(&self) -> usize {
        self.of_input().parameters() + self.of_state().parameters()
    }

    /// From a row of the state's sums to the next, and from a step to the next: a gated recurrent unit needs them for its way back, the
    /// others forget them after the step.
    pub fn recurrent_strides(&self) -> (usize, usize) {
        match self.cell {
            Cell::Gru => (self.steps * self.sums(), self.sums()),
            _ => (self.sums(), 0),
        }
    }

    /// From a row of memory cells to the next: one before the first step, then one behind each.
    pub fn memory_stride(&self) -> usize {
        if self.cell == Cell::Lstm { (self.steps + 1) * self.units } else { 4 }
    }
}

/// What the passes of a recurrent layer write, row by row.
#[derive(Debug)]
pub struct Passes<'a> {
    /// steps×sums: the sums of the inputs, then the gates, then the slopes by the sums of the inputs.
    pub gates: &'a mut [f32],
    /// The sums of the state, then the slopes by them; see [`RecurrentShape::recurrent_strides`].
    pub recurrent: &'a mut [f32],
    /// steps×units: the state before each step.
    pub previous: &'a mut [f32],
    /// (steps + 1)×units: the memory cells.
    pub memory: &'a mut [f32],
    /// 2·units: the state and the memory cells that the first step begins with.
    pub state: &'a mut [f32],
    /// 2·units: slopes by the state through the sums of the next step, and those that go past them.
    pub back: &'a mut [f32],
}

impl<'a> Passes<'a> {
    /// The first rows of what is left.
    fn take(&mut self, shape: &RecurrentShape, rows: usize) -> Passes<'a> {
        let (steps, units) = (shape.steps, shape.units);
        Passes {
            gates: taken(&mut self.gates, rows * steps * shape.sums()),
            recurrent: taken(&mut self.recurrent, rows * shape.recurrent_strides().0),
            previous: taken(&mut self.previous, rows * steps * units),
            memory: taken(&mut self.memory, rows * shape.memory_stride()),
            state: taken(&mut self.state, rows * 2 * units),
            back: taken(&mut self.back, rows * 2 * units),
        }
    }
}

fn taken<'a>(from: &mut &'a mut [f32], count: usize) -> &'a mut [f32] {
    let (own, rest) = std::mem::take(from).split_at_mut(count);
    *from = rest;
    own
}

/// Rows of a task.
fn task_rows(rows: usize) -> usize {
    let threads = rayon::current_num_threads();
    let tasks = rows.div_ceil(ROW_BLOCK).next_multiple_of(threads);
    rows.div_ceil(tasks).next_multiple_of(TILE_ROWS)
}

/// Rows of B packed once for all tasks and steps.
fn with_panels(b: Operand<'_>, run: impl FnOnce(&[f32])) {
    with_buffer(b.rows.next_multiple_of(panel_width()) * b.depth, |panels| {
        pack_panels(b, panels);
        run(panels);
    });
}

/// All steps of the rows: `passes.gates` has the sums of the inputs; `out` gets the states, steps×units, `tail` applied. If `carried`,
/// the last state is kept in `passes.state` for the rows that follow.
pub fn forward(
    parameters: &[f32],
    shape: RecurrentShape,
    rows: usize,
    mut passes: Passes<'_>,
    mut out: &mut [f32],
    (tail, carried): (Tail, bool),
) {
    let (of_state, per_task, length) = (shape.of_state(), task_rows(rows.max(1)), shape.steps * shape.units);
    let (weights, bias) = of_state.weights(parameters);
    let (columns, depth) = (shape.sums(), shape.units);
    let mut tasks = vec![];
    for first in (0..rows).step_by(per_task) {
        let count = per_task.min(rows - first);
        tasks.push((first, count, passes.take(&shape, count), taken(&mut out, count * length)));
    }
    with_panels(Operand { data: weights, rows: columns, depth, row_stride: 1, depth_stride: columns }, |panels| {
        tasks.into_par_iter().for_each(|(first, count, mut passes, out)| {
            for step in 0..shape.steps {
                sums_of_state(&shape, panels, step, count, &mut passes);
                vectorised!(cell::forward(&shape, bias, step, &mut passes, out));
                if tail.dropout.is_some() {
                    for (row, out) in out.chunks_exact_mut(length).enumerate() {
                        let place = (first + row) * shape.steps + step;
                        let own = &mut out[step * shape.units..][..shape.units];
                        tail.forward(own, shape.units, shape.units, place, None);
                    }
                }
            }
            if carried {
                for (row, state) in passes.state.chunks_exact_mut(2 * shape.units).enumerate() {
                    let (h, c) = state.split_at_mut(shape.units);
                    h.copy_from_slice(&passes.back[row * 2 * shape.units..][..shape.units]);
                    if shape.cell == Cell::Lstm {
                        c.copy_from_slice(&passes.memory[row * shape.memory_stride() + length..][..shape.units]);
                    }
                }
            }
        });
    });
}

/// State·U of a step.
fn sums_of_state(shape: &RecurrentShape, panels: &[f32], step: usize, rows: usize, passes: &mut Passes<'_>) {
    let (columns, units) = (shape.sums(), shape.units);
    let (row_stride, step_stride) = shape.recurrent_strides();
    let (data, stride) = match step {
        0 => (&*passes.state, 2 * units),
        _ => (&passes.previous[step * units..], shape.steps * units),
    };
    let a = Operand { data, rows, depth: units, row_stride: stride, depth_stride: 1 };
    update_rows(a, panels, columns, 0.0, (&mut passes.recurrent[step * step_stride..], row_stride));
}

/// The way back from `slope`, the slopes by the states (steps×units): `passes.gates` gets the slopes by the sums of the inputs,
/// and `passes.recurrent` of a gated recurrent unit those by the sums of the state, which the other cells have in common.
pub fn backward(parameters: &[f32], shape: RecurrentShape, rows: usize, mut passes: Passes<'_>, slope: &[f32]) {
    let (of_state, per_task, length) = (shape.of_state(), task_rows(rows.max(1)), shape.steps * shape.units);
    let (weights, _) = of_state.weights(parameters);
    let (units, depth) = (shape.units, shape.sums());
    let mut tasks = vec![];
    for first in (0..rows).step_by(per_task) {
        let count = per_task.min(rows - first);
        tasks.push((count, passes.take(&shape, count), &slope[first * length..][..count * length]));
    }
    with_panels(Operand { data: weights, rows: units, depth, row_stride: depth, depth_stride: 1 }, |panels| {
        tasks.into_par_iter().for_each(|(count, mut passes, slope)| {
            passes.back.fill(0.0);
            for step in (0..shape.steps).rev() {
                if step + 1 < shape.steps {
                    let (data, stride) = match shape.cell {
                        Cell::Gru => (&*passes.recurrent, shape.recurrent_strides().0),
                        _ => (&*passes.gates, shape.steps * depth),
                    };
                    let data = &data[(step + 1) * depth..];
                    let a = Operand { data, rows: count, depth, row_stride: stride, depth_stride: 1 };
                    update_rows(a, panels, units, 0.0, (&mut *passes.back, 2 * units));
                }
                vectorised!(cell::backward(&shape, step, &mut passes, slope));
            }
        });
    });
}
