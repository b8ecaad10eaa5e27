//! Workers that are kept from falling asleep between the short loops of a long job.

use std::hint::spin_loop;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Workers kept awake at most: the loops of a step are too short to be shared by more.
const MOST_WORKERS: usize = 8;
/// Idle looks for work between two offers of the core to other programs.
const LOOKS: u32 = 64;
/// Whether workers are kept awake: jobs side by side have no use for it, as no worker is idle.
static KEPT_AWAKE: AtomicBool = AtomicBool::new(false);

/// Runs `work` on a thread of the pool, while the other workers look for its loops without a pause.
///
/// A worker that finds nothing to do falls asleep after some 20 µs, and waking it takes as long again: a network's step, of a
/// dozen loops of 20 to 700 µs, lost a twentieth of its time to that. OpenMP's threads wait in the same way. Other work of the pool
/// goes on meanwhile.
pub fn keep_awake<R>(work: impl FnOnce() -> R) -> R {
    let own = rayon::current_thread_index();
    if own.is_none() || KEPT_AWAKE.swap(true, Ordering::Relaxed) {
        return work();
    }
    let end = End(Arc::new(AtomicBool::new(false)));
    let is_over = Arc::clone(&end.0);
    rayon::spawn_broadcast(move |worker| {
        if Some(worker.index()) == own || worker.index() >= MOST_WORKERS {
            return;
        }
        let mut idle = 0;
        while !is_over.load(Ordering::Relaxed) {
            if rayon::yield_now() == Some(rayon::Yield::Executed) {
                idle = 0;
                continue;
            }
            idle += 1;
            match idle % LOOKS {
                0 => std::thread::yield_now(),
                _ => (0..16).for_each(|_| spin_loop()),
            }
        }
    });
    work()
}

/// Lets the workers go, also where `work` panics.
struct End(Arc<AtomicBool>);

impl Drop for End {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
        KEPT_AWAKE.store(false, Ordering::Relaxed);
    }
}
