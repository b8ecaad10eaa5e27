//! Growing and reading decision trees: histograms of binned rows, the best split of each node, partitions of rows, and
//! the leaves of many rows in many trees. A node is a range of the row order; every function takes many at once.
//!
//! What decides a tree is an integer, or is computed on the host in one fixed way, so all devices grow the same tree.

pub mod best_split;
mod binned;
mod forest;
pub mod gradients;
mod grow_state;
pub mod histogram;
pub mod leaf_quantiles;
pub mod leaves;
pub mod other_scores;
pub mod partition;
mod pieces;
pub mod predict;
mod round_totals;
mod target_rows;
pub mod two_levels;

pub use best_split::{Monotone, SplitSearch};
pub use binned::Binned;
pub use forest::bootstrap::TreeRows;
pub use forest::{bootstrap, target_histogram, target_split, target_squares};
pub use gradients::BoostingRows;
pub use grow_state::GrowState;
pub use histogram::HistogramFill;
pub use other_scores::HeldOutRows;
pub use partition::NodePartition;
pub use round_totals::RoundTotals;

use std::sync::Arc;

use crate::device::{Buffer, Recording};
use crate::error::Result;

/// Uploads words to the beginning of a buffer.
fn upload_words(recording: &mut Recording, buffer: &Arc<Buffer>, words: &[u32]) -> Result<()> {
    recording.upload(buffer, 0, words.len() as u64, &|first, part| {
        part.copy_from_slice(&words[first as usize..first as usize + part.len()]);
    })
}

/// Words in a buffer of their own, of at least so many bytes.
fn upload_table(recording: &mut Recording, words: &[u32], bytes: u64, what: &str) -> Result<Arc<Buffer>> {
    let buffer = recording.scratch(bytes.max(4 * words.len() as u64), what)?;
    upload_words(recording, &buffer, words)?;
    Ok(buffer)
}

/// Words in a kept buffer.
fn fill_table(
    recording: &mut Recording,
    storage: &mut grow_state::GpuGrowth,
    which: grow_state::ScratchBuffer,
    words: &[u32],
) -> Result<Arc<Buffer>> {
    let buffer = storage.scratch_buffer(recording, which, 4 * words.len() as u64)?;
    upload_words(recording, &buffer, words)?;
    Ok(buffer)
}
