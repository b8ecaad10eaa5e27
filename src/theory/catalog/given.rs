//! The numbers that are given to a bound.

use std::collections::BTreeMap;

use crate::error::{Error, Result};

use super::{Found, percent, vacuous};
use crate::theory::SampleSize;

/// Named numbers; a name can have several, such as the errors of the rounds of a boosting.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Given {
    values: BTreeMap<String, Vec<f64>>,
}

impl Given {
    /// Adds a name with its numbers; a name that is there already gets them instead of its own.
    pub fn with(mut self, name: &str, values: &[f64]) -> Given {
        self.values.insert(name.to_string(), values.to_vec());
        self
    }

    /// The names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.values.keys().map(String::as_str)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// The numbers of a name that must be there.
    pub(super) fn list(&self, name: &'static str) -> Result<&[f64]> {
        self.values.get(name).map(Vec::as_slice).ok_or_else(|| Error::param(name, "given", "nothing"))
    }

    /// The one number of a name that must be there.
    pub(super) fn number(&self, name: &'static str) -> Result<f64> {
        match self.list(name)? {
            [value] => Ok(*value),
            several => Err(Error::param(name, "one number", format!("{} of them", several.len()))),
        }
    }

    /// A whole number that must be there.
    pub(super) fn count(&self, name: &'static str) -> Result<u64> {
        let value = self.number(name)?;
        if value >= 0.0 && value.fract() == 0.0 && value < 2_f64.powi(53) {
            return Ok(value as u64);
        }
        Err(Error::param(name, "a whole number of 0 or more", value))
    }

    /// Solves a bound for the one of `rows`, `epsilon` and `delta` that is not given.
    pub(super) fn solve_for_the_third(
        &self,
        gap: impl Fn(u64, f64) -> Result<f64>,
        sample_size: impl Fn(f64, f64) -> Result<SampleSize>,
        delta: impl Fn(u64, f64) -> Result<f64>,
    ) -> Result<Vec<Found>> {
        match (self.has("rows"), self.has("epsilon"), self.has("delta")) {
            (true, false, true) => {
                let (rows, delta) = (self.count("rows")?, self.number("delta")?);
                let gap = gap(rows, delta)?;
                let sure = percent(1.0 - delta);
                let meaning = format!(
                    "after {rows} rows the error on new rows is at most {gap:.6} above the training error, in {sure} of all draws{}",
                    vacuous(gap)
                );
                Ok(vec![Found::new("epsilon", gap, meaning)])
            }
            (false, true, true) => {
                let (epsilon, delta) = (self.number("epsilon")?, self.number("delta")?);
                let size = sample_size(epsilon, delta)?;
                let (rows, sure) = (size.whole(), percent(1.0 - delta));
                let meaning = format!(
                    "{rows} rows are enough for an error of at most {epsilon} above the training error, in {sure} of all draws"
                );
                Ok(vec![Found::new("rows", size.exact, meaning)])
            }
            (true, true, false) => {
                let (rows, epsilon) = (self.count("rows")?, self.number("epsilon")?);
                let delta = delta(rows, epsilon)?;
                let says_nothing = if delta >= 1.0 { "; that says nothing: take more rows" } else { "" };
                let meaning = format!(
                    "a gap above {epsilon} after {rows} rows has a probability of at most {}{says_nothing}",
                    percent(delta)
                );
                Ok(vec![Found::new("delta", delta, meaning)])
            }
            _ => {
                let given: Vec<&str> = ["rows", "epsilon", "delta"].into_iter().filter(|name| self.has(name)).collect();
                let got = if given.is_empty() { "none of them".to_string() } else { given.join(", ") };
                Err(Error::param("parameters", "two of rows, epsilon and delta; the third is computed", got))
            }
        }
    }
}
