//! The bins of categorical features: a level each, or many rare levels of like targets together.

use rayon::prelude::*;

use super::level_groups::{Guide, group_levels};
use crate::array::{MAX_CATEGORIES, Matrix, category};
use crate::cpu::tree::bin_set::UNKNOWN;
use crate::error::Result;
use crate::model_file::Container;

/// For each categorical feature the bin of each of its levels.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Levels {
    features: Vec<Option<LevelBins>>,
}

/// The bins of one feature's levels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LevelBins {
    /// The bin of each level by its code; [`UNKNOWN`] for one that no row of weight had.
    bins: Vec<u8>,
    /// Bins that have a level.
    count: u16,
}

impl Levels {
    /// The bins of the marked columns of `x`, by the rows whose weight is above 0: a level each where there are at most
    /// `most`. Else the most frequent half of as many each have one (of equally frequent ones the lowest code), and the
    /// others share the rest with those of like targets, as `guide` has them; what that leaves over goes to the next most
    /// frequent. Costs one pass over the column and a number for each level, with too many levels three passes and a sort.
    pub fn fit(x: &Matrix, weights: Option<&[f32]>, most: usize, guide: &Guide<'_>) -> Result<Levels> {
        let one = |column: usize| {
            let categorical = x.is_categorical(column);
            categorical.then(|| LevelBins::fit(x, weights, column, most, guide)).transpose()
        };
        let features: Vec<Result<Option<LevelBins>>> = (0..x.columns()).into_par_iter().map(one).collect();
        Ok(Levels { features: features.into_iter().collect::<Result<_>>()? })
    }

    /// The bins of a feature's levels, if it is categorical.
    pub fn feature(&self, feature: usize) -> Option<&LevelBins> {
        self.features.get(feature).and_then(Option::as_ref)
    }

    /// Whether there is a categorical feature.
    pub fn is_any(&self) -> bool {
        self.features.iter().any(Option::is_some)
    }

    /// Puts the bins of all categorical features into a container.
    pub fn store(&self, container: &mut Container) -> Result<()> {
        let known = || self.features.iter().enumerate().filter_map(|(at, bins)| bins.as_ref().map(|bins| (at, bins)));
        let features: Vec<u32> = known().map(|(at, _)| at as u32).collect();
        let sizes: Vec<u64> = known().map(|(_, bins)| bins.bins.len() as u64).collect();
        let bins: Vec<u8> = known().flat_map(|(_, bins)| bins.bins.iter().copied()).collect();
        container.insert("levels.feature", &[features.len()], features)?;
        container.insert("levels.sizes", &[sizes.len()], sizes)?;
        container.insert("levels.bin", &[bins.len()], bins)
    }

    /// Takes them out again, for trees of `columns` features.
    pub fn restore(container: &mut Container, columns: usize) -> Result<Levels> {
        let [count] = container.shape("levels.feature")?;
        let [total] = container.shape("levels.bin")?;
        let known: Vec<u32> = container.take("levels.feature", &[count])?;
        let sizes: Vec<u64> = container.take("levels.sizes", &[count])?;
        let bins: Vec<u8> = container.take("levels.bin", &[total])?;
        let mut features = vec![None; columns];
        let mut rest = bins.as_slice();
        let unfit = || container.refuse("the levels of the features are not as many as they should be");
        for (feature, size) in known.into_iter().zip(sizes) {
            let size = usize::try_from(size).ok().filter(|size| *size <= MAX_CATEGORIES).ok_or_else(unfit)?;
            let (own, behind) = rest.split_at_checked(size).ok_or_else(unfit)?;
            let place = features.get_mut(feature as usize).filter(|place| place.is_none()).ok_or_else(unfit)?;
            *place = Some(LevelBins::new(own.to_vec()));
            rest = behind;
        }
        if rest.is_empty() { Ok(Levels { features }) } else { Err(unfit()) }
    }
}

impl LevelBins {
    fn new(bins: Vec<u8>) -> LevelBins {
        let count = bins.iter().filter(|bin| **bin != UNKNOWN).map(|bin| u16::from(*bin) + 1).max().unwrap_or(0);
        LevelBins { bins, count }
    }

    fn fit(x: &Matrix, weights: Option<&[f32]>, column: usize, most: usize, guide: &Guide<'_>) -> Result<LevelBins> {
        let mut counts: Vec<u32> = vec![];
        for row in (0..x.rows()).filter(|row| weights.is_none_or(|weights| weights[*row] > 0.0)) {
            if let Some(code) = category(x.get(row, column), row, column)? {
                if code >= counts.len() {
                    counts.resize(code + 1, 0);
                }
                counts[code] += 1;
            }
        }
        let mut bins = vec![UNKNOWN; counts.len()];
        let mut seen: Vec<usize> = (0..counts.len()).filter(|code| counts[*code] > 0).collect();
        if seen.len() > most {
            seen.sort_by_key(|code| (std::cmp::Reverse(counts[*code]), *code));
            let mut rare = seen.split_off(most / 2);
            let mut numbers = vec![usize::MAX; counts.len()];
            rare.iter().enumerate().for_each(|(number, code)| numbers[*code] = number);
            // All values were found to be levels or missing.
            let codes = (0..x.rows()).filter(|row| weights.is_none_or(|weights| weights[*row] > 0.0));
            let codes = codes.map(|row| (row, x.get(row, column))).filter(|(_, value)| !value.is_nan());
            let members = codes.map(|(row, code)| (row, numbers[code as usize]));
            let members = members.filter(|(_, number)| *number != usize::MAX);
            let groups = group_levels(guide, members, rare.len(), most - seen.len());
            let count = groups.iter().max().map_or(0, |last| last + 1);
            rare.iter().zip(groups).for_each(|(code, group)| bins[*code] = (most - 1 - group) as u8);
            // Bins that no group needs.
            seen.extend(rare.drain(..most - count - seen.len()));
            seen.sort_unstable();
        }
        seen.into_iter().enumerate().for_each(|(bin, code)| bins[code] = bin as u8);
        Ok(LevelBins::new(bins))
    }

    /// The bin of each level by its code; [`UNKNOWN`] for one that was not fitted.
    pub fn bins(&self) -> &[u8] {
        &self.bins
    }

    /// Bins that have a level, at most 255.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_levels_share_the_last_bin_and_what_was_not_fitted_is_unknown() {
        let codes = [7.0, 7.0, 7.0, 2.0, 2.0, 0.0, 5.0, 9.0, f32::NAN, 4.0];
        let x = Matrix::from_vec(10, 1, codes.to_vec()).unwrap().with_categories([0]).unwrap();
        let weights = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0];
        let levels = Levels::fit(&x, Some(&weights), 4, &Guide::Columns(&[])).unwrap();
        let bins = levels.feature(0).unwrap();
        // 7 and 2 are frequent, then 0 by its code; 5 and 9 are left.
        assert_eq!([0.0, 2.0, 7.0, 5.0, 9.0].map(|code| bins.bin(code)), [0, 1, 2, 3, 3]);
        assert_eq!([4.0, 1.0, 10.0, 1e9, -1.0, 0.5, f32::NAN].map(|value| bins.bin(value)), [UNKNOWN; 7]);
        assert_eq!((bins.count(), bins.bin(-0.0)), (4, 0));
        let all = Levels::fit(&x, Some(&weights), 5, &Guide::Columns(&[])).unwrap();
        assert_eq!([0.0, 2.0, 5.0, 7.0, 9.0].map(|code| all.feature(0).unwrap().bin(code)), [0, 1, 2, 3, 4]);
    }
}
