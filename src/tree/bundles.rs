//! Features that share a column: sparse ones of which no row has two outside their fullest bins (Ke et al., "LightGBM:
//! a highly efficient gradient boosting decision tree", 2017, section 4). Here no conflict is allowed, so that the
//! histogram of each feature can be had from the column's exactly.

use rayon::prelude::*;

use super::bins::Bins;
use super::layout::{Layout, Place};
use crate::array::Matrix;

/// A feature is sparse when this share of the rows is in its fullest bin.
const SPARSE: f64 = 0.5;
/// Codes of a column at most.
const CODES: usize = 256;
/// Columns that a feature tries to join, the latest first.
const TRIES: usize = 64;
/// Words of a bit set made together.
const STRETCH: usize = 16;
/// Words of all bit sets together at most, 512 MiB.
const MOST_WORDS: usize = 1 << 26;

/// Features that share a column.
struct Bundle {
    features: Vec<usize>,
    codes: usize,
    /// Rows in which one of them is outside its fullest bin.
    taken: Vec<u64>,
}

/// The layout of the rows of `x`: each feature with more than one bin has a column, or a part of one.
pub(super) fn bundles(x: &Matrix, bins: &Bins) -> Layout {
    let all_bins = |feature: usize| bins.present(feature) as usize + usize::from(bins.has_missing(feature));
    let sparse = |feature: &usize| all_bins(*feature) > 1 && bins.fullest(*feature).1 >= SPARSE;
    let words = x.rows().div_ceil(64);
    let mut candidates: Vec<usize> = (0..bins.features()).filter(sparse).collect();
    if candidates.len() < 2 || candidates.len() > MOST_WORDS / words.max(1) {
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
fn lay_out(bins: &Bins, all_bins: impl Fn(usize) -> usize, bundles: Vec<Bundle>) -> Layout {
    let mut shared: Vec<Vec<usize>> =
        bundles.into_iter().map(|bundle| bundle.features).filter(|features| features.len() > 1).collect();
    shared.iter_mut().for_each(|features| features.sort_unstable());
    let mut bundle_of = vec![None; bins.features()];
    for (number, features) in shared.iter().enumerate() {
        features.iter().for_each(|feature| bundle_of[*feature] = Some(number));
    }
    let place = |feature: usize| Place {
        column: None,
        offset: 0,
        bins: bins.present(feature),
        missing: bins.has_missing(feature),
        default: None,
        categorical: bins.levels().feature(feature).is_some(),
    };
    let mut places: Vec<Place> = (0..bins.features()).map(place).collect();
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
            places[*member] = Place { column, offset: next as u16, default, ..places[*member] };
            next += all_bins(*member) - 1;
        }
        codes.push(next);
    }
    Layout::new(places, &codes)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::BinnedMatrix;
    use crate::tree::level_groups::Guide;

    /// One-hot columns of two codes, a dense column, a constant one, and one that is mostly missing.
    fn table(rows: usize) -> Matrix {
        let value = |row: usize, column: usize| match column {
            0..5 => f32::from(u8::from(row % 6 == column)),
            5..8 => {
                if row * 7 % 10 == column {
                    row as f32 % 3.0 + 1.0
                } else {
                    0.0
                }
            }
            8 => (row * 31 % 97) as f32,
            9 => 4.0,
            _ => {
                if row % 6 == 5 {
                    (row % 4) as f32
                } else {
                    f32::NAN
                }
            }
        };
        let values = (0..rows).flat_map(|row| (0..11).map(move |column| value(row, column))).collect();
        Matrix::from_vec(rows, 11, values).unwrap()
    }

    #[test]
    fn features_that_exclude_each_other_share_a_column_and_none_loses_a_row() {
        let x = table(5000);
        let bins = Bins::fit(&x, None, 255, &Guide::Columns(&[])).unwrap();
        let binned = BinnedMatrix::new(&x, &bins);
        let layout = binned.layout();
        let columns: Vec<Option<u32>> = layout.places().iter().map(|place| place.column).collect();
        assert!(columns[..5].iter().all(|column| *column == columns[0]), "{columns:?}");
        assert!(columns[5..8].iter().all(|column| *column == columns[5]) && columns[9].is_none());
        assert_eq!((layout.columns(), columns[10]), (3, columns[0]));
        // Each feature's bin can be told from its column's code, by the routes of all its splits.
        for (feature, place) in (0_u32..).zip(layout.places()) {
            let Some(column) = place.column else { continue };
            for bin in 0..place.bins {
                for missing_left in [false, true] {
                    let route = layout.route(feature, bin, None, missing_left);
                    for row in 0..x.rows() {
                        let own = bins.bin(feature as usize, x.get(row, feature as usize));
                        let want = if own == place.bins { missing_left } else { own <= bin };
                        assert_eq!(route.goes_left(binned.bins()[row * binned.stride() + column as usize]), want);
                    }
                }
            }
        }
    }

    #[test]
    fn one_row_in_common_keeps_two_features_apart() {
        let mut values = vec![0.0; 2000];
        (0..300).for_each(|row| values[2 * row] = 1.0);
        (299..500).for_each(|row| values[2 * row + 1] = 1.0);
        let x = Matrix::from_vec(1000, 2, values).unwrap();
        let binned = BinnedMatrix::new(&x, &Bins::fit(&x, None, 255, &Guide::Columns(&[])).unwrap());
        assert_eq!(binned.layout().columns(), 2);
    }
}
