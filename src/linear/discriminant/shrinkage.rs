//! Covariances pulled towards a multiple of the identity.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// How much of a covariance is replaced by its mean variance times the identity.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub enum Shrinkage {
    /// Nothing.
    #[default]
    None,
    /// The share of Ledoit and Wolf (2004), by the data.
    Auto,
    /// This share, from 0 to 1.
    Share(f64),
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    None(()),
    Name(String),
    Share(f64),
}

impl From<Shrinkage> for Written {
    fn from(shrinkage: Shrinkage) -> Written {
        match shrinkage {
            Shrinkage::None => Written::None(()),
            Shrinkage::Auto => Written::Name("auto".to_string()),
            Shrinkage::Share(share) => Written::Share(share),
        }
    }
}

impl TryFrom<Written> for Shrinkage {
    type Error = Error;

    fn try_from(written: Written) -> Result<Shrinkage> {
        let rule = "none, auto, or a share from 0 to 1";
        match written {
            Written::None(()) => Ok(Shrinkage::None),
            Written::Name(name) if name == "auto" => Ok(Shrinkage::Auto),
            Written::Share(share) if (0.0..=1.0).contains(&share) => Ok(Shrinkage::Share(share)),
            Written::Name(got) => Err(Error::param("shrinkage", rule, got)),
            Written::Share(got) => Err(Error::param("shrinkage", rule, got)),
        }
    }
}

/// `(1 − share)·covariance + share·(its mean variance)·I`.
pub(super) fn shrunk(mut covariance: DMatrix<f64>, share: f64) -> DMatrix<f64> {
    let d = covariance.nrows();
    let mean = covariance.trace() / d as f64;
    covariance *= 1.0 - share;
    (0..d).for_each(|at| covariance[(at, at)] += share * mean);
    covariance
}

/// The share of Ledoit and Wolf for centred rows (n×d) with this covariance, over n.
pub(super) fn ledoit_wolf(rows: &DMatrix<f64>, covariance: &DMatrix<f64>) -> f64 {
    let (n, d) = (rows.nrows() as f64, rows.ncols() as f64);
    let mean = covariance.trace() / d;
    let distance = (covariance.norm_squared() - d * mean * mean) / d;
    // Mean over the rows of ‖x·xᵀ − covariance‖², over n: the variance of the entries.
    let fourth: f64 = rows.row_iter().map(|row| row.norm_squared().powi(2)).sum();
    let noise = (fourth / n - covariance.norm_squared()) / (n * d);
    if distance <= 0.0 { 0.0 } else { (noise / distance).clamp(0.0, 1.0) }
}
