//! How much work one dispatch may hold, learnt from the time that submits take.
//!
//! Windows resets a GPU that is busy for two seconds, and GPUs differ by a factor of a hundred: so a device starts with
//! little and works up to a time. Results do not depend on how work is cut.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Operations in a dispatch of a device that has done nothing yet: 30 ms at 33 Gop/s, which the slowest GPUs pass, and
/// enough rows of k-means with 1024 centres for 16,384 lanes.
const FIRST: u64 = 1_000_000_000;

/// What the slowest and the fastest device may come to.
const RANGE: [u64; 2] = [50_000_000, 100_000_000_000];

/// The time that one dispatch should take.
const WANTED: f64 = 0.030;

/// Operations in one dispatch of a device, as far as is known.
#[derive(Debug)]
pub struct Pace {
    operations: AtomicU64,
}

impl Default for Pace {
    fn default() -> Pace {
        Pace { operations: AtomicU64::new(FIRST) }
    }
}

impl Pace {
    /// Operations that one dispatch may hold now.
    pub fn operations(&self) -> u64 {
        self.operations.load(Ordering::Relaxed)
    }

    /// Takes note of a submit of so many operations: twice as much at most from one to the next, a quarter at least. A small
    /// one says nothing, because it is all overhead.
    pub fn observe(&self, operations: u64, took: Duration) {
        let now = self.operations();
        if operations < now / 4 || took.is_zero() {
            return;
        }
        let wanted = (operations as f64 / took.as_secs_f64() * WANTED) as u64;
        let next = wanted.clamp(now / 4, 2 * now).clamp(RANGE[0], RANGE[1]);
        self.operations.store(next, Ordering::Relaxed);
    }
}
