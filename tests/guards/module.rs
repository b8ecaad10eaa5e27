//! A kernel as naga sees it, and the loop over all kernels that every guard uses.

use gristmill::kernel::Kernel;
use gristmill::kernel::source::expand;
use naga::valid::{Capabilities, FunctionInfo, ModuleInfo, ValidationFlags, Validator};
use naga::{Function, Module};

/// A shader, imports expanded, parsed and validated.
pub struct Parsed {
    pub text: String,
    pub module: Module,
    pub info: ModuleInfo,
}

impl Parsed {
    /// The error is naga's message with the lines it points at.
    pub fn new(text: String, capabilities: Capabilities) -> Result<Self, String> {
        let module = naga::front::wgsl::parse_str(&text).map_err(|error| error.emit_to_string(&text))?;
        let validated = Validator::new(ValidationFlags::all(), capabilities).validate(&module);
        let info = validated.map_err(|error| error.emit_to_string(&text))?;
        Ok(Self { text, module, info })
    }

    /// A shader written in a test, which may ask for anything.
    pub fn sample(text: &str) -> Self {
        Self::new(text.to_string(), Capabilities::all()).unwrap_or_else(|why| panic!("{why}"))
    }

    pub fn of(kernel: &Kernel) -> Result<Self, String> {
        Self::new(expand(kernel.source)?, Capabilities::empty())
    }

    /// The same with every override replaced by its default, as a pipeline would see it.
    pub fn resolved(&self) -> (Module, ModuleInfo) {
        let constants = naga::back::PipelineConstants::default();
        let entry = Some((naga::ShaderStage::Compute, "main"));
        let done = naga::back::pipeline_constants::process_overrides(&self.module, &self.info, entry, &constants);
        let (module, info) = done.expect("overrides with their defaults");
        (module.into_owned(), info.into_owned())
    }

    /// Every function with its name and what the validator found, entry points last.
    pub fn functions(&self) -> impl Iterator<Item = (&str, &Function, &FunctionInfo)> {
        let plain = self.module.functions.iter();
        let plain = plain.map(|(handle, function)| (name_of(&function.name), function, &self.info[handle]));
        let entries = self.module.entry_points.iter().enumerate();
        plain.chain(entries.map(|(at, entry)| (entry.name.as_str(), &entry.function, self.info.get_entry_point(at))))
    }
}

/// A name, or a word that says there is none.
pub fn name_of(name: &Option<String>) -> &str {
    name.as_deref().unwrap_or("(unnamed)")
}

/// Panics with the faults of all kernels together, so that one run shows everything.
pub fn check_every_kernel(faults: impl Fn(&Kernel, &Parsed) -> Vec<String>) {
    let mut found = vec![];
    for kernel in gristmill::ops::kernels() {
        match Parsed::of(kernel) {
            Ok(parsed) => {
                found.extend(faults(kernel, &parsed).into_iter().map(|why| format!("{}: {why}", kernel.name)))
            }
            Err(why) => found.push(format!("{}: naga refuses it: {why}", kernel.name)),
        }
    }
    assert_none(&found);
}

/// Panics with one fault a line.
pub fn assert_none(faults: &[String]) {
    assert!(faults.is_empty(), "{} found\n  {}", faults.len(), faults.join("\n  "));
}

#[test]
fn every_kernel_parses_and_validates_with_what_it_says_it_needs() {
    check_every_kernel(|_, _| vec![]);
}

#[test]
fn a_subgroup_operation_is_refused_at_baseline_limits() {
    let text = "@compute @workgroup_size(64) fn main() { _ = subgroupAdd(1u); }".to_string();
    assert!(Parsed::new(text.clone(), Capabilities::empty()).is_err());
    assert!(Parsed::new(text, Capabilities::SUBGROUP).is_ok());
}
