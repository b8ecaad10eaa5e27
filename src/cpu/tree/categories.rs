//! Categories of a feature: the bin of each, and sets of bins.

/// Bins of one feature at most, with the one of missing values.
pub const BINS: usize = 256;
/// The member of a set that stands for missing values and for categories that are not known.
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

/// The bin of each category of one feature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CategoryBins {
    /// By the category's code; [`UNKNOWN`] for one that was not fitted.
    bins: Vec<u8>,
    /// Bins that have a category.
    count: u16,
}

impl CategoryBins {
    /// Bins of categories, by their codes; [`UNKNOWN`] for one that has none.
    pub fn new(bins: Vec<u8>) -> CategoryBins {
        let count = bins.iter().filter(|bin| **bin != UNKNOWN).map(|bin| u16::from(*bin) + 1).max().unwrap_or(0);
        CategoryBins { bins, count }
    }

    /// The bin of each category by its code; [`UNKNOWN`] for one that was not fitted.
    pub fn bins(&self) -> &[u8] {
        &self.bins
    }

    /// Bins that have a category, at most 255.
    pub fn count(&self) -> u16 {
        self.count
    }

    /// The bin of a value; [`UNKNOWN`] for what is missing or was not fitted.
    #[inline(always)]
    pub fn bin(&self, value: f32) -> u8 {
        let code = value as usize;
        match self.bins.get(code) {
            Some(bin) if code as f32 == value => *bin,
            _ => UNKNOWN,
        }
    }
}
