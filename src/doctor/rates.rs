//! How fast a device is: what `Cost` is measured by, and what users ask for.

use serde::Serialize;

use super::numbers;
use crate::array::Matrix;
use crate::clock::Instant;
use crate::cost::{CpuRates, GpuRates, measure_cpu, measure_gpu};
use crate::device::Device;
use crate::error::Result;
use crate::ops;

/// Values that are read back.
const READ: usize = 4 << 20;

/// The rates of the CPU and of a GPU.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Speeds {
    /// The CPU's.
    pub cpu: CpuRates,
    /// The GPU's; none for the CPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpu: Option<GpuRates>,
    /// 10⁹ bytes a second from the device to the host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub readback_gb_s: Option<f64>,
}

pub(super) fn measure(device: &Device) -> Result<Speeds> {
    let cpu = measure_cpu()?;
    if let Device::Cpu = device {
        return Ok(Speeds { cpu, gpu: None, readback_gb_s: None });
    }
    let gpu = measure_gpu(device)?;
    let mut stream = device.stream();
    let x = Matrix::from_vec(READ / 1024, 1024, numbers(READ, 9))?.to(device)?;
    // A result, not the upload, which the host still has.
    let made = ops::transpose(&mut stream, &x)?;
    stream.finish()?;
    let mut least = f64::INFINITY;
    for _ in 0..3 {
        let begun = Instant::now();
        made.to_matrix(&mut stream)?;
        least = least.min(begun.elapsed().as_secs_f64());
    }
    Ok(Speeds { cpu, gpu: Some(gpu), readback_gb_s: Some(4e-9 * READ as f64 / least) })
}
