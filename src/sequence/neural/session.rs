//! A network that reads token by token, or many texts side by side, on the CPU.

use crate::array::DeviceVec;
use crate::device::{Device, Stream};
use crate::error::Result;
use crate::neural::{Buffers, Network};

/// A network with its parameters and buffers.
pub(super) struct Session {
    network: Network,
    parameters: DeviceVec<f32>,
    buffers: Buffers,
    stream: Stream,
}

impl Session {
    /// For rows side by side.
    pub(super) fn new(network: Network, parameters: &[f32], rows: usize) -> Result<Session> {
        let mut stream = Device::Cpu.stream();
        let buffers = Buffers::new(&mut stream, &network, rows, 1)?;
        Ok(Session { network, parameters: DeviceVec::from_slice(parameters, &Device::Cpu)?, buffers, stream })
    }

    /// The sums before the softmax, for each row and step, from rows of codes; states go on from the call before.
    pub(super) fn sums(&mut self, codes: &[f32]) -> Result<Vec<f32>> {
        let (length, stride) = (self.network.input().size(), self.network.stride(0));
        let rows = codes.len() / length;
        for (row, codes) in codes.chunks_exact(length).enumerate() {
            self.buffers.values[0].write(&mut self.stream, row * stride, codes)?;
        }
        self.network.forward(&mut self.stream, &self.parameters, &mut self.buffers, rows, (false, (0, 0)))?;
        let (last, (steps, each)) = (self.network.layers().len(), self.network.loss_rows());
        let found = self.buffers.values[last].to_vec(&mut self.stream)?;
        let padded = found.chunks_exact(each.next_multiple_of(4)).take(rows * steps);
        Ok(padded.flat_map(|sums| &sums[..each]).copied().collect())
    }
}

/// The logarithm of a code's probability, by the sums before the softmax.
pub(super) fn log_probability(sums: &[f32], code: u32) -> f64 {
    let highest = sums.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let total: f64 = sums.iter().map(|sum| f64::from(sum - highest).exp()).sum();
    f64::from(sums[code as usize] - highest) - total.ln()
}
