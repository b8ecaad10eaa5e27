//! What no kernel may use, because some device lacks it or some compiler drops it.

use gristmill::kernel::Kernel;
use naga::{AddressSpace, Barrier, Binding, Block, BuiltIn, Scalar, ScalarKind, Statement, TypeInner};

use super::module::{Parsed, check_every_kernel, name_of};

/// Words that may not stand in a shader outside comments: naga may not know them, other compilers do.
const WORDS: &[&str] =
    &["enable", "requires", "f16", "f64", "i64", "u64", "isNan", "isInf", "isnan", "isinf", "immediate"];

fn faults(_: &Kernel, parsed: &Parsed) -> Vec<String> {
    let mut faults = word_faults(&parsed.text);
    faults.extend(type_faults(parsed));
    faults.extend(subgroup_uses(parsed).map(|name| format!("{name} uses subgroups, which differ from card to card")));
    faults
}

fn word_faults(text: &str) -> Vec<String> {
    let code = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    let words = code.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'));
    words.filter(|word| WORDS.contains(word)).map(|word| format!("it says `{word}`")).collect()
}

/// Types by declaration and types of expressions, which need not be declared.
fn type_faults(parsed: &Parsed) -> Vec<String> {
    let types = &parsed.module.types;
    let mut faults: Vec<_> = types.iter().filter_map(|(_, ty)| refused(&ty.inner)).collect();
    for (name, function, info) in parsed.functions() {
        for (handle, _) in function.expressions.iter() {
            faults.extend(refused(info[handle].ty.inner_with(types)).map(|why| format!("{why} in {name}")));
        }
    }
    for (_, variable) in parsed.module.global_variables.iter() {
        if variable.space == AddressSpace::Immediate {
            faults.push(format!("{} is an immediate", name_of(&variable.name)));
        }
    }
    faults.sort();
    faults.dedup();
    faults
}

fn refused(inner: &TypeInner) -> Option<String> {
    let scalar: Scalar = match inner {
        TypeInner::Atomic(scalar) if scalar.kind == ScalarKind::Float => return Some("a float atomic".to_string()),
        TypeInner::Image { .. } | TypeInner::Sampler { .. } => return Some("a texture".to_string()),
        TypeInner::Atomic(scalar) | TypeInner::Scalar(scalar) => *scalar,
        TypeInner::Vector { scalar, .. } | TypeInner::Matrix { scalar, .. } => *scalar,
        TypeInner::ValuePointer { scalar, .. } => *scalar,
        _ => return None,
    };
    let number = matches!(scalar.kind, ScalarKind::Sint | ScalarKind::Uint | ScalarKind::Float);
    (number && scalar.width != 4).then(|| format!("{:?} of {} bits", scalar.kind, 8 * u32::from(scalar.width)))
}

/// The functions that use a subgroup operation or built-in value.
fn subgroup_uses(parsed: &Parsed) -> impl Iterator<Item = &str> {
    let built_in = |binding: &Option<Binding>| {
        use BuiltIn::{NumSubgroups, SubgroupId, SubgroupInvocationId, SubgroupSize};
        let built_in = match binding {
            Some(Binding::BuiltIn(built_in)) => built_in,
            _ => return false,
        };
        matches!(built_in, NumSubgroups | SubgroupId | SubgroupInvocationId | SubgroupSize)
    };
    let used = parsed.functions().filter(move |(_, function, _)| {
        any(&function.body, &is_subgroup) || function.arguments.iter().any(|argument| built_in(&argument.binding))
    });
    used.map(|(name, ..)| name)
}

pub fn is_subgroup(statement: &Statement) -> bool {
    match statement {
        Statement::ControlBarrier(flags) | Statement::MemoryBarrier(flags) => flags.contains(Barrier::SUB_GROUP),
        Statement::SubgroupBallot { .. }
        | Statement::SubgroupGather { .. }
        | Statement::SubgroupCollectiveOperation { .. } => true,
        _ => false,
    }
}

fn any(block: &Block, wanted: &dyn Fn(&Statement) -> bool) -> bool {
    block.iter().any(|statement| {
        wanted(statement)
            || match statement {
                Statement::Block(inner) => any(inner, wanted),
                Statement::If { accept, reject, .. } => any(accept, wanted) || any(reject, wanted),
                Statement::Switch { cases, .. } => cases.iter().any(|case| any(&case.body, wanted)),
                Statement::Loop { body, continuing, .. } => any(body, wanted) || any(continuing, wanted),
                _ => false,
            }
    })
}

#[test]
fn no_kernel_uses_what_some_device_lacks() {
    check_every_kernel(faults);
}

#[test]
fn wide_and_narrow_numbers_are_found_wherever_they_hide() {
    let faults =
        |body: &str| type_faults(&Parsed::sample(&format!("@compute @workgroup_size(1) fn main() {{ {body} }}")));
    assert_eq!(faults("var x = vec4<f32>(1.0); x += vec4<f32>(2.0);"), Vec::<String>::new());
    assert!(faults("let x = 1.0lf; _ = x;").iter().any(|why| why.contains("Float of 64 bits in main")));
    assert!(faults("var x = vec2<u64>(1lu, 2lu);").iter().any(|why| why.contains("Uint of 64 bits")));
    assert!(faults("let x = i64(3); _ = x;").iter().any(|why| why.contains("Sint of 64 bits in main")));
}

#[test]
fn float_atomics_and_immediates_are_found() {
    let faults = |text: &str| type_faults(&Parsed::sample(text));
    let atomic = "@group(0) @binding(0) var<storage, read_write> sum: atomic<f32>;
        @compute @workgroup_size(1) fn main() { _ = atomicAdd(&sum, 1.0); }";
    assert_eq!(faults(atomic)[0], "a float atomic");
    let immediate = "var<immediate> count: u32; @compute @workgroup_size(1) fn main() { _ = count; }";
    assert_eq!(faults(immediate)[0], "count is an immediate");
}

#[test]
fn a_forbidden_word_counts_in_code_and_not_in_comments() {
    assert_eq!(word_faults("// no f16, no isNan here\nlet x = 1.0;\n"), Vec::<String>::new());
    assert_eq!(word_faults("enable f16;\nif (isNan(x)) {}").len(), 3);
}

#[test]
fn subgroup_operations_and_values_are_found() {
    let uses = |text: &str| subgroup_uses(&Parsed::sample(text)).map(str::to_string).collect::<Vec<_>>();
    let nested = "fn total(x: u32) -> u32 { var sum = x; loop { sum = subgroupAdd(sum); break; } return sum; }
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) lane: u32) { _ = total(lane); }";
    assert_eq!(uses(nested), ["total"]);
    let value = "@compute @workgroup_size(64) fn main(@builtin(subgroup_size) size: u32) { _ = size; }";
    assert_eq!(uses(value), ["main"]);
    assert!(uses("@compute @workgroup_size(64) fn main() { workgroupBarrier(); }").is_empty());
}
