//! What the passes of a network write.

use super::network::Network;
use crate::array::DeviceVec;
use crate::device::Stream;
use crate::error::Result;
use crate::ops::neural::zeros;

/// What the passes of a network write, allocated once for a number of rows.
#[derive(Debug)]
pub struct Buffers {
    /// Most rows of a batch.
    pub rows: usize,
    /// The inputs, then the values of each layer.
    pub values: Vec<DeviceVec<f32>>,
    /// Slopes by the inputs, then by the sums of each layer.
    pub slopes: Vec<DeviceVec<f32>>,
    /// What each layer keeps from one pass for the other.
    pub kept: Vec<Vec<DeviceVec<f32>>>,
    /// The targets of the batch.
    pub targets: DeviceVec<f32>,
    /// For kernels that bind more than they write.
    pub(super) unused: DeviceVec<f32>,
}

impl Buffers {
    /// Room for batches of so many rows, with targets of so many columns.
    pub fn new(stream: &mut Stream, network: &Network, rows: usize, target_columns: usize) -> Result<Buffers> {
        let mut made = Buffers {
            rows,
            values: vec![],
            slopes: vec![],
            kept: vec![],
            targets: zeros(stream, rows * target_columns.next_multiple_of(4))?,
            unused: zeros(stream, 4)?,
        };
        for (at, shape) in network.shapes().iter().enumerate() {
            made.values.push(zeros(stream, rows * network.stride(at))?);
            made.slopes.push(zeros(stream, rows * network.stride(at))?);
            if let Some(layer) = network.layers().get(at) {
                let lengths = layer.kept(*shape).into_iter();
                let kept = lengths.map(|length| zeros(stream, rows * length.next_multiple_of(4)));
                made.kept.push(kept.collect::<Result<_>>()?);
            }
        }
        Ok(made)
    }
}
