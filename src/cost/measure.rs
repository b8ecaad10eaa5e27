//! Measuring the rates of this machine: well under a second, with the ops that fits are made of.

use super::{COMPILED_TOGETHER, CpuRates, GpuRates};
use crate::array::{DeviceMatrix, Matrix};
use crate::clock::Instant;
use crate::cpu::linalg::gemm::{Layout, gemm};
use crate::cpu::reduce::sum::sum;
use crate::device::{Device, Stream};
use crate::error::Result;
use crate::ops;

/// Side of the product on the CPU, and on a GPU.
const CPU_SIDE: usize = 512;
const GPU_SIDE: usize = 1024;
/// Values that are streamed: more than the caches of most machines hold.
const STREAMED: usize = 8 << 20;
/// Products in a row when one alone is over before the host can tell.
const MANY: usize = 16;
/// Seconds below which one product says little.
const SHORT: f64 = 2e-3;

/// The least seconds of a few runs: the first ones warm caches and clocks.
fn best(runs: usize, mut run: impl FnMut() -> Result<()>) -> Result<f64> {
    let mut least = f64::INFINITY;
    for _ in 0..runs {
        let begun = Instant::now();
        run()?;
        least = least.min(begun.elapsed().as_secs_f64());
    }
    Ok(least.max(1e-9))
}

fn numbers(count: usize) -> Vec<f32> {
    (0..count).map(|at| (at % 251) as f32 / 256.0).collect()
}

/// The rates of the CPU, in some 50 ms.
pub(crate) fn measure_cpu() -> Result<CpuRates> {
    let (shape, mut c) = ((CPU_SIDE, CPU_SIDE), vec![0.0; CPU_SIDE * CPU_SIDE]);
    let a = numbers(CPU_SIDE * CPU_SIDE);
    let product = best(5, || {
        gemm(Layout::NT, 1.0, &a, shape, &a, shape, 0.0, &mut c);
        Ok(())
    })?;
    let values = numbers(STREAMED);
    let pass = best(4, || {
        std::hint::black_box(sum(&values));
        Ok(())
    })?;
    Ok(CpuRates { tile_gflops: 2e-9 * (CPU_SIDE as f64).powi(3) / product, stream_gb_s: 4e-9 * STREAMED as f64 / pass })
}

/// The rates of a GPU, as programs of this crate meet them.
pub(crate) fn measure_gpu(device: &Device) -> Result<GpuRates> {
    let mut stream = device.stream();
    let small = Matrix::from_vec(64, 64, numbers(64 * 64))?.to(device)?;
    let cold = best(1, || new_kernels(&mut stream, &small))?;
    let compile = cold - best(2, || new_kernels(&mut stream, &small))?;
    products(&mut stream, &small, 1)?;
    let sync = best(8, || products(&mut stream, &small, 1))?;

    let host = Matrix::from_vec(STREAMED / 1024, 1024, numbers(STREAMED))?;
    let mut x = host.to(device)?;
    passes(&mut stream, &x, 1)?;
    let uploaded = best(3, || {
        x = host.to(device)?;
        passes(&mut stream, &x, 1)
    })?;
    let pass = best(2, || passes(&mut stream, &x, MANY))? / MANY as f64;
    let upload = (uploaded - pass - sync).max(0.1 * uploaded);

    let large = Matrix::from_vec(GPU_SIDE, GPU_SIDE, numbers(GPU_SIDE * GPU_SIDE))?.to(device)?;
    let mut product = best(2, || products(&mut stream, &large, 1))?;
    if product < SHORT {
        product = best(2, || products(&mut stream, &large, MANY))? / MANY as f64;
    }
    Ok(GpuRates {
        tile_gflops: 2e-9 * (GPU_SIDE as f64).powi(3) / product,
        stream_gb_s: 4e-9 * STREAMED as f64 / pass,
        upload_gb_s: 4e-9 * STREAMED as f64 / upload,
        sync_us: 1e6 * sync,
        compile_ms: 1e3 * compile.max(0.0),
    })
}

/// As many kernels as the cost model takes to compile side by side, in one submit; a device's checks do without them.
fn new_kernels(stream: &mut Stream, x: &DeviceMatrix) -> Result<()> {
    const { assert!(COMPILED_TOGETHER == 4.0) };
    ops::gemm(stream, Layout::NN, x, x)?;
    ops::gemm(stream, Layout::TN, x, x)?;
    ops::sq_euclidean(stream, x, x)?;
    ops::row_sums(stream, x)?;
    stream.finish()
}

fn products(stream: &mut Stream, x: &DeviceMatrix, count: usize) -> Result<()> {
    for _ in 0..count {
        ops::gemm(stream, Layout::NT, x, x)?;
    }
    stream.finish()
}

fn passes(stream: &mut Stream, x: &DeviceMatrix, count: usize) -> Result<()> {
    for _ in 0..count {
        ops::row_sums(stream, x)?;
    }
    stream.finish()
}
