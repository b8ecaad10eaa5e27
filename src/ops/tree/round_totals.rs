//! What is known of a round of boosting before its trees are grown.

use super::gradients::{BoostingRows, REPORT_FIRST};
use super::grow_state::wrong_device;
use super::{GrowState, leaves};
use crate::cpu::tree::{GradientSums, RowSample};
use crate::device::Stream;
use crate::error::Result;

/// What is known of a round before its trees are grown.
#[derive(Debug, Clone, PartialEq)]
pub struct RoundTotals {
    /// The largest |score| and the largest score above 0, after the round before.
    pub scores: [f32; 2],
    /// The largest |gradient| and Hessian of each output.
    pub largest: Vec<[f32; 2]>,
    /// Huber's δ of each output, where it was found on the device.
    pub deltas: Vec<f32>,
    /// What the rows of each tree add up to, in the integers of splits.
    pub totals: Vec<GradientSums>,
    /// Rows that each tree is grown on.
    pub count: usize,
}

impl RoundTotals {
    /// From the words of a report before its sums.
    pub(super) fn new(words: &[u32], totals: Vec<GradientSums>, count: usize) -> RoundTotals {
        let numbers: Vec<f32> = words.iter().map(|word| f32::from_bits(*word)).collect();
        let (scores, largest) = numbers.split_at(REPORT_FIRST);
        let pair = |pair: &[f32]| [pair[0], pair[1]];
        RoundTotals {
            scores: pair(scores),
            largest: largest.chunks_exact(2).take(totals.len()).map(pair).collect(),
            deltas: largest[2 * totals.len()..3 * totals.len()].to_vec(),
            totals,
            count,
        }
    }
}

impl GrowState {
    /// Begins a tree for each output of rows on a GPU, whose gradients are recorded: their integers and the order are
    /// made there, and what is known of them comes back. One wait. Of a sample, the trees are grown on its rows alone.
    pub fn begin_boosting(
        &mut self,
        stream: &mut Stream,
        rows: &mut BoostingRows,
        sample: Option<&RowSample>,
    ) -> Result<RoundTotals> {
        self.on(stream, "tree growth")?;
        self.begin_resident(rows.rows, rows.places() * rows.outputs());
        let recording = stream.gpu().ok_or_else(|| wrong_device("tree growth"))?;
        leaves::begin_round(recording, self.on_gpu()?, rows, sample)
    }
}
