//! IDX of any bytes: an answer, never a panic.
#![no_main]

use gristmill::data::{Dataset, Format, Missing, ReadOptions};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let options = ReadOptions::default().format(Format::Idx).missing(Missing::Keep).budget(1 << 24);
    if let Ok(read) = Dataset::parse("fuzz.idx", data, &options) {
        assert!(read.x.rows() > 0 && read.x.columns() > 0 && read.x.categorical_columns().is_empty());
        assert!(read.x.as_slice().iter().all(|value| !value.is_infinite()));
    }
});
