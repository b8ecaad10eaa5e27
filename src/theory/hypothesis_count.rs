//! How many hypotheses a finite class has.

use super::bounds::binomial::ln_choose;
use super::check::at_least_one;
use crate::error::{Error, Result};

/// The size |H| of a finite class, kept as its logarithm: all Boolean functions of ten attributes are 2^1024.
///
/// ```
/// use gristmill::theory::HypothesisCount;
/// assert!((HypothesisCount::conjunctions(2).ln() - 9_f64.ln()).abs() < 1e-12); // x, ¬x or neither, twice
/// assert!((HypothesisCount::boolean_functions(3).log2() - 8.0).abs() < 1e-12); // one bit for each of 2³ rows
/// assert!((HypothesisCount::sparse(1, 4, 2)?.ln() - 24_f64.ln()).abs() < 1e-12); // (2·1)²·C(4, 2)
/// # Ok::<(), gristmill::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct HypothesisCount {
    ln: f64,
}

impl HypothesisCount {
    /// A class of one: a hypothesis that was fixed before any row was seen.
    pub const ONE: HypothesisCount = HypothesisCount { ln: 0.0 };

    /// A class of `count` hypotheses, of which there is one at least.
    pub fn of(count: u64) -> Result<HypothesisCount> {
        Ok(HypothesisCount { ln: at_least_one("hypotheses", count)?.ln() })
    }

    /// By the logarithm of the size, which is 0 or more.
    pub fn from_ln(ln: f64) -> Result<HypothesisCount> {
        if ln >= 0.0 && ln.is_finite() {
            return Ok(HypothesisCount { ln });
        }
        Err(Error::param("ln_hypotheses", "0 or more, and finite", ln))
    }

    /// W^d: d parameters with W values each, such as 2³² of an f32. The rule of thumb of 001 §2.
    pub fn grid(values: u64, parameters: u64) -> Result<HypothesisCount> {
        Ok(HypothesisCount { ln: parameters as f64 * at_least_one("values", values)?.ln() })
    }

    /// 3^M: conjunctions over M attributes, each asked for, refused or not mentioned.
    pub fn conjunctions(attributes: u32) -> HypothesisCount {
        HypothesisCount { ln: f64::from(attributes) * 3_f64.ln() }
    }

    /// 2^(2^M): every function of M Boolean attributes. Infinite from M = 1024 on.
    pub fn boolean_functions(attributes: u32) -> HypothesisCount {
        HypothesisCount { ln: 2_f64.powi(attributes.min(2000) as i32) * std::f64::consts::LN_2 }
    }

    /// (2W)^s·C(d, s): vectors of d whole numbers from −W to W of which exactly s are not 0 (001 §3.4).
    pub fn sparse(largest: u64, dimensions: u64, nonzero: u64) -> Result<HypothesisCount> {
        let values = 2.0 * at_least_one("largest", largest)?;
        if nonzero > dimensions {
            return Err(Error::param("nonzero", format!("at most the dimensions, {dimensions}"), nonzero));
        }
        Ok(HypothesisCount { ln: nonzero as f64 * values.ln() + ln_choose(dimensions, nonzero) })
    }

    /// ln |H|.
    pub fn ln(self) -> f64 {
        self.ln
    }

    /// log₂ |H|, which no VC dimension of the class passes: shattering h points takes 2^h hypotheses.
    pub fn log2(self) -> f64 {
        self.ln / std::f64::consts::LN_2
    }
}
