//! Files of the repository, for guards that compare folders. Shared with `tests/layout.rs`.

use std::fs;
use std::path::{Path, PathBuf};

/// A path of the repository, from its root.
pub fn at(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The text of a file, its path relative to the root.
pub fn read(path: &str) -> String {
    fs::read_to_string(at(path)).unwrap_or_else(|why| panic!("{path}: {why}"))
}

/// Every file below `folder` that ends in `.extension`, as paths from the root with `/`, in order.
pub fn files(folder: &str, extension: &str) -> Vec<String> {
    let mut found = vec![];
    let mut folders = vec![folder.to_string()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(at(&folder)).unwrap_or_else(|why| panic!("{folder}: {why}"));
        for entry in entries {
            let entry = entry.expect("an entry of a folder");
            let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
            match entry.file_type().expect("the type of a file").is_dir() {
                true => folders.push(path),
                false if path.ends_with(&format!(".{extension}")) => found.push(path),
                false => {}
            }
        }
    }
    found.sort();
    found
}

/// The kernels that have a shader, as `family/kernel` or `family/kernel__variant`; the library is not among them.
pub fn shaders() -> Vec<String> {
    let names = files("shaders", "wgsl").into_iter().map(|path| path["shaders/".len()..path.len() - 5].to_string());
    names.filter(|name| !name.starts_with("lib/")).collect()
}
