//! The formats of data files, and how each is recognised and read.

mod array_file;
pub(super) mod arrow;
mod clean;
mod codecs;
pub(super) mod csv;
mod foreign;
pub(super) mod idx;
pub(super) mod json_lines;
pub(super) mod libsvm;
pub(super) mod lines;
mod notation;
pub(super) mod npy;
pub(super) mod npy_chunks;
mod number;
pub(super) mod parquet;
pub(super) mod sniff;
pub(super) mod source;
mod table;
mod text_codes;

pub use csv::CsvChunks;
pub use npy::write_npy;
pub use sniff::Format;
