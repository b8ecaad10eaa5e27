//! Buffers that wait for their next use, by size: wgpu fills every new buffer with zeros, a pass over all of it that
//! nobody wants, and makes it in tens of microseconds.

use std::collections::BTreeMap;
use std::sync::Mutex;

use super::super::buffer::Storage;
use super::super::health::lock;

/// The idle buffers of one device, by capacity. They stay counted against the budget.
#[derive(Debug)]
pub(crate) struct Pool {
    /// The most bytes it keeps.
    most: u64,
    idle: Mutex<Idle>,
}

#[derive(Debug, Default)]
struct Idle {
    bytes: u64,
    by_capacity: BTreeMap<u64, Vec<Storage>>,
}

/// The capacity in which a buffer of that size is made: at most an eighth more, so that few sizes differ.
pub fn size_class(bytes: u64) -> u64 {
    let eighth = (bytes.max(1).ilog2()).saturating_sub(3);
    bytes.next_multiple_of(1 << eighth).max(256)
}

impl Pool {
    pub(crate) fn new(budget: u64) -> Pool {
        Pool { most: (budget / 8).min(1 << 30), idle: Mutex::default() }
    }

    /// An idle buffer of at least `bytes`, within their size class.
    pub(crate) fn take(&self, bytes: u64) -> Option<Storage> {
        let mut idle = lock(&self.idle);
        let (_, fitting) = idle.by_capacity.range_mut(bytes..=size_class(bytes)).find(|(_, some)| !some.is_empty())?;
        let storage = fitting.pop()?;
        idle.bytes -= storage.capacity();
        Some(storage)
    }

    /// Keeps a buffer for its next use, if there is room.
    pub(crate) fn put(&self, storage: Storage) {
        let mut idle = lock(&self.idle);
        if idle.bytes + storage.capacity() <= self.most {
            idle.bytes += storage.capacity();
            idle.by_capacity.entry(storage.capacity()).or_default().push(storage);
        }
    }

    /// Gives the largest idle buffer's memory back; false when there is none.
    pub(crate) fn drop_largest(&self) -> bool {
        let mut idle = lock(&self.idle);
        while let Some(mut largest) = idle.by_capacity.last_entry() {
            match largest.get_mut().pop() {
                Some(storage) => {
                    idle.bytes -= storage.capacity();
                    return true;
                }
                None => drop(largest.remove()),
            }
        }
        false
    }

    /// Bytes that lie idle.
    pub(crate) fn bytes(&self) -> u64 {
        lock(&self.idle).bytes
    }
}
