//! What the options of a command stand under in its help, in this order.

/// What becomes of the columns and rows.
pub const DATA: &str = "Data";
/// Parameters and steps.
pub const MODEL: &str = "Model";
/// What is scored, and how.
pub const SCORING: &str = "Scoring";
/// What is written.
pub const OUTPUT: &str = "Output";
/// How a data file is read.
pub const READING: &str = "Reading the file";
/// What every command takes.
pub const RUNNING: &str = "Running";
