//! The conditions that all bounds share.

use crate::error::{Error, Result};

/// A number strictly between 0 and 1: δ, and ε where a number of rows is asked for.
pub(super) fn inside(name: &'static str, value: f64) -> Result<f64> {
    if value > 0.0 && value < 1.0 { Ok(value) } else { Err(Error::param(name, "above 0 and below 1", value)) }
}

/// A probability or a share, 0 and 1 included.
pub(super) fn share(name: &'static str, value: f64) -> Result<f64> {
    if (0.0..=1.0).contains(&value) { Ok(value) } else { Err(Error::param(name, "from 0 to 1", value)) }
}

/// A finite number above 0.
pub(super) fn positive(name: &'static str, value: f64) -> Result<f64> {
    if value > 0.0 && value.is_finite() { Ok(value) } else { Err(Error::param(name, "above 0 and finite", value)) }
}

/// A finite number of 0 or more.
pub(super) fn zero_or_more(name: &'static str, value: f64) -> Result<f64> {
    if value >= 0.0 && value.is_finite() { Ok(value) } else { Err(Error::param(name, "0 or more, and finite", value)) }
}

/// One row, member or voter at least.
pub(super) fn at_least_one(name: &'static str, count: u64) -> Result<f64> {
    if count > 0 { Ok(count as f64) } else { Err(Error::param(name, "at least 1", count)) }
}

/// The number of [low, high] where a falling function meets `level`, by halving until no number lies between.
pub(super) fn falls_to(level: f64, (mut low, mut high): (f64, f64), value: impl Fn(f64) -> f64) -> f64 {
    loop {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            return high;
        }
        if value(middle) > level { low = middle } else { high = middle }
    }
}

/// The first whole number from `low` on that satisfies a condition which holds from there on: doubling, then halving.
pub(super) fn first(low: u64, holds: impl Fn(u64) -> bool) -> Option<u64> {
    let mut above = low;
    while !holds(above) {
        above = above.max(1).checked_mul(2)?;
    }
    Some(first_until(low, above, holds))
}

/// The same up to `high`, where it holds.
pub(super) fn first_until(low: u64, high: u64, holds: impl Fn(u64) -> bool) -> u64 {
    if holds(low) {
        return low;
    }
    let (mut below, mut above) = (low, high);
    while above - below > 1 {
        let middle = below + (above - below) / 2;
        if holds(middle) { above = middle } else { below = middle }
    }
    above
}
