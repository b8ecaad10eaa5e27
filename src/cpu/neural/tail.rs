//! What a layer does to each of its values in the end: activation, then dropout; and the way back.

use bytemuck::cast_slice_mut;
use pulp::Scalar;
use serde::{Deserialize, Serialize};

use crate::cpu::elementary::exp2;
use crate::cpu::random::philox::Philox;
use crate::cpu::tile::with_buffer;
use crate::cpu::vectorised;

/// The slope of [`Activation::LeakyRelu`] below 0.
pub const LEAK: f32 = 0.01;
/// The random numbers of dropout.
const STREAM: u32 = 0x4e44_0001;
/// Steps after which the random numbers of a network begin again.
pub const STEPS: u64 = 1 << 24;
/// Numbers worked on at a time.
const STRIP: usize = 4096;

/// What becomes of a layer's sums.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u32)]
pub enum Activation {
    /// Nothing: a linear layer.
    #[default]
    #[serde(alias = "linear")]
    Identity,
    /// max(x, 0).
    Relu,
    /// x above 0, x/100 below.
    LeakyRelu,
    /// 1 / (1 + e⁻ˣ).
    #[serde(alias = "sigmoid")]
    Logistic,
    /// The hyperbolic tangent.
    Tanh,
    /// −1 below 0, else 1. Its slope is 0: for networks whose weights are set, not learnt.
    Sign,
    /// e^x over the sum of the layer's e^x; for the last layer.
    Softmax,
}

impl Activation {
    /// Its value at x; for softmax x itself, which alone has none.
    #[inline(always)]
    pub fn of(self, x: f32) -> f32 {
        match self {
            Activation::Identity | Activation::Softmax => x,
            Activation::Relu => x.max(0.0),
            Activation::LeakyRelu => x.max(LEAK * x),
            Activation::Logistic => logistic(x),
            Activation::Tanh => hyperbolic_tangent(x),
            Activation::Sign => {
                if x < 0.0 {
                    -1.0
                } else {
                    1.0
                }
            }
        }
    }

    /// Its slope where its value is `value`.
    #[inline(always)]
    pub fn slope(self, value: f32) -> f32 {
        match self {
            Activation::Identity | Activation::Softmax => 1.0,
            Activation::Relu => f32::from(u8::from(value > 0.0)),
            Activation::LeakyRelu => {
                if value > 0.0 {
                    1.0
                } else {
                    LEAK
                }
            }
            Activation::Logistic => value * (1.0 - value),
            Activation::Tanh => 1.0 - value * value,
            Activation::Sign => 0.0,
        }
    }
}

/// 1 / (1 + e⁻ˣ) without overflow.
#[inline(always)]
pub fn logistic(x: f32) -> f32 {
    let e = exp2(Scalar, -x.abs() * std::f32::consts::LOG2_E);
    (if x >= 0.0 { 1.0 } else { e }) / (1.0 + e)
}

/// The hyperbolic tangent: Lambert's continued fraction near 0, e²ˣ elsewhere; both are computed, so that loops vectorise.
#[inline(always)]
pub fn hyperbolic_tangent(x: f32) -> f32 {
    let (size, z) = (x.abs(), x * x);
    let near = x / (1.0 + z / (3.0 + z / (5.0 + z / (7.0 + z / (9.0 + z / 11.0)))));
    let far = 1.0 - 2.0 / (exp2(Scalar, 2.0 * size.min(20.0) * std::f32::consts::LOG2_E) + 1.0);
    if size < 1.0 { near } else { far.copysign(x) }
}

/// Values left out at random, the same ones on the way back: by a key and the number of the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dropout {
    /// The share left out, from 0 to below 1.
    pub rate: f32,
    /// What the random numbers are of: the seed and the layer.
    pub key: u64,
    /// The step, modulo [`STEPS`].
    pub step: u32,
}

impl Dropout {
    /// A value is left out where the high 24 bits of its random number are below this.
    pub fn threshold(&self) -> u32 {
        (f64::from(self.rate) * f64::from(1_u32 << 24)) as u32
    }

    /// What the others are multiplied by.
    pub fn scale(&self) -> f32 {
        (1.0 / (1.0 - f64::from(self.rate))) as f32
    }

    /// The factors of values from number `first` of the layer on.
    fn factors<R>(&self, first: usize, count: usize, run: impl FnOnce(&[f32]) -> R) -> R {
        let (threshold, scale) = (self.threshold(), self.scale());
        with_buffer(count, |factors| {
            let numbers: &mut [u32] = cast_slice_mut(factors);
            Philox::new(self.key, STREAM).fill_numbers((u64::from(self.step) << 34) + first as u64, numbers);
            for number in numbers.iter_mut() {
                *number = if *number >> 8 < threshold { 0 } else { scale.to_bits() };
            }
            run(factors)
        })
    }
}

/// Activation and dropout of a layer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tail {
    /// The activation; not softmax, which needs all values of a row.
    pub activation: Activation,
    /// Dropout, while a network learns.
    pub dropout: Option<Dropout>,
}

impl Tail {
    /// Applies bias, activation and dropout to whole rows, the first of which is row `first` of the batch.
    pub fn forward(&self, rows: &mut [f32], columns: usize, stride: usize, first: usize, bias: Option<&[f32]>) {
        if let Some(bias) = bias {
            vectorised!(add_bias(rows, columns, stride, bias));
        }
        vectorised!(activate(self.activation, rows, columns, stride));
        if let Some(dropout) = &self.dropout {
            self.strips(rows, stride, |from, values| {
                dropout.factors(first * stride + from, values.len(), |factors| {
                    values.iter_mut().zip(factors).for_each(|(value, factor)| *value *= factor);
                });
            });
        }
    }

    /// Turns slopes by the values after [`Tail::forward`], `saved`, into slopes by the sums before it.
    pub fn backward(&self, rows: &mut [f32], saved: &[f32], stride: usize, first: usize) {
        match &self.dropout {
            None => vectorised!(turn_back(self.activation, rows, saved, 1.0)),
            Some(dropout) => self.strips(rows, stride, |from, slopes| {
                let saved = &saved[from..from + slopes.len()];
                dropout.factors(first * stride + from, slopes.len(), |factors| {
                    vectorised!(turn_back(self.activation, slopes, saved, 1.0 - dropout.rate));
                    slopes.iter_mut().zip(factors).for_each(|(slope, factor)| *slope *= factor);
                });
            }),
        }
    }

    /// Runs over strips of whole vec4s.
    fn strips(&self, rows: &mut [f32], stride: usize, mut run: impl FnMut(usize, &mut [f32])) {
        debug_assert_eq!(stride % 4, 0);
        rows.chunks_mut(STRIP).enumerate().for_each(|(at, strip)| run(at * STRIP, strip));
    }
}

#[inline(always)]
fn add_bias(rows: &mut [f32], columns: usize, stride: usize, bias: &[f32]) {
    for row in rows.chunks_exact_mut(stride) {
        row[..columns].iter_mut().zip(bias).for_each(|(value, bias)| *value += bias);
    }
}

/// A loop for each activation, so that each vectorises.
#[inline(always)]
fn activate(activation: Activation, rows: &mut [f32], columns: usize, stride: usize) {
    use Activation::{Identity, LeakyRelu, Logistic, Relu, Sign, Softmax, Tanh};
    for row in rows.chunks_exact_mut(stride) {
        let row = &mut row[..columns];
        match activation {
            Identity | Softmax => {}
            Relu => row.iter_mut().for_each(|value| *value = Relu.of(*value)),
            LeakyRelu => row.iter_mut().for_each(|value| *value = LeakyRelu.of(*value)),
            Logistic => row.iter_mut().for_each(|value| *value = Logistic.of(*value)),
            Tanh => row.iter_mut().for_each(|value| *value = Tanh.of(*value)),
            Sign => row.iter_mut().for_each(|value| *value = Sign.of(*value)),
        }
    }
}

/// `kept` undoes the scale that dropout gave the saved values.
#[inline(always)]
fn turn_back(activation: Activation, slopes: &mut [f32], saved: &[f32], kept: f32) {
    use Activation::{Identity, LeakyRelu, Logistic, Relu, Sign, Softmax, Tanh};
    let pairs = slopes.iter_mut().zip(saved);
    match activation {
        Identity | Softmax => {}
        Relu => pairs.for_each(|(slope, value)| *slope *= Relu.slope(*value)),
        LeakyRelu => pairs.for_each(|(slope, value)| *slope *= LeakyRelu.slope(*value)),
        Logistic => pairs.for_each(|(slope, value)| *slope *= Logistic.slope(value * kept)),
        Tanh => pairs.for_each(|(slope, value)| *slope *= Tanh.slope(value * kept)),
        Sign => pairs.for_each(|(slope, _)| *slope = 0.0),
    }
}
