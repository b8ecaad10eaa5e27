//! What a parameter may be: the rules of [`parameters!`](super::parameters).

use crate::error::{Error, Result};

/// A range of numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Range {
    low: f64,
    high: f64,
    /// Whether `low` itself is left out.
    above: bool,
    /// Whether `high` itself is left out.
    below: bool,
}

/// At least this, and finite.
pub(crate) const fn at_least(low: f64) -> Range {
    Range { low, high: f64::INFINITY, above: false, below: true }
}

/// Above this, and finite.
pub(crate) const fn above(low: f64) -> Range {
    Range { above: true, ..at_least(low) }
}

/// From `low` to `high`, both of them too.
pub(crate) const fn from_to(low: f64, high: f64) -> Range {
    Range { low, high, above: false, below: false }
}

/// Above `low` and at most `high`.
pub(crate) const fn above_to(low: f64, high: f64) -> Range {
    Range { low, high, above: true, below: false }
}

/// Above `low` and below `high`.
pub(crate) const fn between(low: f64, high: f64) -> Range {
    Range { low, high, above: true, below: true }
}

/// A parameter that a range can be asked of; nothing to ask where there is no number.
pub(crate) trait Ranged {
    /// Whether only integers are possible.
    const INTEGER: bool;

    /// The number, if there is one.
    fn number(&self) -> Option<f64>;
}

impl Ranged for usize {
    const INTEGER: bool = true;

    fn number(&self) -> Option<f64> {
        Some(*self as f64)
    }
}

impl Ranged for f64 {
    const INTEGER: bool = false;

    fn number(&self) -> Option<f64> {
        Some(*self)
    }
}

impl<T: Ranged> Ranged for Option<T> {
    const INTEGER: bool = T::INTEGER;

    fn number(&self) -> Option<f64> {
        self.as_ref().and_then(T::number)
    }
}

impl Range {
    /// Refuses a number outside, with the name of the parameter.
    pub(crate) fn check<T: Ranged>(self, name: &'static str, value: &T) -> Result<()> {
        let Some(number) = value.number() else { return Ok(()) };
        let low = if self.above { number > self.low } else { number >= self.low };
        let high = if self.below { number < self.high } else { number <= self.high };
        match low && high {
            true => Ok(()),
            false => Err(Error::param(name, self.words(T::INTEGER), number)),
        }
    }

    fn words(self, integer: bool) -> String {
        let Range { low, high, above, below } = self;
        match (high.is_infinite(), integer, above, below) {
            (true, true, false, _) => format!("at least {low}"),
            (true, true, true, _) => format!("above {low}"),
            (true, false, false, _) => format!("a finite number of at least {low}"),
            (true, false, true, _) => format!("a finite number above {low}"),
            (false, _, true, true) => format!("above {low} and below {high}"),
            (false, _, true, false) => format!("above {low} and at most {high}"),
            (false, _, false, true) => format!("at least {low} and below {high}"),
            (false, _, false, false) => format!("from {low} to {high}"),
        }
    }
}

/// A rule of one parameter alone.
pub(crate) struct Holds<T> {
    test: fn(&T) -> bool,
    words: &'static str,
}

/// What passes this test; `words` says what that is.
pub(crate) const fn holds<T>(test: fn(&T) -> bool, words: &'static str) -> Holds<T> {
    Holds { test, words }
}

impl<T: std::fmt::Debug> Holds<T> {
    /// Refuses what does not pass, with the name of the parameter.
    pub(crate) fn check(self, name: &'static str, value: &T) -> Result<()> {
        match (self.test)(value) {
            true => Ok(()),
            false => Err(Error::param(name, self.words.to_string(), format!("{value:?}"))),
        }
    }
}
