//! The formats of data files, and how each is recognised and read.

mod array_file;
pub(super) mod csv;
pub(super) mod idx;
pub(super) mod libsvm;
mod lines;
pub(super) mod npy;
mod number;
pub(super) mod sniff;
pub(super) mod source;

pub use csv::CsvChunks;
pub use npy::write_npy;
pub use sniff::Format;
