//! Model files of any bytes, and well-formed files whose parts are anything: an answer, never a panic.
#![no_main]

#[path = "../../tests/model/forge.rs"]
mod forge;
#[path = "../../tests/model/mutator.rs"]
mod mutator;

use std::sync::OnceLock;

use gristmill::prelude::*;
use libfuzzer_sys::fuzz_target;
use mutator::{Choices, files, mutated, use_all};

/// The fuzzer's bytes, then zeros.
struct Bytes<'a>(&'a [u8]);

impl Choices for Bytes<'_> {
    fn next(&mut self) -> u32 {
        let (first, rest) = self.0.split_first().map_or((0, self.0), |(first, rest)| (*first, rest));
        self.0 = rest;
        u32::from(first)
    }
}

fuzz_target!(|data: &[u8]| {
    static FILES: OnceLock<Vec<(String, Vec<u8>)>> = OnceLock::new();
    let _ = AnyModel::from_bytes(data).map(use_all);
    // Bytes alone hardly ever get past the checksum, so a real file is taken apart and put together differently.
    let Some((&choice, rest)) = data.split_first() else { return };
    let files = FILES.get_or_init(files);
    let (_, file) = &files[choice as usize % files.len()];
    let _ = AnyModel::from_bytes(&mutated(file, &mut Bytes(rest))).map(use_all);
});
