//! What a recurrent layer does at a step once its sums are there, and the way back.

use serde::{Deserialize, Serialize};

use super::recurrent::{Passes, RecurrentShape};
use super::tail::{hyperbolic_tangent, logistic};

/// A recurrent cell. x are the sums of the inputs, s those of the state, h the state before the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u32)]
pub enum Cell {
    /// tanh(x + s).
    Plain,
    /// A gated recurrent unit (Cho et al. 2014), reset behind the product: with r, z = σ(x + s) and n = tanh(x + r·s) it
    /// gives (1 − z)·n + z·h.
    Gru,
    /// Long short-term memory (Hochreiter and Schmidhuber 1997, with a forget gate): with i, f, o = σ(x + s) and g = tanh(x + s) the
    /// memory cell becomes c = f·c + i·g, and it gives o·tanh(c). Sums lie in the order i, f, g, o.
    Lstm,
}

impl Cell {
    /// Sums of a unit.
    pub fn gates(self) -> usize {
        match self {
            Cell::Plain => 1,
            Cell::Gru => 3,
            Cell::Lstm => 4,
        }
    }
}

/// The parts of a row of gates.
#[inline(always)]
fn parts<const N: usize>(row: &mut [f32]) -> [&mut [f32]; N] {
    let units = row.len() / N;
    let mut chunks = row.chunks_exact_mut(units);
    std::array::from_fn(|_| chunks.next().unwrap_or_default())
}

/// One step of all rows: gates, memory cells and state, which goes to `out`, to the next step and to `passes.back`.
#[inline(always)]
pub(super) fn forward(shape: &RecurrentShape, bias: &[f32], step: usize, passes: &mut Passes<'_>, out: &mut [f32]) {
    let (units, sums, steps) = (shape.units, shape.sums(), shape.steps);
    let (row_stride, step_stride) = shape.recurrent_strides();
    let rows = passes.gates.chunks_exact_mut(steps * sums).zip(out.chunks_exact_mut(steps * units)).enumerate();
    for (row, (gates, out)) in rows {
        let gates = &mut gates[step * sums..][..sums];
        let recurrent = &mut passes.recurrent[row * row_stride + step * step_stride..][..sums];
        recurrent.iter_mut().zip(&bias[..sums]).for_each(|(sum, bias)| *sum += bias);
        let previous = &mut passes.previous[row * steps * units..][..steps * units];
        let state = &passes.state[row * 2 * units..][..2 * units];
        let h = &mut out[step * units..][..units];
        if step == 0 {
            previous[..units].copy_from_slice(&state[..units]);
        }
        match shape.cell {
            Cell::Plain => {
                for ((value, sum), h) in gates.iter_mut().zip(&*recurrent).zip(&mut *h) {
                    *value = hyperbolic_tangent(*value + sum);
                    *h = *value;
                }
            }
            Cell::Gru => gru(gates, recurrent, &previous[step * units..][..units], h),
            Cell::Lstm => {
                let memory = &mut passes.memory[row * shape.memory_stride()..][..shape.memory_stride()];
                if step == 0 {
                    memory[..units].copy_from_slice(&state[units..]);
                }
                let (before, behind) = memory[step * units..][..2 * units].split_at_mut(units);
                lstm(gates, recurrent, before, (behind, &mut *h));
            }
        }
        if step + 1 < steps {
            previous[(step + 1) * units..][..units].copy_from_slice(h);
        } else {
            passes.back[row * 2 * units..][..units].copy_from_slice(h);
        }
    }
}

#[inline(always)]
fn gru(gates: &mut [f32], recurrent: &[f32], before: &[f32], h: &mut [f32]) {
    let units = h.len();
    let [reset, update, new] = parts::<3>(gates);
    let (reset, update, new) = (&mut reset[..units], &mut update[..units], &mut new[..units]);
    let (of_reset, rest) = recurrent.split_at(units);
    let (of_update, of_new) = rest.split_at(units);
    let (of_update, of_new, before) = (&of_update[..units], &of_new[..units], &before[..units]);
    for unit in 0..units {
        let r = logistic(reset[unit] + of_reset[unit]);
        let z = logistic(update[unit] + of_update[unit]);
        let n = hyperbolic_tangent(new[unit] + r * of_new[unit]);
        (reset[unit], update[unit], new[unit]) = (r, z, n);
        h[unit] = n + z * (before[unit] - n);
    }
}

#[inline(always)]
fn lstm(gates: &mut [f32], recurrent: &[f32], before: &[f32], (memory, h): (&mut [f32], &mut [f32])) {
    let units = h.len();
    let (squashed, output) = gates.split_at_mut(3 * units);
    let pairs = squashed[..2 * units].iter_mut().zip(&recurrent[..2 * units]);
    pairs.for_each(|(value, sum)| *value = logistic(*value + sum));
    let pairs = squashed[2 * units..].iter_mut().zip(&recurrent[2 * units..3 * units]);
    pairs.for_each(|(value, sum)| *value = hyperbolic_tangent(*value + sum));
    output.iter_mut().zip(&recurrent[3 * units..]).for_each(|(value, sum)| *value = logistic(*value + sum));
    let [input, forget, new] = parts::<3>(squashed);
    let (input, forget, new) = (&input[..units], &forget[..units], &new[..units]);
    let (output, before, memory) = (&output[..units], &before[..units], &mut memory[..units]);
    for unit in 0..units {
        let c = forget[unit] * before[unit] + input[unit] * new[unit];
        memory[unit] = c;
        h[unit] = output[unit] * hyperbolic_tangent(c);
    }
}

/// One step back of all rows: gates become slopes, `passes.back` gets what goes on to the step before.
#[inline(always)]
pub(super) fn backward(shape: &RecurrentShape, step: usize, passes: &mut Passes<'_>, slope: &[f32]) {
    let (units, sums, steps) = (shape.units, shape.sums(), shape.steps);
    let (row_stride, step_stride) = shape.recurrent_strides();
    let rows = passes.gates.chunks_exact_mut(steps * sums).zip(slope.chunks_exact(steps * units)).enumerate();
    for (row, (gates, slope)) in rows {
        let gates = &mut gates[step * sums..][..sums];
        let slope = &slope[step * units..][..units];
        let (through, past) = passes.back[row * 2 * units..][..2 * units].split_at_mut(units);
        match shape.cell {
            Cell::Plain => {
                for ((value, slope), through) in gates.iter_mut().zip(slope).zip(&*through) {
                    *value = (slope + through) * (1.0 - *value * *value);
                }
            }
            Cell::Gru => {
                let recurrent = &mut passes.recurrent[row * row_stride + step * step_stride..][..sums];
                let before = &passes.previous[(row * steps + step) * units..][..units];
                gru_back(gates, recurrent, before, (slope, through, past));
            }
            Cell::Lstm => {
                let memory = &passes.memory[row * shape.memory_stride() + step * units..][..2 * units];
                lstm_back(gates, memory, (slope, through, past));
            }
        }
    }
}

/// Slopes by the state from outside, through the next step's sums, and past them.
type StateSlopes<'a> = (&'a [f32], &'a [f32], &'a mut [f32]);

#[inline(always)]
fn gru_back(gates: &mut [f32], recurrent: &mut [f32], before: &[f32], (slope, through, past): StateSlopes<'_>) {
    let units = slope.len();
    let [reset, update, new] = parts::<3>(gates);
    let (reset, update, new) = (&mut reset[..units], &mut update[..units], &mut new[..units]);
    let [by_reset, by_update, by_new] = parts::<3>(recurrent);
    let (by_reset, by_update, by_new) = (&mut by_reset[..units], &mut by_update[..units], &mut by_new[..units]);
    let (before, through, past) = (&before[..units], &through[..units], &mut past[..units]);
    for unit in 0..units {
        let (r, z, n) = (reset[unit], update[unit], new[unit]);
        let dh = slope[unit] + through[unit] + past[unit];
        let dn = dh * (1.0 - z) * (1.0 - n * n);
        let dz = dh * (before[unit] - n) * z * (1.0 - z);
        let dr = dn * by_new[unit] * r * (1.0 - r);
        (reset[unit], update[unit], new[unit]) = (dr, dz, dn);
        (by_reset[unit], by_update[unit], by_new[unit]) = (dr, dz, dn * r);
        past[unit] = dh * z;
    }
}

#[inline(always)]
fn lstm_back(gates: &mut [f32], memory: &[f32], (slope, through, past): StateSlopes<'_>) {
    let units = slope.len();
    let [input, forget, new, output] = parts::<4>(gates);
    let (input, forget, new, output) =
        (&mut input[..units], &mut forget[..units], &mut new[..units], &mut output[..units]);
    let (before, behind) = memory.split_at(units);
    let (before, behind, through, past) = (&before[..units], &behind[..units], &through[..units], &mut past[..units]);
    for unit in 0..units {
        let (i, f, g, o) = (input[unit], forget[unit], new[unit], output[unit]);
        let (dh, t) = (slope[unit] + through[unit], hyperbolic_tangent(behind[unit]));
        let dc = past[unit] + dh * o * (1.0 - t * t);
        input[unit] = dc * g * i * (1.0 - i);
        forget[unit] = dc * before[unit] * f * (1.0 - f);
        new[unit] = dc * i * (1.0 - g * g);
        output[unit] = dh * t * o * (1.0 - o);
        past[unit] = dc * f;
    }
}
