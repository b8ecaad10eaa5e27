//! The outputs of a network for rows.

use super::buffers::Buffers;
use super::network::Network;
use crate::array::{DeviceMatrix, DeviceVec, Matrix};
use crate::error::{Error, Result};
use crate::ops::neural::{Batch, gather_batch};

/// Rows that go through a network at once.
const ROWS: usize = 1024;

/// The outputs of the network with these parameters for the rows of `x` (n×d): n×outputs, the last activation applied or
/// left out.
pub fn predict(network: &Network, parameters: &[f32], x: &DeviceMatrix, activated: bool) -> Result<Matrix> {
    let outputs = network.outputs();
    if x.columns() != network.input().size() || parameters.len() != network.parameters() {
        let expected = format!("{} columns and {} parameters", network.input().size(), network.parameters());
        return Err(Error::shape("network", expected, format!("{} and {}", x.columns(), parameters.len())));
    }
    let (n, device) = (x.rows(), x.device());
    let mut found = Vec::with_capacity(n * outputs);
    if n == 0 {
        return Matrix::from_vec(0, outputs, found);
    }
    let mut stream = device.stream();
    let stream = &mut stream;
    let held = DeviceVec::from_slice(parameters, device)?;
    let rows = ROWS.min(n);
    let mut buffers = Buffers::new(stream, network, rows, 1)?;
    let order: Vec<u32> = (0..n as u32).collect();
    let order = DeviceVec::from_slice(&order, device)?;
    let nothing = Matrix::zeros(n, 1)?.to(device)?;
    let (last, (steps, each)) = (network.layers().len(), network.loss_rows());
    let stride = network.stride(last) / steps;
    for first in (0..n).step_by(rows) {
        let count = rows.min(n - first);
        let batch = Batch { order: &order, first, rows: count, noise: None };
        gather_batch(stream, (x, &nothing), batch, (&mut buffers.values[0], &mut buffers.targets))?;
        network.forget(stream, &mut buffers)?;
        network.forward(stream, &held, &mut buffers, count, (false, (0, 0)))?;
        if activated {
            network.activate(stream, &mut buffers, count)?;
        }
        let read = buffers.values[last].to_vec(stream)?;
        found.extend(read.chunks_exact(stride).take(count * steps).flat_map(|row| &row[..each]));
    }
    Matrix::from_vec(n, outputs, found)
}
