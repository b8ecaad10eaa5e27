//! Criteria that compare least squares models of different sizes.

use std::f64::consts::TAU;

use serde::{Deserialize, Serialize};

use crate::data::nearest_name;
use crate::error::{Error, Result};

/// How models with different numbers of columns are compared on the rows that they were fitted to.
///
/// ```
/// use gristmill::selection::{Criterion, SubsetFit};
/// let fit = SubsetFit { rows: 50, columns: 3, residual: 20.0, total: 100.0, noise_variance: 0.5 };
/// assert!((Criterion::Cp.of(&fit) - 23.0 / 50.0).abs() < 1e-12);
/// assert!((Criterion::AdjustedR2.of(&fit) - (1.0 - (20.0 / 46.0) / (100.0 / 49.0))).abs() < 1e-12);
/// assert_eq!("adjusted_r2".parse::<Criterion>()?, Criterion::AdjustedR2);
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Criterion {
    /// Mallows' Cp as the notes have it: (RSS + 2dσ̂²)/N. d counts the columns without the constant, σ̂² is of the full
    /// model.
    Cp,
    /// −2·ln L + 2(d + 1) of the normal likelihood; d + 1 counts the constant, as in statsmodels.
    Aic,
    /// −2·ln L + ln(N)·(d + 1), as in statsmodels. Stricter than AIC from 8 rows on.
    Bic,
    /// The form of BIC in the notes: (RSS + ln(N)·dσ̂²)/N, with σ̂² of the full model.
    BicOfVariance,
    /// 1 − (RSS/(N − d − 1))/(TSS/(N − 1)); the one that is better when larger.
    AdjustedR2,
}

/// What a criterion is computed from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SubsetFit {
    /// Rows, N.
    pub rows: usize,
    /// Columns without the constant, d.
    pub columns: usize,
    /// The residual sum of squares.
    pub residual: f64,
    /// The sum of squares around the mean.
    pub total: f64,
    /// σ̂²: RSS/(N − M − 1) of the model with all M columns.
    pub noise_variance: f64,
}

impl Criterion {
    /// Every criterion.
    pub const ALL: [Criterion; 5] =
        [Criterion::Cp, Criterion::Aic, Criterion::Bic, Criterion::BicOfVariance, Criterion::AdjustedR2];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Criterion::Cp => "cp",
            Criterion::Aic => "aic",
            Criterion::Bic => "bic",
            Criterion::BicOfVariance => "bic_of_variance",
            Criterion::AdjustedR2 => "adjusted_r2",
        }
    }

    /// Whether a larger value is better.
    pub fn greater_is_better(self) -> bool {
        self == Criterion::AdjustedR2
    }

    /// Its value for a fit.
    pub fn of(self, fit: &SubsetFit) -> f64 {
        let (n, d) = (fit.rows as f64, fit.columns as f64);
        let minus_two_ln_likelihood = n * (1.0 + (TAU * fit.residual / n).ln());
        match self {
            Criterion::Cp => (fit.residual + 2.0 * d * fit.noise_variance) / n,
            Criterion::Aic => minus_two_ln_likelihood + 2.0 * (d + 1.0),
            Criterion::Bic => minus_two_ln_likelihood + n.ln() * (d + 1.0),
            Criterion::BicOfVariance => (fit.residual + n.ln() * d * fit.noise_variance) / n,
            Criterion::AdjustedR2 => 1.0 - (fit.residual / (n - d - 1.0)) / (fit.total / (n - 1.0)),
        }
    }
}

impl std::str::FromStr for Criterion {
    type Err = Error;

    fn from_str(name: &str) -> Result<Criterion> {
        let name = name.replace('-', "_");
        Criterion::ALL.into_iter().find(|criterion| criterion.name() == name).ok_or_else(|| {
            let names = Criterion::ALL.map(Criterion::name);
            let near = nearest_name(&name, names.into_iter()).map_or(String::new(), |near| format!(" ({near}?)"));
            Error::param("criterion", format!("one of {}{near}", names.join(", ")), name.clone())
        })
    }
}
