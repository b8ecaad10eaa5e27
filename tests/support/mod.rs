//! What the test binaries share: devices that are really there, and numbers that are the same every run.
#![allow(dead_code)]

pub mod nist;

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use gristmill::model_file::{Element, Persist};
use gristmill::prelude::*;

/// A GPU with these options. There must be one: a test of the GPU path that cannot run fails.
pub fn open_gpu(options: DeviceOptions) -> Device {
    Device::open_with("gpu", options).expect("the tests need a GPU or a software Vulkan driver: run scripts/test")
}

/// Outputs are marked, so an unwritten value is an error. A busy machine may take its time: one timeout of a shared
/// device would fail every test behind it.
fn options() -> DeviceOptions {
    DeviceOptions::default().mark_outputs(true).timeout(Duration::from_secs(600))
}

/// A device that tests share. One that a test has poisoned is left to that test, and a new one opened for the others.
pub struct Shared {
    options: fn() -> DeviceOptions,
    current: Mutex<Option<&'static Device>>,
}

impl Shared {
    pub const fn new(options: fn() -> DeviceOptions) -> Shared {
        Shared { options, current: Mutex::new(None) }
    }

    pub fn device(&self) -> &'static Device {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        // Any new array asks whether the device is well.
        match *current {
            Some(device) if Matrix::zeros(1, 1).unwrap().to(device).is_ok() => device,
            _ => current.insert(Box::leak(Box::new(open_gpu((self.options)())))),
        }
    }
}

/// The GPU with the adapter's limits, shared by all tests.
pub fn gpu() -> &'static Device {
    static GPU: Shared = Shared::new(options);
    GPU.device()
}

/// A GPU with memory, chunks, counts and profile of its own that shares what [`gpu`] or [`baseline`] has compiled: on a software
/// driver most of a test's time is the compiler's.
pub fn gpu_with(options: DeviceOptions) -> Device {
    let first = if options.limits == Limits::Adapter { gpu() } else { baseline() };
    first.beside(options.timeout(Duration::from_secs(600)))
}

/// The GPU at WebGPU's minimum limits, with arrays copied over as to a card.
pub fn baseline() -> &'static Device {
    static BASELINE: Shared = Shared::new(|| options().limits(Limits::WebGpuMinimum).map_arrays(false));
    BASELINE.device()
}

/// The CPU and both GPUs, with names for messages.
pub fn devices() -> [(&'static str, &'static Device); 3] {
    [("cpu", &Device::Cpu), ("gpu", gpu()), ("baseline", baseline())]
}

/// Uniform numbers in [-1, 1), the same for the same seed.
pub fn numbers(count: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let next = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 40) as f32) / (1u64 << 23) as f32 - 1.0
    };
    (0..count).map(next).collect()
}

/// A matrix of [`numbers`].
pub fn matrix(rows: usize, columns: usize, seed: u64) -> Matrix {
    Matrix::from_vec(rows, columns, numbers(rows * columns, seed)).unwrap()
}

/// Half of `f32::EPSILON`: the largest relative rounding error.
pub const EPS: f64 = 1.0 / (1u64 << 24) as f64;

/// The bits, for comparisons that mean the same bits.
pub fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// Whether a model's file is refused once one of its arrays is changed.
pub fn refused_when_changed<M: Persist, T: Element>(model: &M, name: &str, change: impl Fn(&mut Vec<T>)) -> bool {
    let mut container = model.to_container().unwrap();
    let (_, tensor) = container.tensors().find(|(found, _)| *found == name).unwrap();
    let shape = tensor.shape().to_vec();
    let mut values: Vec<T> = container.take(name, &shape).unwrap();
    change(&mut values);
    let shape = if shape.len() == 1 { vec![values.len()] } else { shape };
    container.insert(name, &shape, values).unwrap();
    M::from_bytes(&container.to_bytes().unwrap()).is_err()
}
