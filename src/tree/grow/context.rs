//! Where trees grow: binned rows on a device.

use crate::cpu::tree::SplitRule;
use crate::device::{Device, Stream};
use crate::error::Result;
use crate::ops::tree::partition::partition;
use crate::ops::tree::{Binned, GrowState, NodePartition};
use crate::tree::bins::{BinnedMatrix, Bins};

/// Binned rows on a device, and what trees keep there while they grow.
pub(crate) struct GrowContext<'a> {
    pub matrix: &'a BinnedMatrix,
    pub bins: &'a Bins,
    pub stream: Stream,
    pub binned: Binned<'a>,
    pub state: GrowState,
}

impl<'a> GrowContext<'a> {
    /// Brings the binned rows to a device.
    pub fn new(matrix: &'a BinnedMatrix, bins: &'a Bins, device: &Device) -> Result<GrowContext<'a>> {
        let mut stream = device.stream();
        let layout = matrix.layout();
        let binned = Binned::new(&mut stream, matrix.view(), layout.starts(), layout.places())?;
        let state = GrowState::new(&stream);
        Ok(GrowContext { matrix, bins, stream, binned, state })
    }

    /// How many histograms may be kept at once, at least 2. More nodes than that make do without their parents'.
    pub fn slots(&self) -> usize {
        self.state.slots(&self.binned)
    }

    /// A node to partition, of which `left` rows go left.
    pub fn node_partition(&self, rows: std::ops::Range<usize>, rule: &SplitRule, left: usize) -> NodePartition {
        NodePartition { rows, route: self.matrix.layout().route(rule), left: Some(left) }
    }

    /// Partitions ranges of the row order.
    pub fn partition(&mut self, nodes: &[NodePartition]) -> Result<Vec<usize>> {
        partition(&mut self.stream, &self.binned, &mut self.state, nodes)
    }
}
