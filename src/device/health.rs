//! Turning wgpu's panics, scopes and callbacks into errors; the first error is the device's for good.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::{Error, Result};

/// The first error of a device. Once set, everything on that device fails with it.
#[derive(Debug, Default)]
pub(crate) struct Health {
    first: Mutex<Option<Error>>,
}

impl Health {
    /// Remembers the error if it is the first, and returns the first.
    pub(crate) fn poison(&self, error: Error) -> Error {
        lock(&self.first).get_or_insert(error).clone()
    }

    /// The first error, if there was one.
    pub(crate) fn check(&self) -> Result<()> {
        match &*lock(&self.first) {
            Some(error) => Err(error.clone()),
            None => Ok(()),
        }
    }
}

/// Sends wgpu's uncaptured errors and the loss of the device to `health`, instead of a panic.
pub(crate) fn watch(device: &wgpu::Device, health: &Arc<Health>) {
    let errors = health.clone();
    device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
        errors.poison(match error {
            wgpu::Error::OutOfMemory { .. } => {
                Error::OutOfMemory { what: "an allocation inside the driver".to_string() }
            }
            // wgpu reports use after loss as a validation error too.
            other => Error::DeviceLost { why: other.to_string() },
        });
    }));
    let lost = health.clone();
    device.set_device_lost_callback(move |reason, message| {
        lost.poison(Error::DeviceLost { why: format!("{reason:?}: {message}") });
    });
}

/// Why wgpu refused to create something.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("out of memory")]
    OutOfMemory,
    #[error("{0}")]
    Invalid(String),
}

/// Runs `create` inside error scopes and returns what they caught.
pub(crate) fn guarded<T>(device: &wgpu::Device, create: impl FnOnce() -> T) -> std::result::Result<T, Refusal> {
    let memory = device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
    let internal = device.push_error_scope(wgpu::ErrorFilter::Internal);
    let validation = device.push_error_scope(wgpu::ErrorFilter::Validation);
    let made = create();
    // Last in, first out.
    let refused = [validation.pop(), internal.pop()].map(pollster::block_on);
    if pollster::block_on(memory.pop()).is_some() {
        return Err(Refusal::OutOfMemory);
    }
    match refused.into_iter().flatten().next() {
        Some(error) => Err(Refusal::Invalid(error.to_string())),
        None => Ok(made),
    }
}

/// Locks; a thread that panicked while holding the lock left nothing half-done that matters here.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
