//! Rows of numbers as rows of bins.
//!
//! | file | what is in it |
//! |---|---|
//! | `quantiles` | where the bins of numbers end |
//! | `categories`, `category_groups` | the bins of categories, and which share one |
//! | `category_contrasts` | what tells categories of the same mean apart |
//! | `bundles` | sparse features that share a column |
//! | `search` | the bin of a number |
//! | `binned_matrix` | the rows as codes |

mod binned_matrix;
mod bundles;
mod categories;
mod category_contrasts;
mod category_groups;
mod quantiles;
mod search;

pub use binned_matrix::BinnedMatrix;
pub use categories::Categories;
pub use category_groups::{CategoryTargets, group_categories};
pub use quantiles::thresholds;

use std::sync::Arc;

use rayon::prelude::*;

use crate::array::Matrix;
use crate::cpu::random::philox::Philox;
use crate::cpu::tree::UNKNOWN;
use crate::error::{Error, Result};

/// Bins of present values at most; the one of missing values comes behind them.
pub const MAX_BINS: usize = 255;
/// Rows that decide the bins at most.
const SAMPLE: usize = 200_000;
/// The stream of the seed that chooses them.
const SAMPLE_STREAM: u32 = 0x7b17;
/// Rows binned together.
const BLOCK: usize = 1024;

/// The bins of each feature: bin `b` holds what is above threshold `b − 1` and not above threshold `b`, the last bin
/// the rest, and missing values have a bin behind it. Those of categorical features hold categories.
#[derive(Debug, Clone, PartialEq)]
pub struct Bins {
    thresholds: Vec<Vec<f32>>,
    missing: Vec<bool>,
    categories: Arc<Categories>,
    /// The fullest bin of each feature, among the rows that decided.
    fullest: Vec<(u16, f64)>,
}

impl Bins {
    /// Bins for the columns of `x` (n×d, no infinities), at most `max_bins` for each, by the rows whose weight is above 0.
    ///
    /// A feature of at most `max_bins` values or categories is binned exactly. The rows that decide are all, or 200,000 of
    /// them, one from each stretch of equal length, always the same. Costs a sort of them for each feature. Where a feature
    /// has more categories, `targets` says which share a bin.
    pub fn fit(x: &Matrix, weights: Option<&[f32]>, max_bins: usize, targets: &CategoryTargets<'_>) -> Result<Bins> {
        check_bins(max_bins)?;
        let categories = Categories::fit(x, weights, max_bins, targets)?;
        Bins::build(x, weights, max_bins, Arc::new(categories))
    }

    /// The same with bins of categories that are known, so that new trees can be added to old ones: a category that is not
    /// known there is missing.
    pub fn with_categories(
        x: &Matrix,
        weights: Option<&[f32]>,
        max_bins: usize,
        categories: Arc<Categories>,
    ) -> Result<Bins> {
        check_bins(max_bins)?;
        let mut bins = Bins::build(x, weights, max_bins, categories)?;
        bins.find_unknown(x, weights);
        Ok(bins)
    }

    fn build(x: &Matrix, weights: Option<&[f32]>, max_bins: usize, categories: Arc<Categories>) -> Result<Bins> {
        let counts = |row: &usize| weights.is_none_or(|weights| weights[*row] > 0.0);
        let rows: Vec<usize> = (0..x.rows()).filter(counts).collect();
        let rows = sample(rows);
        let fit = |column: usize| match categories.feature(column) {
            // Nothing is known of the fullest bin: categories have a column to themselves.
            Some(_) => (vec![], false, (0, 0.0)),
            None => fit_feature(x, &rows, column, max_bins),
        };
        let fitted: Vec<_> = (0..x.columns()).into_par_iter().map(fit).collect();
        let missing = (0..x.columns()).map(|column| fitted[column].1).collect::<Vec<bool>>();
        let fullest = fitted.iter().map(|(_, _, fullest)| *fullest).collect();
        let thresholds = fitted.into_iter().map(|(thresholds, ..)| thresholds).collect();
        let mut bins = Bins { thresholds, missing, categories, fullest };
        bins.find_missing(x)?;
        Ok(bins)
    }

    /// A missing value outside the sample gives its feature the bin it needs.
    fn find_missing(&mut self, x: &Matrix) -> Result<()> {
        if x.check_finite()?.is_none() {
            return Ok(());
        }
        let columns = x.columns();
        let found: Vec<Vec<bool>> = x
            .as_slice()
            .par_chunks(BLOCK * columns)
            .map(|block| {
                let mut found = vec![false; columns];
                for row in block.chunks(columns) {
                    found.iter_mut().zip(row).for_each(|(found, value)| *found |= value.is_nan());
                }
                found
            })
            .collect();
        for block in found {
            self.missing.iter_mut().zip(block).for_each(|(missing, found)| *missing |= found);
        }
        Ok(())
    }

    /// A category without a bin is missing, and gives its feature the bin that it needs.
    fn find_unknown(&mut self, x: &Matrix, weights: Option<&[f32]>) {
        let counts = |row: &usize| weights.is_none_or(|weights| weights[*row] > 0.0);
        for (feature, missing) in self.missing.iter_mut().enumerate() {
            if let Some(bins) = self.categories.feature(feature) {
                let unknown = |row: usize| bins.bin(x.get(row, feature)) == UNKNOWN;
                *missing |= (0..x.rows()).filter(counts).any(unknown);
            }
        }
    }

    /// Number of features.
    pub fn features(&self) -> usize {
        self.thresholds.len()
    }

    /// The thresholds of a feature, ascending; none of a categorical one.
    pub fn thresholds(&self, feature: usize) -> &[f32] {
        &self.thresholds[feature]
    }

    /// The thresholds of all features.
    pub fn all_thresholds(&self) -> &[Vec<f32>] {
        &self.thresholds
    }

    /// The bins of categorical features.
    pub fn categories(&self) -> &Arc<Categories> {
        &self.categories
    }

    /// Bins of present values, at least 1; the bin of missing ones comes behind them.
    pub fn present(&self, feature: usize) -> u16 {
        match self.categories.feature(feature) {
            Some(bins) => bins.count().max(1),
            None => self.thresholds[feature].len() as u16 + 1,
        }
    }

    /// Whether a feature has a bin of missing values.
    pub fn has_missing(&self, feature: usize) -> bool {
        self.missing[feature]
    }

    /// What a tree compares with, so that bins up to `bin` go left: x ≤ threshold. Behind the last bin every number is.
    pub fn threshold(&self, feature: usize, bin: u16) -> f32 {
        self.thresholds[feature].get(bin as usize).copied().unwrap_or(f32::MAX)
    }

    /// The fullest bin of a feature and its share of the rows that decided.
    pub fn fullest(&self, feature: usize) -> (u16, f64) {
        self.fullest[feature]
    }
}

/// At most [`SAMPLE`] of the rows, one from each stretch of equal length.
fn sample(rows: Vec<usize>) -> Vec<usize> {
    if rows.len() <= SAMPLE {
        return rows;
    }
    let numbers = Philox::new(0, SAMPLE_STREAM);
    let stretch = rows.len() as f64 / SAMPLE as f64;
    let place = |number: usize| ((number as f64 + f64::from(numbers.uniform(number as u64))) * stretch) as usize;
    (0..SAMPLE).map(|number| rows[place(number).min(rows.len() - 1)]).collect()
}

fn check_bins(max_bins: usize) -> Result<()> {
    if (2..=MAX_BINS).contains(&max_bins) {
        return Ok(());
    }
    Err(Error::param("max_bins", format!("from 2 to {MAX_BINS}"), max_bins))
}

/// Thresholds, whether a value is missing, and the fullest bin with its share.
fn fit_feature(x: &Matrix, rows: &[usize], column: usize, max_bins: usize) -> (Vec<f32>, bool, (u16, f64)) {
    let (values, columns) = (x.as_slice(), x.columns());
    let mut present: Vec<f32> = rows.iter().map(|row| values[row * columns + column]).collect();
    present.retain(|value| !value.is_nan());
    let absent = rows.len() - present.len();
    let thresholds = thresholds(&mut present, max_bins);
    // The values are sorted now: a bin's count is the distance between two places.
    let ends = thresholds.iter().map(|threshold| present.partition_point(|value| value <= threshold));
    let mut start = 0;
    let counts = ends.chain([present.len()]).map(|end| {
        let count = end - start;
        start = end;
        count
    });
    let mut fullest = (0, 0);
    for (bin, count) in counts.chain([absent]).enumerate() {
        if count > fullest.1 {
            fullest = (bin as u16, count);
        }
    }
    (thresholds, absent > 0, (fullest.0, fullest.1 as f64 / rows.len().max(1) as f64))
}
