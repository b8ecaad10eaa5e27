//! Where the bins of each feature stand in the binned rows and in a histogram.

use super::partition::Route;
use super::split::SplitRule;

/// A feature's place in the binned rows and in a histogram.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FeaturePlace {
    /// The column; none for a feature with one bin.
    pub column: Option<u32>,
    /// The code of its first bin that has one.
    pub offset: u16,
    /// Bins of present values; bin `bins` is that of missing ones.
    pub bins: u16,
    /// Whether missing values have a bin.
    pub missing: bool,
    /// In a shared column, the bin that has no code of its own: code 0, and every code of the other features. It has no
    /// cell either: the node's sums less those of the other bins.
    pub default: Option<u16>,
    /// Whether its bins are of categories, which have no order; such a feature has no default.
    pub categorical: bool,
    /// The first of its cells in a histogram.
    pub first: u32,
}

impl FeaturePlace {
    /// Number of bins, with that of missing values.
    pub fn all_bins(&self) -> usize {
        self.bins as usize + usize::from(self.missing)
    }

    /// The code of a bin; none for the default.
    #[inline(always)]
    pub fn code(&self, bin: u16) -> Option<u8> {
        match self.default {
            Some(default) if bin == default => None,
            Some(default) if bin > default => Some((self.offset + bin - 1) as u8),
            _ => Some((self.offset + bin) as u8),
        }
    }

    /// The bin of a code in the feature's column: the other way round than [`code`](FeaturePlace::code).
    #[inline(always)]
    pub fn bin(&self, code: u8) -> u16 {
        let own = u16::from(code).wrapping_sub(self.offset);
        match self.default {
            None => own,
            Some(default) if own >= self.all_bins() as u16 - 1 => default,
            Some(default) => own + u16::from(own >= default),
        }
    }
}

/// The places of all features, and the cells of all columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BinLayout {
    places: Vec<FeaturePlace>,
    /// `starts[c]..starts[c + 1]`: the cells of column `c` in a histogram, one for each code.
    starts: Vec<u32>,
}

impl BinLayout {
    /// A layout from the places of the features, but for their cells, and the codes of each column.
    pub fn new(mut places: Vec<FeaturePlace>, codes: &[usize]) -> BinLayout {
        let mut starts = vec![0];
        for codes in codes {
            starts.push(starts[starts.len() - 1] + *codes as u32);
        }
        for place in &mut places {
            place.first = place.column.map_or(0, |column| starts[column as usize] + u32::from(place.offset));
        }
        BinLayout { places, starts }
    }

    /// The features' places.
    pub fn places(&self) -> &[FeaturePlace] {
        &self.places
    }

    /// `starts()[c]..starts()[c + 1]`: the cells of column `c`.
    pub fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// Number of cells of a histogram.
    pub fn cells(&self) -> usize {
        self.starts[self.starts.len() - 1] as usize
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.starts.len() - 1
    }

    /// Where the codes of a feature's column go by a split.
    pub fn route(&self, rule: &SplitRule) -> Route {
        let place = &self.places[rule.feature as usize];
        let goes_left = |own: u16| match &rule.categories {
            _ if own == place.bins => rule.missing_left,
            Some(categories) => categories.contains(own as u8),
            None => own <= rule.bin,
        };
        // Codes of other features in the column stand for this one's default.
        let other = place.default.is_some_and(goes_left);
        let mut route = Route { column: place.column.unwrap_or(0), left: [if other { u32::MAX } else { 0 }; 8] };
        for own in 0..place.all_bins() as u16 {
            if let Some(code) = place.code(own) {
                let (word, bit) = (&mut route.left[code as usize / 32], 1 << (code % 32));
                *word = if goes_left(own) { *word | bit } else { *word & !bit };
            }
        }
        route
    }
}
