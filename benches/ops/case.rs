//! One measurement: a kernel at a size, with the work it stands for.

use std::sync::Arc;

use gristmill::ops::{random::philox::Draw, random_uniforms};
use gristmill::prelude::*;

/// A prepared run: does the work once and returns when it is done.
pub type Job = Box<dyn FnMut() -> Result<()>>;

type Prepare = dyn Fn(&Device) -> Result<Job>;

/// What limits a kernel, and so what its speed is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Arithmetic operations, shown as GFLOP/s.
    Operations(u64),
    /// Bytes that must move, shown as GB/s.
    Bytes(u64),
}

/// A kernel at a size.
#[derive(Clone)]
pub struct Case {
    /// `family/kernel`.
    pub kernel: &'static str,
    /// The size, as in `2048x2048x2048`.
    pub size: String,
    /// The work of one run.
    pub work: Work,
    prepare: Arc<Prepare>,
}

impl Case {
    /// A case whose job is made for a device by `prepare`, which uploads what the job needs.
    pub fn new(
        kernel: &'static str,
        size: String,
        work: Work,
        prepare: impl Fn(&Device) -> Result<Job> + 'static,
    ) -> Case {
        Case { kernel, size, work, prepare: Arc::new(prepare) }
    }

    /// The job on a device.
    pub fn prepare(&self, device: &Device) -> Result<Job> {
        (self.prepare)(device)
    }
}

/// A matrix of uniform numbers in [-1, 1), the same every time.
pub fn uniform(rows: usize, columns: usize) -> Result<Matrix> {
    let mut stream = Device::Cpu.stream();
    let numbers = random_uniforms(&mut stream, Draw::new(42, 0), rows * columns)?.to_vec(&mut stream)?;
    Matrix::from_vec(rows, columns, numbers.into_iter().map(|number| 2.0 * number - 1.0).collect())
}
