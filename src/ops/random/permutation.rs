//! A random order.

use super::philox::{Draw, random_bits};
use crate::array::DeviceVec;
use crate::device::Stream;
use crate::error::{Error, Result};
use crate::ops::sort::radix_sort::radix_sort;

/// A permutation of 0..count: the indices sorted by the random bits of the draw, equal ones by index. The same on every
/// device.
///
/// ```
/// use gristmill::{Device, ops};
/// use gristmill::ops::random::philox::Draw;
/// let mut stream = Device::Cpu.stream();
/// let mut order = ops::permutation(&mut stream, Draw::new(42, 0), 100)?.to_vec(&mut stream)?;
/// order.sort();
/// assert!(order.into_iter().eq(0..100));
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn permutation(stream: &mut Stream, draw: Draw, count: usize) -> Result<DeviceVec<u32>> {
    let last = u32::try_from(count).map_err(|_| Error::Limit {
        what: "places of a permutation".to_string(),
        need: count as u64,
        have: u32::MAX as u64,
    })?;
    if stream.gpu().is_none() && draw.first == 0 {
        return Ok(DeviceVec::from_host(crate::cpu::random::permutation::permutation(draw.seed, draw.stream, last)));
    }
    let keys = random_bits(stream, draw, count)?;
    let indices: Vec<u32> = (0..last).collect();
    let indices = DeviceVec::from_slice(&indices, &stream.device().clone())?;
    Ok(radix_sort(stream, &keys, &indices)?.1)
}
