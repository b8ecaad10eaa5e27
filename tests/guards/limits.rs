//! What a kernel takes of a workgroup and of the bindings is no more than WebGPU promises everywhere.
//!
//! wgpu does not compare workgroup memory with the limit, so this is the only place that does.

use gristmill::kernel::Kernel;
use naga::proc::Layouter;
use naga::{AddressSpace, Module};

use super::bindings::bound;
use super::module::{Parsed, check_every_kernel};

/// WebGPU's eight, minus the buffer of sizes that Metal needs.
const STORAGE_BUFFERS: usize = 7;
const INVOCATIONS: u32 = 256;
const INVOCATIONS_Z: u32 = 64;
const WORKGROUP_BYTES: u64 = 16 * 1024;
const UNIFORM_BYTES: usize = 64 * 1024;

/// Bytes of workgroup memory, each variable rounded up to 16 as WebGPU counts them.
fn workgroup_bytes(module: &Module) -> u64 {
    let mut layouts = Layouter::default();
    layouts.update(module.to_ctx()).expect("sizes of types");
    let shared = module.global_variables.iter().filter(|(_, variable)| variable.space == AddressSpace::WorkGroup);
    shared.map(|(_, variable)| u64::from(layouts[variable.ty].size).next_multiple_of(16)).sum()
}

fn faults(parsed: &Parsed) -> Vec<String> {
    let (module, _) = parsed.resolved();
    let mut faults = vec![];
    let buffers = bound(parsed).filter(|(_, variable)| matches!(variable.space, AddressSpace::Storage { .. })).count();
    if buffers > STORAGE_BUFFERS {
        faults.push(format!("{buffers} storage buffers, {STORAGE_BUFFERS} are allowed"));
    }
    let mut layouts = Layouter::default();
    layouts.update(module.to_ctx()).expect("sizes of types");
    let uniforms = module.global_variables.iter().filter(|(_, variable)| variable.space == AddressSpace::Uniform);
    for bytes in uniforms.map(|(_, variable)| layouts[variable.ty].size as usize).filter(|bytes| *bytes > UNIFORM_BYTES)
    {
        faults.push(format!("a uniform buffer of {bytes} bytes, {UNIFORM_BYTES} are allowed"));
    }
    let bytes = workgroup_bytes(&module);
    if bytes > WORKGROUP_BYTES {
        faults.push(format!("{bytes} bytes of workgroup memory, {WORKGROUP_BYTES} are allowed"));
    }
    for entry in &module.entry_points {
        let [x, y, z] = entry.workgroup_size;
        if x * y * z > INVOCATIONS || z > INVOCATIONS_Z {
            faults.push(format!("a workgroup of {x}×{y}×{z}, {INVOCATIONS} lanes are allowed"));
        }
    }
    faults
}

#[test]
fn every_kernel_stays_within_the_limits_of_webgpu() {
    check_every_kernel(|kernel: &Kernel, parsed| {
        let mut faults = faults(parsed);
        if kernel.params_size > UNIFORM_BYTES {
            faults.push(format!("Params of {} bytes, {UNIFORM_BYTES} are allowed", kernel.params_size));
        }
        faults
    });
}

#[test]
fn workgroup_memory_is_counted_with_its_padding() {
    let parsed = Parsed::sample(
        "struct Entry { at: vec3<f32>, flag: u32, weight: f32, }
        var<workgroup> entries: array<Entry, 10>;
        var<workgroup> flag: u32;
        @compute @workgroup_size(64) fn main() { entries[0].flag = flag; }",
    );
    assert_eq!(workgroup_bytes(&parsed.module), 10 * 32 + 16);
}

#[test]
fn the_default_of_an_override_counts() {
    let sample = |rows: u32, lanes: u32| {
        Parsed::sample(&format!(
            "override ROWS: u32 = {rows}u;
            override LANES: u32 = {lanes}u;
            var<workgroup> tile: array<vec4<f32>, ROWS * 2u>;
            @compute @workgroup_size(LANES, 2) fn main() {{ tile[0] = vec4<f32>(); }}"
        ))
    };
    assert_eq!(faults(&sample(512, 128)), Vec::<String>::new());
    assert!(faults(&sample(513, 128))[0].contains("16416 bytes"));
    assert!(faults(&sample(512, 129))[0].contains("129×2×1"));
}

#[test]
fn an_eighth_storage_buffer_is_found() {
    let declared: String =
        (0..8).map(|at| format!("@group(0) @binding({at}) var<storage, read_write> b{at}: array<u32>;\n")).collect();
    let parsed = Parsed::sample(&format!("{declared}@compute @workgroup_size(1) fn main() {{ b0[0] = b7[0]; }}"));
    assert!(faults(&parsed)[0].contains("8 storage buffers"));
}

#[test]
fn a_uniform_buffer_that_is_too_large_is_found() {
    let parsed = Parsed::sample(
        "@group(0) @binding(1) var<uniform> all: array<vec4<f32>, 4097>;
        @group(0) @binding(2) var<storage, read_write> out: array<f32>;
        @compute @workgroup_size(1) fn main() { out[0] = all[0].x; }",
    );
    assert!(faults(&parsed)[0].contains("65552 bytes"));
}
