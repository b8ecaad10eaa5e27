//! Tables and their targets, read from files or made from arrays.
//!
//! ```
//! use gristmill::data::{Dataset, ReadOptions};
//! let data = Dataset::parse("t.csv", b"a,b,y\n1,2,no\n3,4,yes\n", &ReadOptions::default())?.with_target("y")?;
//! assert_eq!(data.x.row(1), [3.0, 4.0]);
//! assert_eq!(data.labels()?.name(1), "yes");
//! # Ok::<(), gristmill::Error>(())
//! ```

mod choice;
mod chunks;
mod class_weight;
mod columns;
mod dataset;
mod dates;
mod formats;
mod labels;
mod missing;
mod options;
mod read;
mod several;
mod target;
mod warnings;

pub use chunks::Chunks;
pub use class_weight::ClassWeight;
pub use columns::nearest as nearest_name;
pub use dataset::Dataset;
pub use dates::DATE_PARTS;
pub use formats::{CsvChunks, Format, write_npy};
pub use labels::Labels;
pub use options::{Encoding, Header, Missing, ReadOptions};
pub use read::column_names;
pub use several::matching_files;
pub use target::Target;
