//! The support that all test binaries share.

#[path = "../support/mod.rs"]
mod support;

pub use support::*;

use std::sync::OnceLock;

use gristmill::prelude::*;

/// The GPU without the kernels that read 64-bit words: what a card runs, also where a software driver has another form.
pub fn short_words() -> &'static Device {
    static SHORT: OnceLock<Device> = OnceLock::new();
    SHORT.get_or_init(|| open_gpu(DeviceOptions::default().short_words(true).mark_outputs(true)))
}

/// [`devices`], and the GPU with short words: every form of a kernel.
pub fn forms() -> [(&'static str, &'static Device); 4] {
    let [cpu, gpu, floor] = devices();
    [cpu, gpu, ("short words", short_words()), floor]
}
