//! Random decisions on the host, one after the other.

use super::philox::Philox;

/// The numbers of one stream of a seed, in their order: what an algorithm decides at random, it decides by these.
#[derive(Debug, Clone)]
pub(crate) struct HostRng {
    numbers: Philox,
    next: u64,
}

impl HostRng {
    /// The numbers of `seed` for one purpose; other purposes have other streams.
    pub(crate) fn new(seed: u64, stream: u32) -> HostRng {
        HostRng { numbers: Philox::new(seed, stream), next: 0 }
    }

    /// A number in [0, 1) with 53 random bits.
    pub(crate) fn uniform(&mut self) -> f64 {
        let high = u64::from(self.numbers.number(self.next) >> 5);
        let low = u64::from(self.numbers.number(self.next + 1) >> 6);
        self.next += 2;
        (high << 26 | low) as f64 / (1_u64 << 53) as f64
    }

    /// An index below `bound`, which is at least 1.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        ((self.uniform() * bound as f64) as usize).min(bound.saturating_sub(1))
    }

    /// `count` different indices below `bound`, each set of them equally likely; all when there are no more.
    pub(crate) fn distinct(&mut self, count: usize, bound: usize) -> Vec<usize> {
        // Floyd's method: the last places are drawn first, and a place that is taken gives its own number.
        let count = count.min(bound);
        let mut taken = std::collections::HashSet::with_capacity(count);
        let mut chosen = Vec::with_capacity(count);
        for last in bound - count..bound {
            let drawn = self.below(last + 1);
            let place = if taken.insert(drawn) { drawn } else { last };
            taken.insert(place);
            chosen.push(place);
        }
        chosen
    }
}
