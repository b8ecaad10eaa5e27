//! Order: prefix sums, sorting, rows in a new order.
//!
//! Sorts and scans need all their values in one binding: what is larger than that, or than the memory budget, is
//! `Error::Limit`.

pub mod exclusive_scan;
pub mod gather_rows;
pub mod radix_sort;
pub mod select_smallest;

use crate::array::{DeviceVec, View};
use crate::device::Recording;
use crate::error::{Error, Result};

/// All values in one buffer, which every sort and scan needs.
fn whole(recording: &mut Recording, op: &str, x: &DeviceVec<u32>) -> Result<View> {
    let (need, have) = (4 * x.len() as u64, recording.gpu.binding_bytes());
    if need > have {
        return Err(Error::Limit { what: format!("bytes in one binding for {op}"), need, have });
    }
    x.store()?.view(recording, 0..x.len())
}
