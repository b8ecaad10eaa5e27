//! How many components are kept.

use serde::{Deserialize, Serialize};

use super::minka;
use crate::error::{Error, Result};

/// How many components are kept.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub enum Components {
    /// All: the smaller of rows and columns.
    #[default]
    All,
    /// So many.
    Count(usize),
    /// As many as it takes to explain more than this share of the variance, above 0 and below 1.
    Share(f64),
    /// As many as are most likely by Minka's rule (2000); needs as many rows as columns.
    Mle,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    All(()),
    Count(usize),
    Share(f64),
    Name(String),
}

const RULE: &str = "a number of at least 1, a share of the variance between 0 and 1, mle, or none";

impl From<Components> for Written {
    fn from(components: Components) -> Written {
        match components {
            Components::All => Written::All(()),
            Components::Count(count) => Written::Count(count),
            Components::Share(share) => Written::Share(share),
            Components::Mle => Written::Name("mle".to_string()),
        }
    }
}

impl TryFrom<Written> for Components {
    type Error = Error;

    fn try_from(written: Written) -> Result<Components> {
        match written {
            Written::All(()) => Ok(Components::All),
            Written::Count(count) if count > 0 => Ok(Components::Count(count)),
            Written::Share(share) if share > 0.0 && share < 1.0 => Ok(Components::Share(share)),
            Written::Name(name) if name == "mle" => Ok(Components::Mle),
            Written::Count(got) => Err(Error::param("n_components", RULE, got)),
            Written::Share(got) => Err(Error::param("n_components", RULE, got)),
            Written::Name(got) => Err(Error::param("n_components", RULE, got)),
        }
    }
}

impl From<usize> for Components {
    fn from(count: usize) -> Components {
        Components::Count(count)
    }
}

impl From<f64> for Components {
    fn from(share: f64) -> Components {
        Components::Share(share)
    }
}

impl Components {
    /// The number, if it is known before the rows are seen.
    pub(super) fn count(self) -> Option<usize> {
        match self {
            Components::Count(count) => Some(count),
            _ => None,
        }
    }

    /// Refuses a number that no rows have: 0, a share outside (0, 1).
    pub(super) fn check(self) -> Result<()> {
        Components::try_from(Written::from(self)).map(drop)
    }

    /// How many of these variances, descending, are kept; `rows` of them were seen, at most `most` can be had.
    pub(super) fn of(self, variances: &[f64], total: f64, rows: usize, most: usize) -> Result<usize> {
        match self {
            Components::All => Ok(most),
            Components::Count(count) if count <= most => Ok(count),
            Components::Count(count) => {
                Err(Error::param("n_components", format!("at most {most}, the smaller of rows and columns"), count))
            }
            Components::Share(share) => {
                let mut sum = 0.0;
                let enough = variances.iter().position(|variance| {
                    sum += variance;
                    sum > share * total
                });
                Ok(enough.map_or(most, |at| at + 1).min(most))
            }
            Components::Mle if rows < variances.len() => {
                let rule =
                    format!("none or a number for {rows} rows of {} columns; mle needs more rows", variances.len());
                Err(Error::param("n_components", rule, "mle"))
            }
            Components::Mle => Ok(minka::most_likely(variances, rows)),
        }
    }
}
