//! Every kernel becomes SPIR-V, Metal and HLSL: the three languages wgpu hands to drivers.

use std::collections::BTreeMap;

use naga::back::{hlsl, msl, spv};
use naga::valid::ModuleInfo;
use naga::{AddressSpace, Module, ShaderStage, StorageAccess};

use super::bindings::bound;
use super::module::{Parsed, check_every_kernel};

/// What wgpu gives to Vulkan.
const SPIRV: (u8, u8) = (1, 3);
/// macOS 12; SIMD-group functions came with 2.1.
const METAL: (u8, u8) = (2, 4);

fn spirv(module: &Module, info: &ModuleInfo) -> Result<Vec<u32>, String> {
    let options = spv::Options { lang_version: SPIRV, ..Default::default() };
    let entry = spv::PipelineOptions { shader_stage: ShaderStage::Compute, entry_point: "main".to_string() };
    spv::write_vec(module, info, &options, Some(&entry)).map_err(|why| format!("SPIR-V: {why}"))
}

/// Slots as wgpu gives them: the bindings in order, then the buffer with the lengths of runtime arrays.
fn metal(parsed: &Parsed, module: &Module, info: &ModuleInfo) -> Result<String, String> {
    let mut slots: Vec<_> = bound(parsed).map(|(binding, variable)| (binding, variable.space)).collect();
    slots.sort_by_key(|(binding, _)| (binding.group, binding.binding));
    let sizes = slots.len() as u8;
    let resources = (0..).zip(slots).map(|(slot, (binding, space))| {
        let mutable = matches!(space, AddressSpace::Storage { access } if access.contains(StorageAccess::STORE));
        (binding, msl::BindTarget { buffer: Some(slot), mutable, ..Default::default() })
    });
    let resources =
        msl::EntryPointResources { resources: resources.collect(), sizes_buffer: Some(sizes), ..Default::default() };
    let options = msl::Options {
        lang_version: METAL,
        per_entry_point_map: BTreeMap::from([("main".to_string(), resources)]),
        fake_missing_bindings: false,
        ..Default::default()
    };
    let entry = msl::PipelineOptions { entry_point: main_entry(), ..Default::default() };
    let (text, names) = msl::write_string(module, info, &options, &entry).map_err(|why| format!("Metal: {why}"))?;
    let failed = names.entry_point_names.iter().find_map(|name| name.as_ref().err());
    failed.map_or(Ok(text), |why| Err(format!("Metal: {why}")))
}

pub fn high_level(module: &Module, info: &ModuleInfo, model: hlsl::ShaderModel) -> Result<String, String> {
    let options = hlsl::Options { shader_model: model, ..Default::default() };
    let entry = hlsl::PipelineOptions { entry_point: main_entry() };
    let mut text = String::new();
    let written = hlsl::Writer::new(&mut text, &options, &entry).write(module, info, None);
    let names = written.map_err(|why| format!("HLSL {}: {why}", model.to_str()))?.entry_point_names;
    let failed = names.into_iter().find_map(Result::err);
    failed.map_or(Ok(text), |why| Err(format!("HLSL {}: {why}", model.to_str())))
}

fn main_entry() -> Option<(ShaderStage, String)> {
    Some((ShaderStage::Compute, "main".to_string()))
}

/// The old compiler's shader model and the first of the new one.
const SHADER_MODELS: [hlsl::ShaderModel; 2] = [hlsl::ShaderModel::V5_1, hlsl::ShaderModel::V6_0];

fn check(parsed: &Parsed, faults: &mut Vec<String>) {
    let (module, info) = parsed.resolved();
    match spirv(&module, &info) {
        Ok(words) if words[..2] == [0x0723_0203, 0x0001_0300] => {}
        Ok(words) => faults.push(format!("SPIR-V begins {:#x?}", &words[..2])),
        Err(why) => faults.push(why),
    }
    match metal(parsed, &module, &info) {
        Ok(text) if text.contains("kernel void main_(") => {}
        Ok(_) => faults.push("Metal without a kernel main_".to_string()),
        Err(why) => faults.push(why),
    }
    for model in SHADER_MODELS {
        match high_level(&module, &info, model) {
            Ok(text) if text.contains("[numthreads(") => {}
            Ok(_) => faults.push(format!("HLSL {} without numthreads", model.to_str())),
            Err(why) => faults.push(why),
        }
    }
}

#[test]
fn every_kernel_translates_to_spirv_metal_and_hlsl() {
    check_every_kernel(|_, parsed| {
        let mut faults = vec![];
        check(parsed, &mut faults);
        faults
    });
}

#[test]
fn a_binding_without_a_place_in_metal_is_found() {
    let parsed = Parsed::sample("var<immediate> count: u32; @compute @workgroup_size(1) fn main() { _ = count; }");
    let (module, info) = parsed.resolved();
    assert!(metal(&parsed, &module, &info).is_err());
}
