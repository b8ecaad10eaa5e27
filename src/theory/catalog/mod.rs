//! Every bound by its name, with its formula, its conditions and what its numbers mean: what `gristmill bound` shows.
//!
//! ```
//! use gristmill::theory::catalog::{self, Given};
//! let bound = catalog::find("vc-gap")?;
//! let given = Given::default().with("dimension", &[3.0]).with("rows", &[1000.0]).with("delta", &[0.05]);
//! let found = bound.solve(&given)?;
//! assert_eq!(found[0].name, "epsilon");
//! assert!((found[0].value - 0.16398).abs() < 5e-6);
//! # Ok::<(), gristmill::Error>(())
//! ```

mod classes;
mod given;
mod learners;
mod limits;

pub use given::Given;

use crate::data::nearest_name;
use crate::error::{Error, Result};

/// A bound that can be asked for by name.
pub struct BoundEntry {
    /// Its name at the shell.
    pub name: &'static str,
    /// One line.
    pub about: &'static str,
    /// The formula, as it is printed.
    pub formula: &'static str,
    /// When it holds.
    pub conditions: &'static str,
    /// What it is computed from: names and what they mean.
    pub parameters: &'static [(&'static str, &'static str)],
    /// Values to try it with.
    pub example: &'static [(&'static str, &'static [f64])],
    solve: fn(&Given) -> Result<Vec<Found>>,
}

/// A number that a bound gives.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// What it is: the name of the parameter that was left open, or of a result.
    pub name: String,
    /// The number.
    pub value: f64,
    /// What it means, in a sentence.
    pub meaning: String,
}

impl Found {
    fn new(name: impl Into<String>, value: f64, meaning: impl Into<String>) -> Found {
        Found { name: name.into(), value, meaning: meaning.into() }
    }
}

impl BoundEntry {
    /// The numbers that follow from those that are given. Names that the bound does not have are refused.
    pub fn solve(&self, given: &Given) -> Result<Vec<Found>> {
        let known: Vec<&str> = self.parameters.iter().map(|(name, _)| *name).collect();
        if let Some(name) = given.names().find(|name| !known.contains(name)) {
            let near = nearest_name(name, known.iter().copied()).map_or(String::new(), |near| format!(" ({near}?)"));
            return Err(Error::param("parameter", format!("one of {}{near}", known.join(", ")), name));
        }
        (self.solve)(given)
    }

    /// The values of the example.
    pub fn example(&self) -> Given {
        self.example.iter().fold(Given::default(), |given, (name, values)| given.with(name, values))
    }
}

/// All bounds, in the order in which they are shown.
pub fn entries() -> impl Iterator<Item = &'static BoundEntry> {
    classes::ENTRIES.iter().chain(learners::ENTRIES).chain(limits::ENTRIES)
}

/// The bound of this name.
pub fn find(name: &str) -> Result<&'static BoundEntry> {
    entries().find(|entry| entry.name == name).ok_or_else(|| {
        let names: Vec<&str> = entries().map(|entry| entry.name).collect();
        let near = nearest_name(name, names.iter().copied()).map_or(String::new(), |near| format!(" ({near}?)"));
        Error::param("bound", format!("one of {}{near}", names.join(", ")), name)
    })
}

/// A probability in words: 5 % for 0.05.
fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    let digits =
        if percent == 0.0 || percent.abs() >= 1.0 { 1 } else { (-percent.abs().log10()).ceil().min(12.0) as usize + 1 };
    let text = format!("{percent:.digits$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text };
    format!("{text} %")
}

/// The remark behind a gap that is 1 or more.
fn vacuous(gap: f64) -> &'static str {
    if gap >= 1.0 { "; at 1 or more that says nothing: take more rows or a smaller class" } else { "" }
}
