//! LIBSVM of any bytes: an answer, never a panic.
#![no_main]

use gristmill::data::{Dataset, Format, Missing, ReadOptions};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let options = ReadOptions::default().format(Format::Libsvm).missing(Missing::Keep).budget(1 << 24);
    if let Ok(read) = Dataset::parse("fuzz.libsvm", data, &options) {
        assert!(read.x.rows() > 0 && read.x.columns() > 0 && read.levels.len() == read.x.columns());
        assert!(read.x.as_slice().iter().all(|value| !value.is_infinite()));
    }
});
