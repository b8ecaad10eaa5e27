//! Reading data files: what is in them, what is wrong with them, and what no file can do.

mod arrays;
mod categories;
mod columnar;
mod columns;
mod corpus;
mod csv;
mod csv_wrong;
mod datasets;
mod dialect;
mod large_numbers;
mod libsvm;
mod missing;
mod numbers;
mod properties;
mod streams;

use std::io::Write;
use std::path::PathBuf;

use gristmill::data::{Dataset, ReadOptions};
use gristmill::{Error, Result};

/// Parses bytes under a name, with everything found out.
fn parse(name: &str, bytes: impl AsRef<[u8]>) -> Result<Dataset> {
    Dataset::parse(name, bytes.as_ref(), &ReadOptions::default())
}

/// The line, column and reason of an error in the data.
fn place(result: Result<Dataset>) -> (Option<u64>, Option<String>, String) {
    match result {
        Err(Error::Data { line, column, why, .. }) => (line, column, why),
        other => panic!("expected an error in the data, got {other:?}"),
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(vec![], flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A file of this test run alone, removed at the end.
struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str, bytes: impl AsRef<[u8]>) -> Temporary {
        let path = std::env::temp_dir().join(format!("gristmill-{}-{name}", std::process::id()));
        std::fs::write(&path, bytes).unwrap();
        Temporary(path)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
