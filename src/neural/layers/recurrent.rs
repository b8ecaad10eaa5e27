//! Recurrent layers: plain, gated recurrent units, long short-term memory.

use super::check_dropout;
use crate::array::DeviceVec;
use crate::device::Stream;
use crate::error::{Error, Result};
use crate::neural::layer::{Backward, Block, Forward, Layer};
use crate::neural::shape::Shape;
use crate::neural::start::Start;
use crate::ops::neural::recurrent::MOST_UNITS;
use crate::ops::neural::{
    Cell, RecurrentShape, Tail, dense_forward, dense_input_slope, dense_weight_slope, forget_state, recurrent_backward,
    recurrent_forward,
};

/// A state that goes from step to step of a sequence and is what comes out at each. Slopes go back through the steps of a row and
/// no further; with [`Recurrent::carried`] a row goes on from the state in which the same row of the batch before ended: truncated
/// back-propagation through a long sequence that is cut into rows.
///
/// All inputs of a batch go through one product; then each step has a product of its own, of the state.
///
/// ```
/// use gristmill::neural::{Cell, Layer, Recurrent, Shape};
/// let layer = Recurrent::new(Cell::Lstm, 128);
/// let sequence = Shape::Sequence { steps: 64, features: 32 };
/// assert_eq!(layer.output(sequence)?, Shape::Sequence { steps: 64, features: 128 });
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recurrent {
    /// What a step does.
    pub cell: Cell,
    /// Numbers of the state, a multiple of 4, up to 1024.
    pub units: usize,
    /// The share of outputs left out while the network learns; the state itself keeps them.
    pub dropout: f64,
    /// Whether a row begins with the state in which the same row of the batch before ended, not with 0.
    pub carried: bool,
}

impl Recurrent {
    /// So many units, without dropout; every row begins with the state 0.
    pub fn new(cell: Cell, units: usize) -> Recurrent {
        Recurrent { cell, units, dropout: 0.0, carried: false }
    }

    /// The same with so much dropout.
    pub fn dropout(mut self, dropout: f64) -> Recurrent {
        self.dropout = dropout;
        self
    }

    /// The same with states that go on from batch to batch: batches must have as many rows, each the continuation of the same row
    /// of the batch before. They begin with 0 in each epoch.
    pub fn carried(mut self) -> Recurrent {
        self.carried = true;
        self
    }

    fn shape(&self, first: usize, input: Shape) -> RecurrentShape {
        let (steps, inputs) = if let Shape::Sequence { steps, features } = input { (steps, features) } else { (1, 4) };
        RecurrentShape { first, inputs, units: self.units, steps, cell: self.cell }
    }
}

impl Layer for Recurrent {
    fn name(&self) -> &'static str {
        match self.cell {
            Cell::Plain => "recurrent",
            Cell::Gru => "gru",
            Cell::Lstm => "lstm",
        }
    }

    fn output(&self, input: Shape) -> Result<Shape> {
        check_dropout(self.dropout)?;
        if self.units == 0 || self.units > MOST_UNITS || !self.units.is_multiple_of(4) {
            return Err(Error::param("units", "a multiple of 4, from 4 to 1024", self.units));
        }
        match input {
            Shape::Sequence { steps, features } if steps > 0 && features > 0 && features.is_multiple_of(4) => {
                Ok(Shape::Sequence { steps, features: self.units })
            }
            other => Err(Error::shape(self.name(), "a sequence whose steps have a multiple of 4 numbers", other)),
        }
    }

    fn blocks(&self, input: Shape) -> Vec<Block> {
        let shape = self.shape(0, input);
        let (columns, fan) = (shape.sums(), [shape.inputs, self.units]);
        let within = Start::Uniform(1.0 / (self.units as f64).sqrt());
        let forget = if self.cell == Cell::Lstm { Start::ForgetGate } else { Start::Zero };
        let bias = |name, start| Block { name, rows: 1, columns, penalised: false, start, fan };
        let weights = |name, rows, start| Block { name, rows, columns, penalised: true, start, fan };
        vec![
            weights("weights", shape.inputs, Start::Glorot),
            bias("bias", forget),
            weights("recurrent_weights", self.units, within),
            bias("recurrent_bias", Start::Zero),
        ]
    }

    fn dropout(&self) -> f64 {
        self.dropout
    }

    fn kept(&self, input: Shape) -> Vec<usize> {
        self.shape(0, input).kept().to_vec()
    }

    fn forward(&self, pass: Forward<'_>) -> Result<()> {
        let shape = self.shape(pass.first, pass.shape);
        let (of_input, all) = ((pass.parameters, shape.of_input()), pass.rows * shape.steps);
        dense_forward(pass.stream, pass.input, of_input, all, &mut pass.kept[0], Tail::default())?;
        let how = (pass.tail, self.carried);
        recurrent_forward(pass.stream, (pass.parameters, shape), pass.rows, pass.kept, pass.output, how)
    }

    fn backward(&self, pass: Backward<'_>) -> Result<()> {
        let shape = self.shape(pass.first, pass.shape);
        let (of_input, all) = (shape.of_input(), pass.rows * shape.steps);
        recurrent_backward(pass.stream, (pass.parameters, shape), pass.rows, pass.slope, pass.kept)?;
        let by_state = if self.cell == Cell::Gru { &pass.kept[1] } else { &pass.kept[0] };
        dense_weight_slope(pass.stream, (pass.input, &pass.kept[0]), of_input, all, pass.gradient, false)?;
        dense_weight_slope(pass.stream, (&pass.kept[2], by_state), shape.of_state(), all, pass.gradient, false)?;
        if let Some((out, tail)) = pass.input_slope {
            let of_layer = (pass.parameters, of_input);
            dense_input_slope(pass.stream, &pass.kept[0], of_layer, all, out, (tail, pass.input))?;
        }
        Ok(())
    }

    fn forget(&self, stream: &mut Stream, kept: &mut [DeviceVec<f32>]) -> Result<()> {
        if self.carried { forget_state(stream, kept) } else { Ok(()) }
    }

    fn reference(&self, input: &[f64], rows: usize, parameters: &[f64], shape: Shape) -> Vec<f64> {
        let RecurrentShape { inputs, units, steps, .. } = self.shape(0, shape);
        let columns = self.cell.gates() * units;
        let (of_input, of_state) = parameters.split_at((inputs + 1) * columns);
        let sums = |values: &[f64], own: &[f64]| -> Vec<f64> {
            let sum = |column: usize| {
                let weighted = values.iter().enumerate().map(|(at, value)| value * own[at * columns + column]);
                weighted.sum::<f64>() + own[values.len() * columns + column]
            };
            (0..columns).map(sum).collect()
        };
        let logistic = |x: f64| 1.0 / (1.0 + (-x).exp());
        let mut out = Vec::with_capacity(rows * steps * units);
        for row in input.chunks_exact(steps * inputs).take(rows) {
            let (mut h, mut c) = (vec![0.0; units], vec![0.0; units]);
            for step in row.chunks_exact(inputs) {
                let (x, s) = (sums(step, of_input), sums(&h, of_state));
                for unit in 0..units {
                    let gate = |number: usize| x[number * units + unit] + s[number * units + unit];
                    h[unit] = match self.cell {
                        Cell::Plain => gate(0).tanh(),
                        Cell::Gru => {
                            let (r, z) = (logistic(gate(0)), logistic(gate(1)));
                            let n = (x[2 * units + unit] + r * s[2 * units + unit]).tanh();
                            (1.0 - z) * n + z * h[unit]
                        }
                        Cell::Lstm => {
                            c[unit] = logistic(gate(1)) * c[unit] + logistic(gate(0)) * gate(2).tanh();
                            logistic(gate(3)) * c[unit].tanh()
                        }
                    };
                }
                out.extend_from_slice(&h);
            }
        }
        out
    }
}
