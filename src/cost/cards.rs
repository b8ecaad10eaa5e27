//! Published figures of a few cards, and what is made of them.

use super::{CpuRates, GpuRates};

/// Of the published peak, what a tile is taken to reach: compilers put 80 to 94 % multiply-adds into its loop, and no
/// card keeps every lane busy.
const TILE_SHARE: f64 = 0.5;
/// Of the published bandwidth, what a pass over an array is taken to reach.
const STREAM_SHARE: f64 = 0.8;

/// A card as it is published, with a CPU that it is sold beside. No one has measured Gristmill on it.
#[derive(Debug, Clone, Copy)]
pub struct Card {
    /// Its name.
    pub name: &'static str,
    /// The published figures.
    pub published: &'static str,
    /// The rates that follow.
    pub gpu: GpuRates,
    /// The CPU.
    pub host: &'static str,
    /// Its rates: three quarters of its peak with AVX2 or NEON, and of its memory's bandwidth.
    pub cpu: CpuRates,
}

/// A card of so many 10¹² operations (a multiply-add is two) and 10⁹ bytes a second.
const fn rates(peak: f64, bandwidth: f64, upload_gb_s: f64, sync_us: f64, compile_ms: f64) -> GpuRates {
    let (tile_gflops, stream_gb_s) = (1e3 * TILE_SHARE * peak, STREAM_SHARE * bandwidth);
    GpuRates { tile_gflops, stream_gb_s, upload_gb_s, sync_us, compile_ms }
}

/// Cards that people own. An upload is bounded by the one thread that fills the staging buffers, not by the bus; waits
/// are those of Linux drivers.
pub const CARDS: &[Card] = &[
    Card {
        name: "RTX 4070",
        published: "5888 lanes × 2.48 GHz: 29.1 TFLOP/s; 504 GB/s; PCIe 4 ×16",
        gpu: rates(29.1, 504.0, 6.0, 80.0, 20.0),
        host: "Ryzen 7 7700, 8 cores, DDR5-5200",
        cpu: CpuRates { tile_gflops: 920.0, stream_gb_s: 62.0 },
    },
    Card {
        name: "RX 7800 XT",
        published: "3840 lanes × 2.43 GHz: 18.7 TFLOP/s without dual issue; 624 GB/s; PCIe 4 ×16",
        gpu: rates(18.7, 624.0, 6.0, 80.0, 30.0),
        host: "Ryzen 7 7700, 8 cores, DDR5-5200",
        cpu: CpuRates { tile_gflops: 920.0, stream_gb_s: 62.0 },
    },
    Card {
        name: "M2",
        published: "10 cores, 1280 lanes × 1.4 GHz: 3.6 TFLOP/s; 100 GB/s, shared with the CPU",
        gpu: rates(3.6, 100.0, 12.0, 150.0, 25.0),
        host: "M2, 4 + 4 cores",
        cpu: CpuRates { tile_gflops: 400.0, stream_gb_s: 70.0 },
    },
    Card {
        name: "Arc A770",
        published: "4096 lanes × 2.1 GHz: 17.2 TFLOP/s; 560 GB/s; PCIe 4 ×16",
        gpu: rates(17.2, 560.0, 6.0, 100.0, 40.0),
        host: "Core i7-12700, 8 + 4 cores, DDR4-3200",
        cpu: CpuRates { tile_gflops: 1000.0, stream_gb_s: 38.0 },
    },
    Card {
        name: "UHD 620",
        published: "24 units, 192 lanes × 1.1 GHz: 0.42 TFLOP/s; 34 GB/s, shared with the CPU",
        gpu: rates(0.42, 34.0, 6.0, 150.0, 60.0),
        // It was never sold beside more than four cores.
        host: "Core i7-8650U, 4 cores at 2.9 GHz, DDR4-2133",
        cpu: CpuRates { tile_gflops: 280.0, stream_gb_s: 25.0 },
    },
];
