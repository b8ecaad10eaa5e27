//! What the commands print: reports, scores, tables, progress and errors.

mod csv;
mod error;
mod format;
mod notes;
mod output;
mod page;
mod predictions;
pub mod profile;
mod progress;
mod readable;
mod resolved;
mod run;
mod scores;

pub use csv::{quoted, write_numbers};
pub use error::{CliError, CommandResult};
pub use format::{bytes, moment, number, seconds};
pub use notes::FitNotes;
pub use output::{
    Table, hanging, note, paragraph, print, print_json, print_json_error, show, table, table_of, write_file, write_out,
};
pub use page::{Html, check_page, write_page};
pub use predictions::{Predicted, Uploaded, dense, note_unknown_classes, predict};
pub use progress::{Progress, guarded, interrupted, listen, take_interrupted};
pub use readable::{readable, wrapped_example, wrapped_help};
pub use resolved::remember;
pub use run::{Confusion, Importance, Report, Seconds, timed};
pub use scores::{Scores, label, positive_probabilities};
