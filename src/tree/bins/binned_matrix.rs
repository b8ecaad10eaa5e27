//! The rows of a matrix as codes.

use bytemuck::{Pod, Zeroable, cast_slice, cast_slice_mut};
use rayon::prelude::*;

use super::Bins;
use super::bundles::bundles;
use super::search::ThresholdSearch;
use crate::array::Matrix;
use crate::cpu::tree::splitters::BinnedTable;
use crate::cpu::tree::{BinLayout, BinnedRows, CategoryBins, FeaturePlace, UNKNOWN};

/// Rows binned together.
const BLOCK: usize = 1024;

/// Rows as bins, twice: row after row for histograms, each row `stride` bytes with a code for each column, and column
/// after column for partitions. Features that never leave their fullest bins in the same row may share a column; the
/// layout knows where each feature is.
#[derive(Debug, Clone, PartialEq)]
pub struct BinnedMatrix {
    rows: usize,
    stride: usize,
    lines: Vec<CacheLine>,
    columns: Vec<u8>,
    layout: BinLayout,
}

/// A cache line, so that a row of at most as many codes never lies in two.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C, align(64))]
struct CacheLine([u8; 64]);

impl BinnedMatrix {
    /// The rows of `x` in these bins, which were fitted on them. About 2 ns a value on one core.
    pub fn new(x: &Matrix, bins: &Bins) -> BinnedMatrix {
        let layout = bundles(x, bins);
        let stride = stride(layout.columns());
        let mut lines = vec![CacheLine::zeroed(); (x.rows() * stride).div_ceil(64)];
        let mut columns = vec![0; x.rows() * layout.columns()];
        if stride > 0 {
            let encoder = |feature: usize| match bins.categories().feature(feature) {
                Some(own) => Encoder::Categories(own),
                None => Encoder::Numbers(Box::new(ThresholdSearch::new(bins.thresholds(feature)))),
            };
            let encoders: Vec<Encoder> = (0..bins.features()).map(encoder).collect();
            // For each block of rows its part of every column.
            let mut parts: Vec<Vec<&mut [u8]>> = (0..x.rows().div_ceil(BLOCK)).map(|_| vec![]).collect();
            for column in columns.chunks_mut(x.rows()) {
                parts.iter_mut().zip(column.chunks_mut(BLOCK)).for_each(|(part, codes)| part.push(codes));
            }
            let codes = cast_slice_mut::<CacheLine, u8>(&mut lines).par_chunks_mut(BLOCK * stride);
            let values = x.as_slice().par_chunks(BLOCK * x.columns());
            values.zip(codes).zip(parts).for_each(|((values, codes), mut columns)| {
                for (feature, (place, encoder)) in layout.places().iter().zip(&encoders).enumerate() {
                    if let Some(column) = place.column {
                        let values = values.iter().skip(feature).step_by(x.columns());
                        encoder.encode(values, place, columns[column as usize]);
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
    pub fn layout(&self) -> &BinLayout {
        &self.layout
    }

    /// The codes as the functions in `cpu` take them.
    pub fn view(&self) -> BinnedRows<'_> {
        BinnedRows { bins: self.bins(), stride: self.stride, columns: &self.columns }
    }

    /// The rows as splitters take them, with the bins that they are in.
    pub fn table<'a>(&'a self, bins: &'a Bins) -> BinnedTable<'a> {
        BinnedTable { codes: self.view(), layout: &self.layout, thresholds: bins.all_thresholds() }
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
enum Encoder<'a> {
    Numbers(Box<ThresholdSearch>),
    Categories(&'a CategoryBins),
}

impl Encoder<'_> {
    /// Writes the codes of one feature's values.
    fn encode<'a>(&self, values: impl Iterator<Item = &'a f32>, place: &FeaturePlace, codes: &mut [u8]) {
        match self {
            Encoder::Numbers(thresholds) => thresholds.encode(values, place, codes),
            Encoder::Categories(bins) => {
                // Categories that are not known are those of rows that do not count.
                let unknown = if place.missing { place.bins } else { 0 };
                for (value, code) in values.zip(codes) {
                    let bin = match bins.bin(*value) {
                        UNKNOWN => unknown,
                        bin => u16::from(bin),
                    };
                    *code = place.code(bin).unwrap_or(0);
                }
            }
        }
    }
}
