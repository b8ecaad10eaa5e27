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

    /// 53 random bits at the top of 64: a fraction of 2⁶⁴.
    pub(crate) fn fraction(&mut self) -> u64 {
        let high = u64::from(self.numbers.number(self.next) >> 5);
        let low = u64::from(self.numbers.number(self.next + 1) >> 6);
        self.next += 2;
        (high << 26 | low) << 11
    }

    /// How many fractions were taken; passes over those that a device takes instead.
    pub(crate) fn skip(&mut self, fractions: usize) -> u64 {
        self.next += 2 * fractions as u64;
        self.next / 2 - fractions as u64
    }

    /// A number in [0, 1) with 53 random bits.
    pub(crate) fn uniform(&mut self) -> f64 {
        (self.fraction() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// An index below `bound`, which is at least 1.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        ((self.uniform() * bound as f64) as usize).min(bound.saturating_sub(1))
    }

    /// Different indices, drawn in proportion to their weights; those of weight 0 only when no others are left.
    pub(crate) fn weighted(&mut self, weights: &[f32], count: usize) -> Vec<usize> {
        // The largest of log(u)/w, one u an index (Efraimidis and Spirakis 2006).
        let mut key = |weight: f32| {
            let drawn = self.uniform().max(f64::MIN_POSITIVE).ln();
            if weight > 0.0 { drawn / f64::from(weight) } else { f64::NEG_INFINITY }
        };
        let keys: Vec<f64> = weights.iter().map(|weight| key(*weight)).collect();
        let mut indices: Vec<usize> = (0..weights.len()).collect();
        indices.sort_by(|a, b| keys[*b].total_cmp(&keys[*a]).then(a.cmp(b)));
        indices.truncate(count);
        indices
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
