//! The folder of shaders and the lists in `src` say the same.

use std::collections::BTreeSet;

use gristmill::kernel::source::LIBRARY;
use gristmill::ops::kernels;
use naga::ShaderStage;

use super::module::{assert_none, check_every_kernel};
use super::tree;

/// Where the engine's own kernels live: in the list, but imported by nobody.
const ENGINE: &str = "lib/engine/";

/// The library files that a shader imports, and those that they import.
fn imports(source: &str, found: &mut BTreeSet<String>) {
    for name in source.lines().filter_map(|line| line.trim().strip_prefix("//#import ")) {
        if found.insert(name.trim().to_string())
            && let Some((_, body)) = LIBRARY.iter().find(|(known, _)| *known == name.trim())
        {
            imports(body, found);
        }
    }
}

/// Lines at the top that explain: comments, but not imports.
fn opening_lines(source: &str) -> usize {
    source.lines().take_while(|line| line.starts_with("// ") && line.len() > 3).count()
}

#[test]
fn every_shader_is_in_the_list_of_kernels() {
    let listed: BTreeSet<&str> = kernels().iter().map(|kernel| kernel.name).collect();
    let engine = tree::files("shaders/lib/engine", "wgsl");
    let engine = engine.iter().map(|path| path["shaders/".len()..path.len() - 5].to_string());
    let missing = tree::shaders().into_iter().chain(engine).filter(|name| !listed.contains(name.as_str()));
    let missing: Vec<_> = missing.map(|name| format!("shaders/{name}.wgsl is not in ops::kernels()")).collect();
    assert_none(&missing);
}

#[test]
fn every_kernel_has_the_text_of_the_file_it_is_named_after() {
    let mut faults = vec![];
    for kernel in kernels() {
        let path = format!("shaders/{}.wgsl", kernel.name);
        match std::fs::read(tree::at(&path)) {
            Ok(bytes) if bytes == kernel.source.as_bytes() => {}
            Ok(_) => faults.push(format!("{}: its source is not the text of {path}", kernel.name)),
            Err(why) => faults.push(format!("{}: {path}: {why}", kernel.name)),
        }
    }
    assert_none(&faults);
}

#[test]
fn no_two_kernels_share_a_name() {
    let names: BTreeSet<&str> = kernels().iter().map(|kernel| kernel.name).collect();
    assert_eq!(names.len(), kernels().len());
}

#[test]
fn the_library_is_the_files_of_its_folder() {
    let files = tree::files("shaders/lib", "wgsl").into_iter();
    let files: Vec<_> = files.filter(|path| !path.starts_with(&format!("shaders/{ENGINE}"))).collect();
    let names: Vec<_> = LIBRARY.iter().map(|(name, _)| format!("shaders/lib/{name}.wgsl")).collect();
    assert_eq!(names, files, "LIBRARY and shaders/lib, in order");
    for (name, body) in LIBRARY {
        assert_eq!(*body, tree::read(&format!("shaders/lib/{name}.wgsl")), "{name}");
    }
}

#[test]
fn every_library_file_is_imported_by_some_kernel() {
    let mut used = BTreeSet::new();
    kernels().iter().for_each(|kernel| imports(kernel.source, &mut used));
    let unused = LIBRARY.iter().filter(|(name, _)| !used.contains(*name));
    let unused: Vec<_> = unused.map(|(name, _)| format!("no kernel imports shaders/lib/{name}.wgsl")).collect();
    assert_none(&unused);
}

#[test]
fn every_shader_opens_with_three_lines_that_explain_it() {
    let short = tree::files("shaders", "wgsl").into_iter().map(|path| (opening_lines(&tree::read(&path)), path));
    let short = short.filter(|(lines, _)| *lines < 3);
    let short: Vec<_> = short.map(|(lines, path)| format!("{path} opens with {lines} comment lines")).collect();
    assert_none(&short);
}

#[test]
fn every_kernel_has_one_entry_point_called_main() {
    check_every_kernel(|_, parsed| {
        let entries = &parsed.module.entry_points;
        match entries.as_slice() {
            [entry] if entry.name == "main" && entry.stage == ShaderStage::Compute => vec![],
            _ => {
                vec![format!("its entry points are {:?}", entries.iter().map(|entry| &entry.name).collect::<Vec<_>>())]
            }
        }
    });
}

#[test]
fn an_import_line_is_not_an_explanation() {
    assert_eq!(opening_lines("// one\n// two\n//#import status\nfn main() {}\n"), 2);
    assert_eq!(opening_lines("// one\n//\n// three\n"), 1);
}
