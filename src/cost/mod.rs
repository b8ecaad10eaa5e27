//! What a call takes on a device: its work, the rates of devices, and the seconds that follow from both.
//!
//! An estimator states its [`Cost`] for the shape of its rows ([`Estimator::cost`](crate::estimator::Estimator::cost));
//! [`CpuRates`] and [`GpuRates`] are measured once for a machine. [`CARDS`] has the published figures of a few cards.

mod cards;
mod measure;

pub use cards::{CARDS, Card};
pub(crate) use measure::{measure_cpu, measure_gpu};

use std::iter::Sum;
use std::ops::{Add, Mul};

use serde::{Deserialize, Serialize};

/// A GPU is chosen when it is expected to take less than this share of the CPU's time.
pub const MARGIN: f64 = 0.7;
/// Kernels that are taken to compile side by side. All that a submit needs does, on the threads of the pool, and so do those
/// that are begun ahead; no more is counted on, as a driver may lock and a pool be busy.
pub const COMPILED_TOGETHER: f64 = 4.0;

/// What a call takes. Costs add up: `fit` and `predict`, the members of an ensemble.
///
/// ```
/// use gristmill::cost::{CARDS, Cost};
/// // A product of two 4096×4096 matrices, from the host.
/// let product = Cost { operations: 2.0 * 4096_f64.powi(3), kernels: 1.0, ..Cost::uploading(8192, 4096) };
/// assert!(product.on(&CARDS[0].cpu, &CARDS[0].gpu).gpu_wins());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Cost {
    /// Floating-point operations of tiles: products and distances. Other arithmetic counts by the time it takes.
    pub operations: f64,
    /// Of these, what the CPU is spared: by bounds, by an index, by features that were not drawn.
    pub spared_operations: f64,
    /// Bytes read and written by passes over arrays.
    pub streamed_bytes: f64,
    /// Bytes that the host streams wherever the rest runs.
    pub host_bytes: f64,
    /// Bytes between the host and a GPU, in both directions.
    pub moved_bytes: f64,
    /// How often the host waits for a GPU.
    pub syncs: f64,
    /// Kernels that the driver of a GPU compiles.
    pub kernels: f64,
}

impl Cost {
    /// n×d rows that go to a GPU, and nothing else.
    pub fn uploading(rows: usize, columns: usize) -> Cost {
        Cost { moved_bytes: 4.0 * rows as f64 * columns as f64, syncs: 1.0, ..Cost::default() }
    }

    /// The seconds that are expected on a CPU and on a GPU beside it.
    pub fn on(&self, cpu: &CpuRates, gpu: &GpuRates) -> Expected {
        let of_host = self.host_bytes / (1e9 * cpu.stream_gb_s);
        let on_cpu = (self.operations - self.spared_operations) / (1e9 * cpu.tile_gflops)
            + self.streamed_bytes / (1e9 * cpu.stream_gb_s)
            + of_host;
        let on_gpu = self.operations / (1e9 * gpu.tile_gflops)
            + self.streamed_bytes / (1e9 * gpu.stream_gb_s)
            + of_host
            + self.moved_bytes / (1e9 * gpu.upload_gb_s)
            + self.syncs * 1e-6 * gpu.sync_us
            + (self.kernels / COMPILED_TOGETHER).ceil() * 1e-3 * gpu.compile_ms;
        Expected { cpu: on_cpu, gpu: on_gpu }
    }
}

impl Add for Cost {
    type Output = Cost;

    fn add(self, other: Cost) -> Cost {
        Cost {
            operations: self.operations + other.operations,
            spared_operations: self.spared_operations + other.spared_operations,
            streamed_bytes: self.streamed_bytes + other.streamed_bytes,
            host_bytes: self.host_bytes + other.host_bytes,
            moved_bytes: self.moved_bytes + other.moved_bytes,
            syncs: self.syncs + other.syncs,
            // The same kernels serve both, so they are compiled once.
            kernels: self.kernels.max(other.kernels),
        }
    }
}

/// The same work so many times; kernels are compiled once.
impl Mul<f64> for Cost {
    type Output = Cost;

    fn mul(self, times: f64) -> Cost {
        Cost {
            operations: self.operations * times,
            spared_operations: self.spared_operations * times,
            streamed_bytes: self.streamed_bytes * times,
            host_bytes: self.host_bytes * times,
            moved_bytes: self.moved_bytes * times,
            syncs: self.syncs * times,
            kernels: self.kernels,
        }
    }
}

impl Sum for Cost {
    fn sum<I: Iterator<Item = Cost>>(costs: I) -> Cost {
        costs.fold(Cost::default(), Add::add)
    }
}

/// The seconds that are expected of a call.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Expected {
    /// On the CPU.
    pub cpu: f64,
    /// On the GPU, with everything that it needs from the host.
    pub gpu: f64,
}

impl Expected {
    /// Whether the GPU is worth it: it takes less than [`MARGIN`] of the CPU's time.
    pub fn gpu_wins(&self) -> bool {
        self.gpu < MARGIN * self.cpu
    }
}

/// What a CPU does in a second, all threads together.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CpuRates {
    /// 10⁹ floating-point operations of a matrix product.
    pub tile_gflops: f64,
    /// 10⁹ bytes read from memory.
    pub stream_gb_s: f64,
}

/// What a GPU does in a second, and what it costs to reach it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct GpuRates {
    /// 10⁹ floating-point operations of a matrix product.
    pub tile_gflops: f64,
    /// 10⁹ bytes read from its memory.
    pub stream_gb_s: f64,
    /// 10⁹ bytes a second from the host to the device, as this crate uploads them.
    pub upload_gb_s: f64,
    /// Microseconds from a submit to its result on the host.
    pub sync_us: f64,
    /// Milliseconds to compile [`COMPILED_TOGETHER`] kernels side by side: those of one, where a driver and as many threads
    /// allow it.
    pub compile_ms: f64,
}
