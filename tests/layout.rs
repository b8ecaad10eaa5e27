//! The tree is as the design says: every kernel has its five files, no layer points upward, no file grows too long.

mod guards;

use std::collections::{BTreeMap, BTreeSet};

use guards::tree;

/// Where a kernel lives besides `shaders/`.
const FOLDERS: &[&str] = &["src/ops", "src/cpu", "tests/ops", "benches/ops"];
/// The modules of `src` from the bottom up: each may name those before it, and no other.
const RANKS: &[&str] = &[
    "settings",
    "clock",
    "error",
    "simd",
    "distance",
    "linalg",
    "kernel",
    "device",
    "cpu",
    "array",
    "ops",
    "losses",
    "solvers",
    "data",
    "splits",
    "metrics",
    "model_file",
    "plot",
    "datasets",
    "theory",
    "cost",
    "doctor",
    "placement",
    "estimator",
    "baseline",
    "preprocessing",
    "neighbors",
    "cluster",
    "linear",
    "kernel_methods",
    "decomposition",
    "mixture",
    "bayes",
    "metric_learning",
    "neural",
    "tree",
    "svm",
    "ensemble",
    "lecture",
    "sequence",
    "decision",
    "pipeline",
    "selection",
    "registry",
    "prelude",
    "bin",
];
/// The only places that may name wgpu.
const WGPU: &[&str] = &["src/device/"];
const LONGEST: usize = 400;

/// `family/kernel` of every shader, variants folded into their kernel.
fn kernels() -> BTreeSet<String> {
    let names = tree::shaders().into_iter();
    names.map(|name| name.split_once("__").map_or(name.clone(), |(kernel, _)| kernel.to_string())).collect()
}

/// The lines of a file that are no comments.
fn code(path: &str) -> String {
    let text = tree::read(path);
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.map(|line| format!("{line}\n")).collect()
}

/// The layer of a file: the first folder or file below `src`, or `bin`.
fn layer(path: &str) -> &str {
    path["src/".len()..].split('/').next().unwrap_or_default().trim_end_matches(".rs")
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// What follows each `crate::` in a file: one name, or the first name of each item in braces.
fn named_in_crate(code: &str) -> Vec<String> {
    let mut found = vec![];
    for (at, start) in code.match_indices("crate::") {
        let rest = &code[at + start.len()..];
        match rest.strip_prefix('{') {
            None => found.extend(words(rest).next().map(str::to_string)),
            Some(group) => {
                let (mut depth, mut first) = (0, true);
                for (at, c) in group.char_indices() {
                    match c {
                        '{' => depth += 1,
                        '}' if depth == 0 => break,
                        '}' => depth -= 1,
                        ',' if depth == 0 => first = true,
                        c if first && depth == 0 && c.is_alphanumeric() => {
                            found.extend(words(&group[at..]).next().map(str::to_string));
                            first = false;
                        }
                        _ => {}
                    }
                }
            }
        }
    }
    found
}

/// The names that `lib.rs` takes out of its modules, each with its module.
fn reexports() -> BTreeMap<String, String> {
    let root = code("src/lib.rs");
    let uses = root.split(';').filter_map(|item| item.rsplit_once("pub use ").map(|(_, used)| used));
    let pairs = uses.flat_map(|used| {
        let mut names = words(used);
        let module = names.next().unwrap_or_default().to_string();
        names.map(move |name| (name.to_string(), module.clone())).collect::<Vec<_>>()
    });
    pairs.filter(|(_, module)| module != "crate").collect()
}

/// The modules that a file reaches through `crate::`, re-exports traced to where they come from.
fn reaches(path: &str, reexports: &BTreeMap<String, String>) -> BTreeSet<String> {
    let names = named_in_crate(&code(path)).into_iter();
    names.map(|name| reexports.get(&name).cloned().unwrap_or(name)).collect()
}

/// Each file that names a module of `src` which does not come before its own in [`RANKS`].
fn upward() -> Vec<String> {
    let rank = |name: &str| RANKS.iter().position(|module| *module == name);
    let reexports = reexports();
    let mut faults = vec![];
    for path in tree::files("src", "rs").iter().filter(|path| *path != "src/lib.rs") {
        let own = layer(path);
        let Some(own_rank) = rank(own) else { continue };
        for module in reaches(path, &reexports) {
            if module != own && rank(&module).is_some_and(|other| other > own_rank) {
                faults.push(format!("{path} reaches up to crate::{module}"));
            }
        }
    }
    faults
}

fn assert_none(faults: &[String]) {
    assert!(faults.is_empty(), "{} found\n  {}", faults.len(), faults.join("\n  "));
}

#[test]
fn every_kernel_has_its_five_files() {
    let mut missing = vec![];
    for kernel in kernels() {
        if !tree::at(&format!("shaders/{kernel}.wgsl")).exists() {
            missing.push(format!("shaders/{kernel}.wgsl (only variants are there)"));
        }
        let files = FOLDERS.iter().map(|folder| format!("{folder}/{kernel}.rs"));
        missing.extend(files.filter(|path| !tree::at(path).exists()));
    }
    assert_none(&missing);
}

#[test]
fn every_op_with_a_kernel_has_its_shader() {
    let kernels = kernels();
    let files = tree::files("src/ops", "rs").into_iter().filter(|path| !path.ends_with("/mod.rs"));
    let lost = files.filter(|path| {
        code(path).contains("pub KERNEL =") && !kernels.contains(&path["src/ops/".len()..path.len() - 3])
    });
    let lost: Vec<_> = lost.map(|path| format!("{path} has a KERNEL, and shaders/ has none of its name")).collect();
    assert_none(&lost);
}

#[test]
fn wgpu_is_named_only_where_devices_are_driven() {
    let elsewhere = tree::files("src", "rs").into_iter();
    let elsewhere = elsewhere.filter(|path| !WGPU.iter().any(|place| path.starts_with(place)));
    let found = elsewhere.filter(|path| code(path).contains("wgpu::") || code(path).contains("use wgpu"));
    let found: Vec<_> = found.map(|path| format!("{path} names wgpu")).collect();
    assert_none(&found);
}

#[test]
fn every_module_has_its_rank() {
    let files = tree::files("src", "rs");
    let modules: BTreeSet<&str> = files.iter().map(|path| layer(path)).filter(|module| *module != "lib").collect();
    assert_eq!(modules, RANKS.iter().copied().collect(), "modules of src, and those that RANKS lists");
    assert_eq!(RANKS.len(), modules.len(), "a module is listed twice");
}

#[test]
fn no_module_reaches_up_to_a_later_one() {
    assert_none(&upward());
}

#[test]
fn no_test_is_where_none_is_run() {
    let inside = tree::files("src", "rs").into_iter().filter(|path| code(path).contains("cfg(test)"));
    let mut lost: Vec<_> = inside.map(|path| format!("{path} has tests, and only those in tests/ are run")).collect();
    for path in tree::files("tests", "rs").into_iter().filter(|path| path.matches('/').count() > 1) {
        let (folder, file) = path.rsplit_once('/').unwrap_or_default();
        let (folder, name) = match file {
            "main.rs" => continue,
            "mod.rs" => folder.rsplit_once('/').unwrap_or_default(),
            _ => (folder, file.trim_end_matches(".rs")),
        };
        let parents: Vec<_> = tree::files(folder, "rs").into_iter().filter(|path| is_parent(folder, path)).collect();
        if !parents.iter().any(|parent| code(parent).contains(&format!("mod {name};"))) {
            lost.push(format!("{path} is in no binary: {} lacks `mod {name};`", parents.join(", ")));
        }
    }
    assert_none(&lost);
}

/// Whether a file can declare the modules of a folder of tests: the binaries for `tests`, else `mod.rs` or `main.rs`.
fn is_parent(folder: &str, path: &str) -> bool {
    match path.strip_prefix(folder) {
        Some("/mod.rs" | "/main.rs") => true,
        Some(file) => folder == "tests" && file.matches('/').count() == 1,
        None => false,
    }
}

#[test]
fn unsafe_code_is_forbidden() {
    assert!(tree::read("src/lib.rs").contains("#![forbid(unsafe_code)]"));
}

#[test]
fn no_source_file_is_longer_than_four_hundred_lines() {
    let files = tree::files("src", "rs").into_iter().chain(tree::files("shaders", "wgsl"));
    let lengths = files.map(|path| (tree::read(&path).lines().count(), path));
    let long = lengths.filter(|(lines, _)| *lines > LONGEST);
    let long: Vec<_> = long.map(|(lines, path)| format!("{path}: {lines} lines")).collect();
    assert_none(&long);
}

#[test]
fn names_behind_crate_are_found_alone_and_in_braces() {
    let code = "use crate::ops::sum;\nuse crate::{Matrix, device::{Stream, Gpu}, error::Result};\ncrate::cpu::run();";
    assert_eq!(named_in_crate(code), ["ops", "Matrix", "device", "error", "cpu"]);
    assert_eq!(reexports().get("DeviceMatrix").map(String::as_str), Some("array"));
}
