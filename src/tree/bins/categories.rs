//! The bins of categorical features: a category each, or many rare categories of like targets together.

use rayon::prelude::*;

use super::category_contrasts::contrasts;
use super::category_groups::{CategoryTargets, group_categories};
use crate::array::{MAX_CATEGORIES, Matrix, category};
use crate::cpu::tree::{CategoryBins, UNKNOWN};
use crate::error::Result;
use crate::model_file::Container;

/// For each categorical feature the bin of each of its categories.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Categories {
    features: Vec<Option<CategoryBins>>,
}

impl Categories {
    /// The bins of the marked columns of `x`, by the rows whose weight is above 0: a category each where there are at
    /// most `max_bins`. Else the most frequent half of as many each have one (of equally frequent ones the lowest code),
    /// and the others share the rest with those of like `targets`, also on the sides of other features in which they
    /// differ most; what that leaves over goes to the next in frequency. Costs one pass over the column and a number for
    /// each category, with too many of them some passes over all columns.
    pub fn fit(
        x: &Matrix,
        weights: Option<&[f32]>,
        max_bins: usize,
        targets: &CategoryTargets<'_>,
    ) -> Result<Categories> {
        let one = |column: usize| {
            let categorical = x.is_categorical(column);
            categorical.then(|| fit_column(x, weights, column, max_bins, targets)).transpose()
        };
        let features: Vec<Result<Option<CategoryBins>>> = (0..x.columns()).into_par_iter().map(one).collect();
        Ok(Categories { features: features.into_iter().collect::<Result<_>>()? })
    }

    /// The bins of a feature's categories, if it is categorical.
    pub fn feature(&self, feature: usize) -> Option<&CategoryBins> {
        self.features.get(feature).and_then(Option::as_ref)
    }

    /// One entry for each feature.
    pub fn features(&self) -> &[Option<CategoryBins>] {
        &self.features
    }

    /// Whether there is a categorical feature.
    pub fn is_any(&self) -> bool {
        self.features.iter().any(Option::is_some)
    }

    /// Puts the bins of all categorical features into a container.
    pub fn store(&self, container: &mut Container) -> Result<()> {
        let known = || self.features.iter().enumerate().filter_map(|(at, bins)| bins.as_ref().map(|bins| (at, bins)));
        let features: Vec<u32> = known().map(|(at, _)| at as u32).collect();
        let sizes: Vec<u64> = known().map(|(_, bins)| bins.bins().len() as u64).collect();
        let bins: Vec<u8> = known().flat_map(|(_, bins)| bins.bins().iter().copied()).collect();
        container.insert("categories.feature", &[features.len()], features)?;
        container.insert("categories.sizes", &[sizes.len()], sizes)?;
        container.insert("categories.bin", &[bins.len()], bins)
    }

    /// Takes them out again, for trees of `columns` features.
    pub fn restore(container: &mut Container, columns: usize) -> Result<Categories> {
        let [count] = container.shape("categories.feature")?;
        let [total] = container.shape("categories.bin")?;
        let known: Vec<u32> = container.take("categories.feature", &[count])?;
        let sizes: Vec<u64> = container.take("categories.sizes", &[count])?;
        let bins: Vec<u8> = container.take("categories.bin", &[total])?;
        let mut features = vec![None; columns];
        let mut rest = bins.as_slice();
        let unfit = || container.refuse("the categories of the features are not as many as they should be");
        for (feature, size) in known.into_iter().zip(sizes) {
            let size = usize::try_from(size).ok().filter(|size| *size <= MAX_CATEGORIES).ok_or_else(unfit)?;
            let (own, behind) = rest.split_at_checked(size).ok_or_else(unfit)?;
            let place = features.get_mut(feature as usize).filter(|place| place.is_none()).ok_or_else(unfit)?;
            *place = Some(CategoryBins::new(own.to_vec()));
            rest = behind;
        }
        if rest.is_empty() { Ok(Categories { features }) } else { Err(unfit()) }
    }
}

/// The bins of one column.
fn fit_column(
    x: &Matrix,
    weights: Option<&[f32]>,
    column: usize,
    max_bins: usize,
    targets: &CategoryTargets<'_>,
) -> Result<CategoryBins> {
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
    if seen.len() > max_bins {
        seen.sort_by_key(|code| (std::cmp::Reverse(counts[*code]), *code));
        let mut rare = seen.split_off(max_bins / 4);
        let mut numbers = vec![usize::MAX; counts.len()];
        rare.iter().enumerate().for_each(|(number, code)| numbers[*code] = number);
        // All values were found to be categories or missing.
        let codes = (0..x.rows()).filter(|row| weights.is_none_or(|weights| weights[*row] > 0.0));
        let codes = codes.map(|row| (row, x.get(row, column))).filter(|(_, value)| !value.is_nan());
        let members = codes.map(|(row, code)| (row, numbers[code as usize]));
        let members: Vec<(usize, usize)> = members.filter(|(_, number)| *number != usize::MAX).collect();
        let columns = contrasts(x, column, targets, &members, rare.len());
        let targets = CategoryTargets::With { targets, columns: &columns };
        let groups = group_categories(&targets, members.iter().copied(), rare.len(), max_bins - seen.len());
        let count = groups.iter().max().map_or(0, |last| last + 1);
        rare.iter().zip(groups).for_each(|(code, group)| bins[*code] = (max_bins - 1 - group) as u8);
        // Bins that no group needs.
        seen.extend(rare.drain(..max_bins - count - seen.len()));
        seen.sort_unstable();
    }
    seen.into_iter().enumerate().for_each(|(bin, code)| bins[code] = bin as u8);
    Ok(CategoryBins::new(bins))
}
