//! Sets of bins.

/// Bins of one feature at most, with the one of missing values.
pub const BINS: usize = 256;
/// The member of a set that stands for missing values and for levels that are not known.
pub const UNKNOWN: u8 = 255;

/// A set of bins: bit `bin mod 32` of word `bin / 32`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct BinSet(pub [u32; BINS / 32]);

impl BinSet {
    /// Whether a bin is in the set.
    #[inline(always)]
    pub fn contains(&self, bin: u8) -> bool {
        self.0[bin as usize / 32] >> (bin % 32) & 1 == 1
    }

    /// Adds a bin.
    pub fn insert(&mut self, bin: u8) {
        self.0[bin as usize / 32] |= 1 << (bin % 32);
    }
}

impl FromIterator<u8> for BinSet {
    fn from_iter<I: IntoIterator<Item = u8>>(bins: I) -> BinSet {
        let mut set = BinSet::default();
        bins.into_iter().for_each(|bin| set.insert(bin));
        set
    }
}
