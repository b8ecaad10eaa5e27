//! What a kernel is: its shader, its bindings, its parameters; how many workgroups it takes.
//!
//! `docs/kernels.md` in the repository says how to write one.

mod declare;
mod grid;
pub mod source;

pub(crate) use declare::{kernels, params};
pub use grid::{Grid, MAX_GROUPS};

/// How a buffer is bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// `var<storage, read>`
    Read,
    /// `var<storage, read_write>`
    Write,
    /// `var<uniform>`: small operands that all lanes read at the same place, 64 KiB; see [`UNIFORM_BYTES`].
    Uniform,
}

/// One field of a kernel's `Params`: the layout test compares it with the shader's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// The name, the same in Rust and WGSL.
    pub name: &'static str,
    /// Bytes from the start of `Params`, by `offset_of!`.
    pub offset: usize,
}

/// A compute shader and everything the host must know to run it.
///
/// Group 0, binding 0 is `Params` (uniform); 1 to 6 are the buffers in [`Kernel::buffers`]; 7 is the status
/// word of `shaders/lib/status.wgsl`. The entry point is `main`.
#[derive(Debug, Clone, Copy)]
pub struct Kernel {
    /// `family/kernel`, or `family/kernel__variant`: the path of the shader below `shaders/`.
    pub name: &'static str,
    /// The text of the shader, imports not yet expanded.
    pub source: &'static str,
    /// The buffers from binding 1 on.
    pub buffers: &'static [Access],
    /// The fields of `Params`.
    pub params: &'static [Field],
    /// Bytes of `Params`, filled up to a multiple of 16.
    pub params_size: usize,
}

/// Bytes of a buffer bound as [`Access::Uniform`], all that WebGPU guarantees.
pub const UNIFORM_BYTES: u64 = 1 << 16;

/// The binding of the status word.
pub const STATUS_BINDING: u32 = 7;

/// What one dispatch costs, for the submit budget and the profile.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// Arithmetic operations; a fused multiply-add counts two.
    pub operations: u64,
    /// Bytes read and written, each operand counted once.
    pub bytes: u64,
}

impl Work {
    /// Operations, with a byte that moves as four of them.
    pub(crate) fn cost(self) -> u64 {
        self.operations + 4 * self.bytes
    }
}
