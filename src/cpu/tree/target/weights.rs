//! Weights in fixed point.

use crate::error::{Error, Result};

/// The largest fixed-point weight, whatever room there is.
const LARGEST: u32 = 32;

/// The weight of each row as an integer, packed with a count of one: `weight << count_bits | 1`, and 0 for a row that
/// does not count. Sums of such words keep both parts apart.
#[derive(Debug, Clone, PartialEq)]
pub struct FixedWeights {
    /// One for each row.
    pub words: Vec<u64>,
    /// Low bits of a word that count rows.
    pub count_bits: u32,
    /// What a weight of 1 in fixed point stands for: a power of two.
    pub unit: f64,
    /// The largest weight in fixed point.
    pub largest: u64,
}

impl FixedWeights {
    /// The weights of `rows` rows, all 1 if none are given. Integers stay as they are where they fit into
    /// `max_bits`; others are rounded to a power of two, those above 0 to at least 1.
    ///
    /// There is room for each row as often as there are rows, as in a bootstrap sample: of n rows, b bits long, weights
    /// have 63 − 2·b bits where that is less. A million rows leave 23 bits, a thousand million 3: weights then differ
    /// by eighths of the heaviest.
    pub fn new(op: &'static str, rows: usize, weights: Option<&[f64]>, max_bits: u32) -> Result<FixedWeights> {
        let count_bits = usize::BITS - rows.leading_zeros();
        if count_bits > 31 {
            return Err(Error::Limit { what: format!("{op}: rows"), need: rows as u64, have: (1 << 31) - 1 });
        }
        let most = 1_u64 << (63 - 2 * count_bits).min(max_bits);
        let Some(weights) = weights else {
            return Ok(FixedWeights { words: vec![1 << count_bits | 1; rows], count_bits, unit: 1.0, largest: 1 });
        };
        let heaviest = weights.iter().copied().fold(0.0, f64::max);
        let whole = heaviest <= most as f64 && weights.iter().all(|weight| weight.fract() == 0.0);
        let scale = if whole { 1.0 } else { power_of_two_within(most as f64, heaviest) };
        let fixed = |weight: f64| if weight > 0.0 { ((weight * scale).round() as u64).clamp(1, most) } else { 0 };
        let word = |weight: u64| if weight == 0 { 0 } else { weight << count_bits | 1 };
        let words = weights.iter().map(|weight| word(fixed(*weight))).collect();
        Ok(FixedWeights { words, count_bits, unit: 1.0 / scale, largest: fixed(heaviest) })
    }

    /// The weights of classes, which have nothing but weights in a word.
    pub fn for_classes(op: &'static str, rows: usize, weights: Option<&[f64]>) -> Result<FixedWeights> {
        FixedWeights::new(op, rows, weights, LARGEST)
    }

    /// The same rows, each `times` as heavy; a row that is drawn no times does not count.
    pub fn repeated(&self, times: &[u32]) -> FixedWeights {
        let ones = (1_u64 << self.count_bits) - 1;
        let repeat = |(word, times): (&u64, &u32)| match times {
            0 => 0,
            times => ((word & !ones) * u64::from(*times)) | (word & ones),
        };
        let words = self.words.iter().zip(times).map(repeat).collect();
        FixedWeights { words, ..*self }
    }

    /// The weight part of a word or a sum of words.
    #[inline(always)]
    pub fn weight(&self, word: u64) -> f64 {
        (word >> self.count_bits) as f64
    }

    /// The count part of a word or a sum of words.
    #[inline(always)]
    pub fn count(&self, word: u64) -> u64 {
        word & ((1 << self.count_bits) - 1)
    }
}

/// The largest power of two that, times `value`, stays within `most`.
pub(super) fn power_of_two_within(most: f64, value: f64) -> f64 {
    // Bounded, so that neither the power nor its inverse leaves the range of f64. The logarithm only starts the search.
    let mut power = (most / value).log2().clamp(-500.0, 500.0) as i32;
    while power > -500 && value * 2_f64.powi(power) > most {
        power -= 1;
    }
    while power < 500 && value * 2_f64.powi(power + 1) <= most {
        power += 1;
    }
    2_f64.powi(power)
}
