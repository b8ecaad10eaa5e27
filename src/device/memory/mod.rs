//! The memory budget: every buffer of a device is counted, and nothing is made beyond it.

pub(crate) mod budget;
mod pool;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub(crate) use pool::Pool;
pub use pool::size_class;

/// Bytes in use and the most there may be.
#[derive(Debug)]
pub struct Memory {
    budget: u64,
    used: AtomicU64,
}

/// A share of the budget, given back when dropped.
#[derive(Debug)]
pub struct Reservation {
    memory: Arc<Memory>,
    bytes: u64,
}

impl Memory {
    pub fn new(budget: u64) -> Arc<Memory> {
        Arc::new(Memory { budget, used: AtomicU64::new(0) })
    }

    pub fn budget(&self) -> u64 {
        self.budget
    }

    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// Takes `bytes` if the total then stays within `ceiling`, which is at most the budget.
    pub fn reserve(self: &Arc<Memory>, bytes: u64, ceiling: u64) -> Option<Reservation> {
        let ceiling = ceiling.min(self.budget);
        let taken = self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
            used.checked_add(bytes).filter(|total| *total <= ceiling)
        });
        taken.ok().map(|_| Reservation { memory: self.clone(), bytes })
    }
}

impl Reservation {
    /// How much it is.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.memory.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}
