//! The kernels of networks. Rows of activations, weights and targets lie a multiple of four numbers apart inside flat
//! vectors, on every device; their padding is 0 and stays so.

pub mod dense;
pub mod gather_batch;
pub mod latent;
pub mod loss;
pub mod norms;
pub mod tie;
pub mod update;

pub use dense::{DenseShape, dense_forward, dense_input_slope, dense_weight_slope};
pub use gather_batch::{Batch, Noise, gather_batch};
pub use latent::{LatentShape, MOST_SPREAD, latent_backward, latent_divergence, latent_forward};
pub use loss::{LossShape, OutputLoss, TargetLayout, VARIANCE_FLOOR, activate_outputs, output_loss};
pub use norms::{PIECE, gradient_norms};
pub use tie::{TiedBlocks, tie_slopes};
pub use update::{Clip, Memory, StepNumbers, StepRule, WeightPenalty, update};

pub use crate::cpu::neural::tail::{Activation, Dropout, LEAK, STEPS, Tail};

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

/// Space for numbers that a kernel writes, in one buffer, all 0: what is padding stays so.
pub fn zeros(stream: &mut Stream, len: usize) -> Result<DeviceVec<f32>> {
    let mut made = DeviceVec::unwritten(stream, len.max(4))?;
    if stream.gpu().is_some() {
        made.write(stream, 0, &vec![0.0; made.len()])?;
    }
    Ok(made)
}
