//! Features that share a column: sparse ones of which no row has two outside their fullest bins (Ke et al., "LightGBM:
//! a highly efficient gradient boosting decision tree", 2017, section 4). Here no conflict is allowed, so that the
//! histogram of each feature can be had from the column's exactly.

use rayon::prelude::*;

use super::Bins;
use crate::array::Matrix;
use crate::cpu::tree::{BinLayout, FeaturePlace};

/// A feature is sparse when this share of the rows is in its fullest bin.
const SPARSE: f64 = 0.5;
/// Codes of a column at most.
const CODES: usize = 256;
/// Columns that a feature tries to join, the latest first.
const TRIES: usize = 64;
/// Words of a bit set made together.
const STRETCH: usize = 16;
/// Words of all bit sets together at most, 512 MiB.
const MAX_WORDS: usize = 1 << 26;

/// Features that share a column.
struct Bundle {
    features: Vec<usize>,
    codes: usize,
    /// Rows in which one of them is outside its fullest bin.
    taken: Vec<u64>,
}

/// The layout of the rows of `x`: each feature with more than one bin has a column, or a part of one.
pub(super) fn bundles(x: &Matrix, bins: &Bins) -> BinLayout {
    let all_bins = |feature: usize| bins.present(feature) as usize + usize::from(bins.has_missing(feature));
    let sparse = |feature: &usize| all_bins(*feature) > 1 && bins.fullest(*feature).1 >= SPARSE;
    let words = x.rows().div_ceil(64);
    let mut candidates: Vec<usize> = (0..bins.features()).filter(sparse).collect();
    if candidates.len() < 2 || candidates.len() > MAX_WORDS / words.max(1) {
        candidates.clear();
    }
    let outside = rows_outside(x, bins, &candidates);
    let mut sets: Vec<(usize, Vec<u64>)> = candidates.into_iter().zip(outside).collect();
    let count = |set: &[u64]| set.iter().map(|word| word.count_ones() as usize).sum::<usize>();
    sets.sort_by_cached_key(|(feature, set)| (std::cmp::Reverse(count(set)), *feature));
    let mut bundles: Vec<Bundle> = vec![];
    for (feature, set) in sets {
        let codes = all_bins(feature) - 1;
        let fits = |bundle: &&mut Bundle| {
            bundle.codes + codes <= CODES && bundle.taken.iter().zip(&set).all(|(taken, own)| taken & own == 0)
        };
        match bundles.iter_mut().rev().take(TRIES).find(fits) {
            Some(bundle) => {
                bundle.features.push(feature);
                bundle.codes += codes;
                bundle.taken.iter_mut().zip(&set).for_each(|(taken, own)| *taken |= own);
            }
            None => bundles.push(Bundle { features: vec![feature], codes: codes + 1, taken: set }),
        }
    }
    lay_out(bins, all_bins, bundles)
}

/// Columns in the order of their first features.
fn lay_out(bins: &Bins, all_bins: impl Fn(usize) -> usize, bundles: Vec<Bundle>) -> BinLayout {
    let mut shared: Vec<Vec<usize>> =
        bundles.into_iter().map(|bundle| bundle.features).filter(|features| features.len() > 1).collect();
    shared.iter_mut().for_each(|features| features.sort_unstable());
    let mut bundle_of = vec![None; bins.features()];
    for (number, features) in shared.iter().enumerate() {
        features.iter().for_each(|feature| bundle_of[*feature] = Some(number));
    }
    let place = |feature: usize| FeaturePlace {
        bins: bins.present(feature),
        missing: bins.has_missing(feature),
        categorical: bins.categories().feature(feature).is_some(),
        ..FeaturePlace::default()
    };
    let mut places: Vec<FeaturePlace> = (0..bins.features()).map(place).collect();
    let mut codes: Vec<usize> = vec![];
    for feature in 0..bins.features() {
        if all_bins(feature) < 2 || places[feature].column.is_some() {
            continue;
        }
        let column = Some(codes.len() as u32);
        let Some(bundle) = bundle_of[feature] else {
            places[feature].column = column;
            codes.push(all_bins(feature));
            continue;
        };
        let mut next = 1;
        for member in &shared[bundle] {
            let default = Some(bins.fullest(*member).0);
            places[*member] = FeaturePlace { column, offset: next as u16, default, ..places[*member] };
            next += all_bins(*member) - 1;
        }
        codes.push(next);
    }
    BinLayout::new(places, &codes)
}

/// For each of the features, the rows whose value is outside the fullest bin, as bits.
fn rows_outside(x: &Matrix, bins: &Bins, features: &[usize]) -> Vec<Vec<u64>> {
    let within: Vec<Within> = features.iter().map(|feature| Within::fullest(bins, *feature)).collect();
    let columns = x.columns();
    // All features of a stretch of rows at once: its values are read from memory a single time.
    let stretch = |rows: &[f32]| -> Vec<Vec<u64>> {
        let words = |within: &Within| rows.chunks(64 * columns).map(|rows| within.outside(rows, columns)).collect();
        within.iter().map(words).collect()
    };
    let stretches: Vec<Vec<Vec<u64>>> = match features.is_empty() {
        true => vec![],
        false => x.as_slice().par_chunks(STRETCH * 64 * columns).map(stretch).collect(),
    };
    let whole = |feature: usize| stretches.iter().flat_map(|sets| sets[feature].iter().copied()).collect();
    (0..features.len()).map(whole).collect()
}

/// The values of one bin.
struct Within {
    feature: usize,
    /// Not above this is outside; NaN where there is no such bound, as every comparison with it is false.
    low: f32,
    high: f32,
    missing: bool,
}

impl Within {
    fn fullest(bins: &Bins, feature: usize) -> Within {
        let (fullest, _) = bins.fullest(feature);
        let thresholds = bins.thresholds(feature);
        let missing = fullest as usize == thresholds.len() + 1;
        let low = fullest.checked_sub(1).and_then(|bin| thresholds.get(bin as usize)).copied();
        let high = thresholds.get(fullest as usize).copied().unwrap_or(f32::MAX);
        Within { feature, low: if missing { f32::MAX } else { low.unwrap_or(f32::NAN) }, high, missing }
    }

    /// A bit for each of up to 64 rows.
    fn outside(&self, rows: &[f32], columns: usize) -> u64 {
        let values = rows.iter().skip(self.feature).step_by(columns).enumerate();
        values.fold(0, |word, (at, value)| {
            let outside = *value <= self.low || *value > self.high || value.is_nan() != self.missing;
            word | u64::from(outside) << at
        })
    }
}
