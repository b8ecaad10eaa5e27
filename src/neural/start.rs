//! The weights that learning begins with.

use serde::{Deserialize, Serialize};

use crate::cpu::random::philox::Philox;

/// The random numbers of starts.
const STREAM: u32 = 0x4e44_0003;

/// How a block of parameters begins.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// All 0.
    Zero,
    /// All the same, such as 1 for the scales of a normalisation.
    Constant(f64),
    /// Uniform within ± this.
    Uniform(f64),
    /// Normal with this deviation.
    Normal(f64),
    /// Normal with deviation √(2 / inputs), for relu (He et al. 2015).
    He,
    /// Uniform within ± √(6 / (inputs + outputs)) (Glorot and Bengio 2010); √2 for the logistic activation is scikit-learn's.
    Glorot,
    /// 1 in the second quarter, 0 elsewhere: the forget gates of long short-term memory stay open at first (Gers et al. 2000).
    ForgetGate,
}

impl Start {
    /// Fills a block with its first values; `index` is the place of its first number among all parameters.
    pub(super) fn fill(self, seed: u64, index: usize, [inputs, outputs]: [usize; 2], out: &mut [f32]) {
        let random = Philox::new(seed, STREAM);
        let normal = |deviation: f64, out: &mut [f32]| {
            random.fill_normals(index as u64, out);
            out.iter_mut().for_each(|value| *value = (f64::from(*value) * deviation) as f32);
        };
        let uniform = |bound: f64, out: &mut [f32]| {
            random.fill_uniforms(index as u64, out);
            out.iter_mut().for_each(|value| *value = ((2.0 * f64::from(*value) - 1.0) * bound) as f32);
        };
        match self {
            Start::Zero => out.fill(0.0),
            Start::Constant(value) => out.fill(value as f32),
            Start::Uniform(bound) => uniform(bound, out),
            Start::Normal(deviation) => normal(deviation, out),
            Start::He => normal((2.0 / inputs.max(1) as f64).sqrt(), out),
            Start::ForgetGate => {
                let quarter = out.len() / 4;
                out.fill(0.0);
                out[quarter..2 * quarter].fill(1.0);
            }
            Start::Glorot => uniform((6.0 / (inputs + outputs).max(1) as f64).sqrt(), out),
        }
    }
}
