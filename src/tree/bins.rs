//! Rows of numbers as rows of bins.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable, cast_slice, cast_slice_mut};
use rayon::prelude::*;

use super::bundles::bundles;
use super::layout::{Layout, Place};
use super::level_groups::Guide;
use super::levels::{LevelBins, Levels};
use super::quantiles::thresholds;
use crate::array::Matrix;
use crate::cpu::random::philox::Philox;
use crate::cpu::tree::BinnedRows;
use crate::cpu::tree::bin_set::UNKNOWN;
use crate::error::{Error, Result};

/// Bins of present values at most; the one of missing values comes behind them.
pub(crate) const MOST_BINS: usize = 255;
/// Rows that decide the bins at most.
const SAMPLE: usize = 200_000;
/// The stream of the seed that chooses them.
const SAMPLE_STREAM: u32 = 0x7b17;
/// Rows binned together.
const BLOCK: usize = 1024;

/// The bins of each feature: bin `b` holds what is above threshold `b − 1` and not above threshold `b`, the last bin
/// the rest, and missing values have a bin behind it. Those of categorical features hold levels.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bins {
    thresholds: Vec<Vec<f32>>,
    missing: Vec<bool>,
    levels: Arc<Levels>,
    /// The fullest bin of each feature, among the rows that decided.
    fullest: Vec<(u16, f64)>,
}

impl Bins {
    /// Bins for the columns of `x` (n×d, no infinities), at most `most` for each, by the rows whose weight is above 0.
    ///
    /// A feature of at most `most` values or levels is binned exactly. The rows that decide are all, or 200,000 of them,
    /// one from each stretch of equal length, always the same. Costs a sort of them for each feature. Where a feature has
    /// more levels, `guide` says which share a bin.
    pub fn fit(x: &Matrix, weights: Option<&[f32]>, most: usize, guide: &Guide<'_>) -> Result<Bins> {
        check_most(most)?;
        let levels = Levels::fit(x, weights, most, guide)?;
        Bins::build(x, weights, most, Arc::new(levels))
    }

    /// The same with bins of levels that are known, so that new trees can be added to old ones: a level that is not known
    /// there is missing.
    pub fn with_levels(x: &Matrix, weights: Option<&[f32]>, most: usize, levels: Arc<Levels>) -> Result<Bins> {
        check_most(most)?;
        let mut bins = Bins::build(x, weights, most, levels)?;
        bins.find_unknown(x, weights);
        Ok(bins)
    }

    fn build(x: &Matrix, weights: Option<&[f32]>, most: usize, levels: Arc<Levels>) -> Result<Bins> {
        let counts = |row: &usize| weights.is_none_or(|weights| weights[*row] > 0.0);
        let rows: Vec<usize> = (0..x.rows()).filter(counts).collect();
        let rows = sample(rows);
        let fit = |column: usize| match levels.feature(column) {
            // Nothing is known of the fullest bin: levels have a column to themselves.
            Some(_) => (vec![], false, (0, 0.0)),
            None => fit_feature(x, &rows, column, most),
        };
        let fitted: Vec<_> = (0..x.columns()).into_par_iter().map(fit).collect();
        let missing = (0..x.columns()).map(|column| fitted[column].1).collect::<Vec<bool>>();
        let fullest = fitted.iter().map(|(_, _, fullest)| *fullest).collect();
        let thresholds = fitted.into_iter().map(|(thresholds, ..)| thresholds).collect();
        let mut bins = Bins { thresholds, missing, levels, fullest };
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

    /// A level without a bin is missing, and gives its feature the bin that it needs.
    fn find_unknown(&mut self, x: &Matrix, weights: Option<&[f32]>) {
        let counts = |row: &usize| weights.is_none_or(|weights| weights[*row] > 0.0);
        for (feature, missing) in self.missing.iter_mut().enumerate() {
            if let Some(levels) = self.levels.feature(feature) {
                let unknown = |row: usize| levels.bin(x.get(row, feature)) == UNKNOWN;
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

    /// The bins of categorical features.
    pub fn levels(&self) -> &Arc<Levels> {
        &self.levels
    }

    /// Bins of present values, at least 1; the bin of missing ones comes behind them.
    pub fn present(&self, feature: usize) -> u16 {
        match self.levels.feature(feature) {
            Some(levels) => levels.count().max(1),
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

    /// The bin of a value.
    #[cfg(test)]
    pub fn bin(&self, feature: usize, value: f32) -> u16 {
        let thresholds = &self.thresholds[feature];
        match value.is_nan() {
            true => self.present(feature),
            false => thresholds.partition_point(|threshold| value > *threshold) as u16,
        }
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

fn check_most(most: usize) -> Result<()> {
    if (2..=MOST_BINS).contains(&most) {
        return Ok(());
    }
    Err(Error::Param { name: "max_bins", rule: format!("from 2 to {MOST_BINS}"), got: most.to_string() })
}

/// Thresholds, whether a value is missing, and the fullest bin with its share.
fn fit_feature(x: &Matrix, rows: &[usize], column: usize, most: usize) -> (Vec<f32>, bool, (u16, f64)) {
    let (values, columns) = (x.as_slice(), x.columns());
    let mut present: Vec<f32> = rows.iter().map(|row| values[row * columns + column]).collect();
    present.retain(|value| !value.is_nan());
    let absent = rows.len() - present.len();
    let thresholds = thresholds(&mut present, most);
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

/// Rows as bins, twice: row after row for histograms, each row `stride` bytes with a code for each column, and column
/// after column for partitions. Features that never leave their fullest bins in the same row may share a column; the
/// layout knows where each feature is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BinnedMatrix {
    rows: usize,
    stride: usize,
    lines: Vec<Line>,
    columns: Vec<u8>,
    layout: Layout,
}

/// A cache line, so that a row of at most as many codes never lies in two.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C, align(64))]
struct Line([u8; 64]);

impl BinnedMatrix {
    /// The rows of `x` in these bins, which were fitted on them. About 6 ns a value on one core.
    pub fn new(x: &Matrix, bins: &Bins) -> BinnedMatrix {
        let layout = bundles(x, bins);
        let stride = stride(layout.columns());
        let mut lines = vec![Line::zeroed(); (x.rows() * stride).div_ceil(64)];
        let mut columns = vec![0; x.rows() * layout.columns()];
        if stride > 0 {
            let search = |feature: usize| match bins.levels.feature(feature) {
                Some(levels) => Search::Levels(levels),
                None => Search::Numbers(Box::new(Thresholds::new(bins.thresholds(feature)))),
            };
            let searches: Vec<Search> = (0..bins.features()).map(search).collect();
            // For each block of rows its part of every column.
            let mut parts: Vec<Vec<&mut [u8]>> = (0..x.rows().div_ceil(BLOCK)).map(|_| vec![]).collect();
            for column in columns.chunks_mut(x.rows()) {
                parts.iter_mut().zip(column.chunks_mut(BLOCK)).for_each(|(part, codes)| part.push(codes));
            }
            let codes = cast_slice_mut::<Line, u8>(&mut lines).par_chunks_mut(BLOCK * stride);
            let values = x.as_slice().par_chunks(BLOCK * x.columns());
            values.zip(codes).zip(parts).for_each(|((values, codes), mut columns)| {
                for (feature, (place, search)) in layout.places().iter().zip(&searches).enumerate() {
                    if let Some(column) = place.column {
                        let values = values.iter().skip(feature).step_by(x.columns());
                        search.encode(values, place, columns[column as usize]);
                    }
                }
                for (number, column) in columns.iter().enumerate() {
                    codes[number..].iter_mut().step_by(stride).zip(&**column).for_each(|(to, from)| *to = *from);
                }
            });
        }
        BinnedMatrix { rows: x.rows(), stride, lines, columns, layout }
    }

    /// Number of rows, n.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Bytes of a row, a multiple of eight.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// The codes row after row, n×stride.
    pub fn bins(&self) -> &[u8] {
        &cast_slice(&self.lines)[..self.rows * self.stride]
    }

    /// Where each feature is.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The codes as the functions in `cpu` take them.
    pub fn view(&self) -> BinnedRows<'_> {
        BinnedRows { bins: self.bins(), stride: self.stride, columns: &self.columns }
    }
}

/// Bytes of a row: a multiple of eight, and up to 64 a power of two, so that no row lies in two cache lines.
fn stride(columns: usize) -> usize {
    match columns.next_multiple_of(8) {
        bytes @ 1..=64 => bytes.next_power_of_two(),
        bytes => bytes,
    }
}

/// How the bins of a feature's values are found.
enum Search<'a> {
    Numbers(Box<Thresholds>),
    Levels(&'a LevelBins),
}

impl Search<'_> {
    /// Writes the codes of one feature's values.
    fn encode<'a>(&self, values: impl Iterator<Item = &'a f32>, place: &Place, codes: &mut [u8]) {
        match self {
            Search::Numbers(thresholds) => thresholds.encode(values, place, codes),
            Search::Levels(levels) => {
                // Levels that are not known are those of rows that do not count.
                let unknown = if place.missing { place.bins } else { 0 };
                for (value, code) in values.zip(codes) {
                    let bin = match levels.bin(*value) {
                        UNKNOWN => unknown,
                        bin => u16::from(bin),
                    };
                    *code = place.code(bin).unwrap_or(0);
                }
            }
        }
    }
}

/// The thresholds of a feature for a search in eight steps without a branch.
struct Thresholds {
    thresholds: [f32; 256],
    missing: u16,
}

impl Thresholds {
    fn new(thresholds: &[f32]) -> Thresholds {
        let mut padded = [f32::MAX; 256];
        padded[..thresholds.len()].copy_from_slice(thresholds);
        Thresholds { thresholds: padded, missing: thresholds.len() as u16 + 1 }
    }

    #[inline(always)]
    fn bin(&self, value: f32) -> u16 {
        let mut place = 0_usize;
        for step in [128, 64, 32, 16, 8, 4, 2, 1] {
            let above = usize::from(value > self.thresholds[(place + step - 1) & 255]);
            place += above * step;
        }
        if value.is_nan() { self.missing } else { place as u16 }
    }

    /// Writes the codes of one feature's values.
    fn encode<'a>(&self, values: impl Iterator<Item = &'a f32>, place: &Place, codes: &mut [u8]) {
        for (value, code) in values.zip(codes) {
            if let Some(own) = place.code(self.bin(*value)) {
                *code = own;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_the_bins_of_the_values_and_missing_ones_come_last() {
        let column: Vec<f32> =
            (0..3000).map(|row| if row % 11 == 0 { f32::NAN } else { (row * 17 % 999) as f32 }).collect();
        let x = Matrix::from_vec(3000, 1, column).unwrap();
        for most in [2, 7, 255] {
            let bins = Bins::fit(&x, None, most, &Guide::Columns(&[])).unwrap();
            let binned = BinnedMatrix::new(&x, &bins);
            assert!(bins.thresholds(0).len() < most && bins.has_missing(0));
            for (row, value) in x.as_slice().iter().enumerate() {
                let below = bins.thresholds(0).iter().filter(|threshold| value > *threshold).count();
                let want = if value.is_nan() { bins.thresholds(0).len() + 1 } else { below };
                assert_eq!((binned.bins()[row * binned.stride()] as usize, bins.bin(0, *value) as usize), (want, want));
                assert_eq!(binned.view().columns[row] as usize, want);
            }
        }
    }

    #[test]
    fn rows_of_weight_zero_decide_no_bin() {
        let x = Matrix::from_vec(4, 1, vec![1.0, 2.0, 900.0, 3.0]).unwrap();
        let bins = Bins::fit(&x, Some(&[1.0, 1.0, 0.0, 1.0]), 255, &Guide::Columns(&[])).unwrap();
        assert_eq!(bins.thresholds(0), [1.5, 2.5]);
        assert!(Bins::fit(&x, None, 256, &Guide::Columns(&[])).is_err());
    }
}
