//! The kernels of networks. Rows of activations, weights and targets lie a multiple of four numbers apart inside flat
//! vectors, on every device; their padding is 0 and stays so.

pub mod activate;
pub mod augment;
pub mod convolution;
pub mod dense;
pub mod embedding;
pub mod gather_batch;
pub mod latent;
pub mod loss;
pub mod normalise;
pub mod norms;
pub mod pool;
pub mod recurrent;
pub mod tie;
pub mod update;

pub use activate::{activate_backward, activate_forward};
pub use augment::{Augmentation, augment};
pub use convolution::{ConvolutionShape, convolution_forward, convolution_input_slope, convolution_weight_slope};
pub use dense::{DenseShape, dense_forward, dense_input_slope, dense_weight_slope};
pub use embedding::{EmbeddingShape, embedding_forward, embedding_weight_slope};
pub use gather_batch::{Batch, Noise, gather_batch};
pub use latent::{LatentShape, MOST_SPREAD, latent_backward, latent_divergence, latent_forward};
pub use loss::{LossShape, OutputLoss, TargetLayout, VARIANCE_FLOOR, activate_outputs, output_loss};
pub use normalise::{
    NormaliseShape, Together, follow_statistics, normalise_backward, normalise_forward, normalise_statistics,
};
pub use norms::{PIECE, gradient_norms};
pub use pool::{Pooling, pool_backward, pool_forward};
pub use recurrent::{Cell, RecurrentShape, forget_state, recurrent_backward, recurrent_forward};
pub use tie::{TiedBlocks, tie_slopes};
pub use update::{Clip, Memory, StepNumbers, StepRule, WeightPenalty, update};

pub use crate::cpu::neural::tail::{Activation, Dropout, LEAK, STEPS, Tail};
pub use crate::cpu::neural::windows::Windows;

use crate::array::{DeviceVec, Word};
use crate::device::Stream;
use crate::error::{Error, Result};

/// Refuses a vector that is shorter than what an op reads or writes of it.
fn holds<T: Word>(op: &'static str, what: &str, vector: &DeviceVec<T>, need: usize) -> Result<()> {
    if vector.len() < need {
        return Err(Error::shape(op, format!("{what} of at least {need} numbers"), vector.len()));
    }
    Ok(())
}

/// The numbers of a dropout as shaders take them.
struct DropNumbers {
    on: u32,
    scale: f32,
    kept: f32,
    threshold: u32,
    step: u32,
    key: [u32; 2],
}

impl DropNumbers {
    fn new(tail: Tail) -> DropNumbers {
        let none = DropNumbers { on: 0, scale: 1.0, kept: 1.0, threshold: 0, step: 0, key: [0; 2] };
        tail.dropout.map_or(none, |drop| DropNumbers {
            on: 1,
            scale: drop.scale(),
            kept: 1.0 - drop.rate,
            threshold: drop.threshold(),
            step: drop.step,
            key: [drop.key as u32, (drop.key >> 32) as u32],
        })
    }
}

/// Space for numbers that a kernel writes, in one buffer, all 0: what is padding stays so.
pub fn zeros(stream: &mut Stream, len: usize) -> Result<DeviceVec<f32>> {
    let mut made = DeviceVec::unwritten(stream, len.max(4))?;
    if stream.gpu().is_some() {
        made.write(stream, 0, &vec![0.0; made.len()])?;
    }
    Ok(made)
}
