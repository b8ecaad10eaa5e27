//! What the host binds is what the shader declares: buffers, their access, and the layout of `Params`.

use std::collections::BTreeMap;

use gristmill::kernel::{Access, Field, Kernel, STATUS_BINDING};
use naga::{AddressSpace, GlobalVariable, Scalar, StorageAccess, TypeInner};

use super::module::{Parsed, check_every_kernel, name_of};

/// The variables that the host binds, in the order of their declaration.
pub fn bound(parsed: &Parsed) -> impl Iterator<Item = (naga::ResourceBinding, &GlobalVariable)> {
    let all = parsed.module.global_variables.iter();
    all.filter_map(|(_, variable)| variable.binding.map(|binding| (binding, variable)))
}

fn faults(kernel: &Kernel, parsed: &Parsed) -> Vec<String> {
    let mut faults = vec![];
    let mut wanted: BTreeMap<u32, Access> = (1..).zip(kernel.buffers.iter().copied()).collect();
    if let Some(taken) = wanted.insert(STATUS_BINDING, Access::Write) {
        faults.push(format!("binding {STATUS_BINDING} is the status word, and a buffer ({taken:?})"));
    }
    let mut params = None;
    for (binding, variable) in bound(parsed) {
        let at = binding.binding;
        let name = name_of(&variable.name);
        match variable.space {
            _ if binding.group != 0 => faults.push(format!("{name} is in group {}", binding.group)),
            AddressSpace::Uniform if at == 0 => params = Some(variable),
            AddressSpace::Uniform => match wanted.remove(&at) {
                Some(Access::Uniform) => {}
                wish => faults.push(format!("{name} at {at} is uniform, the host binds {wish:?}")),
            },
            AddressSpace::Storage { access } => match wanted.remove(&at) {
                None => faults.push(format!("the host does not bind {name} at {at}")),
                Some(wish) if storage_access(wish) != Some(access) => {
                    faults.push(format!("{name} at {at} is {access:?}, the host binds it for {wish:?}"));
                }
                Some(_) if at == STATUS_BINDING => faults.extend(status_faults(parsed, variable)),
                Some(_) => {}
            },
            space => faults.push(format!("{name} at {at} is {space:?}")),
        }
    }
    faults.extend(wanted.iter().map(|(at, access)| format!("nothing is declared at {at}, the host binds {access:?}")));
    match params {
        None => faults.push("no uniform at binding 0".to_string()),
        Some(variable) => faults.extend(params_faults(kernel, parsed, variable)),
    }
    faults
}

fn storage_access(access: Access) -> Option<StorageAccess> {
    match access {
        Access::Read => Some(StorageAccess::LOAD),
        Access::Write => Some(StorageAccess::LOAD | StorageAccess::STORE),
        Access::Uniform => None,
    }
}

fn status_faults(parsed: &Parsed, variable: &GlobalVariable) -> Option<String> {
    let types = &parsed.module.types;
    let words = match types[variable.ty].inner {
        TypeInner::Array { base, .. } => types[base].inner == TypeInner::Atomic(Scalar::U32),
        _ => false,
    };
    (!words || name_of(&variable.name) != "status").then(|| "the status word is not that of lib/status".to_string())
}

fn params_faults(kernel: &Kernel, parsed: &Parsed, variable: &GlobalVariable) -> Vec<String> {
    let ty = &parsed.module.types[variable.ty];
    let mut faults = vec![];
    if name_of(&variable.name) != "params" || name_of(&ty.name) != "Params" {
        faults.push(format!("binding 0 is {}: {}, not params: Params", name_of(&variable.name), name_of(&ty.name)));
    }
    let TypeInner::Struct { members, span } = &ty.inner else {
        faults.push("Params is no struct".to_string());
        return faults;
    };
    let shader: Vec<_> = members.iter().map(|member| (name_of(&member.name), member.offset as usize)).collect();
    let host: Vec<_> = kernel.params.iter().map(|field| (field.name, field.offset)).collect();
    if shader != host {
        faults.push(format!("Params is {shader:?} in the shader, {host:?} on the host"));
    }
    let size = (*span as usize).next_multiple_of(16);
    if size != kernel.params_size {
        faults.push(format!("Params takes {size} bytes in the shader, {} on the host", kernel.params_size));
    }
    faults
}

#[test]
fn every_kernel_declares_what_the_host_binds() {
    check_every_kernel(faults);
}

const SAMPLE: &str = "
struct Params { count: u32, scale: f32, }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;
@group(0) @binding(7) var<storage, read_write> status: array<atomic<u32>, 4>;
@compute @workgroup_size(64) fn main() { out[0] = x[params.count] * params.scale; atomicAdd(&status[0], 1u); }
";

const HOST: Kernel = Kernel {
    name: "sample",
    source: SAMPLE,
    buffers: &[Access::Read, Access::Write],
    params: &[Field { name: "count", offset: 0 }, Field { name: "scale", offset: 4 }],
    params_size: 16,
};

/// The faults of the sample with one thing changed.
fn after(from: &str, to: &str) -> Vec<String> {
    assert!(SAMPLE.contains(from));
    faults(&HOST, &Parsed::sample(&SAMPLE.replace(from, to)))
}

#[test]
fn a_shader_that_agrees_with_its_host_has_no_fault() {
    assert_eq!(faults(&HOST, &Parsed::sample(SAMPLE)), Vec::<String>::new());
}

#[test]
fn swapped_or_renamed_fields_are_found() {
    assert!(after("count: u32, scale: f32,", "scale: f32, count: u32,")[0].contains("on the host"));
    assert_eq!(after("struct Params { count: u32,", "struct Params { count: u32, @align(16) ").len(), 2);
    let longer = after("scale: f32,", "scale: f32, more: vec4<f32>,");
    assert!(longer[1].contains("takes 32 bytes"), "{longer:?}");
}

#[test]
fn a_buffer_with_another_access_binding_or_group_is_found() {
    assert!(after("<storage, read> x", "<storage, read_write> x")[0].contains("x at 1"));
    assert_eq!(after("@binding(2)", "@binding(3)").len(), 2);
    assert!(after("@group(0) @binding(1)", "@group(1) @binding(1)")[0].contains("group 1"));
}

#[test]
fn a_buffer_too_many_or_too_few_is_found() {
    let more = Kernel { buffers: &[Access::Read, Access::Write, Access::Write], ..HOST };
    assert!(faults(&more, &Parsed::sample(SAMPLE))[0].contains("nothing is declared at 3"));
    let fewer = Kernel { buffers: &[Access::Read], ..HOST };
    assert!(faults(&fewer, &Parsed::sample(SAMPLE))[0].contains("does not bind out at 2"));
}

#[test]
fn a_status_word_of_another_name_or_type_is_found() {
    assert!(after("status", "state")[0].contains("lib/status"));
    let signed = SAMPLE.replace("atomic<u32>", "atomic<i32>").replace("1u);", "1i);");
    assert!(faults(&HOST, &Parsed::sample(&signed))[0].contains("lib/status"));
}
