//! LIBSVM of any bytes: an answer, never a panic, and the same numbers sparse as dense.
#![no_main]

use gristmill::data::{Dataset, Format, Missing, ReadOptions};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let options = ReadOptions::default().format(Format::Libsvm).budget(1 << 24);
    if let Ok(read) = Dataset::parse("fuzz.libsvm", data, &options.clone().missing(Missing::Keep)) {
        assert!(read.x.rows() > 0 && read.x.columns() > 0 && read.x.categorical_columns().is_empty());
        assert!(read.x.as_slice().iter().all(|value| !value.is_infinite()));
    }
    let dense = Dataset::parse("fuzz.libsvm", data, &options.clone().sparse(false));
    let sparse = Dataset::parse("fuzz.libsvm", data, &options.sparse(true).budget(1 << 26));
    match (dense, sparse) {
        (Ok(dense), Ok(sparse)) => {
            let rows = sparse.sparse.as_ref().expect("sparse rows");
            assert!(rows.values().iter().all(|value| value.is_finite() && *value != 0.0));
            let made = sparse.to_dense(1 << 24).expect("it was read dense");
            assert!(made.target == dense.target);
            // Zeros lose their sign.
            assert!(made.x.as_slice().iter().zip(dense.x.as_slice()).all(|(made, read)| made == read));
        }
        (Ok(_), Err(error)) => panic!("dense, but not sparse: {error}"),
        (Err(_), _) => {}
    }
});
