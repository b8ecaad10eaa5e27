//! Rows drawn anew for each round of boosting, each by itself.

use crate::cpu::random::philox::Philox;

/// Bits of a random number that are compared.
const BITS: u32 = 24;

/// Which rows trees are grown on: those whose random number, by its 24 high bits, is below a bound. A row's number is that
/// of its index, so that a device draws the same rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowSample {
    /// The seed.
    pub seed: u64,
    /// The stream of the seed.
    pub stream: u32,
    /// The bound; 2²⁴ has all rows.
    pub below: u32,
}

impl RowSample {
    /// Rows that are in with this probability: where a uniform number is below it.
    pub fn new(seed: u64, stream: u32, share: f64) -> RowSample {
        RowSample { seed, stream, below: (share * f64::from(1_u32 << BITS)).ceil() as u32 }
    }

    /// Those of `rows` that are in; `count` is more than each of them.
    pub fn of(&self, rows: &[u32], count: usize) -> Vec<u32> {
        let mut numbers = vec![0; count];
        Philox::new(self.seed, self.stream).fill_numbers(0, &mut numbers);
        rows.iter().copied().filter(|row| numbers[*row as usize] >> (32 - BITS) < self.below).collect()
    }
}
