//! Binned rows on a device.

use std::ops::Range;
use std::sync::Arc;

use crate::array::{RowStore, View};
use crate::cpu::tree::{BinnedRows, FeaturePlace};
use crate::device::{Buffer, Device, Recording, Stream};
use crate::error::{Error, Result};

/// Columns whose codes stand together: eight bytes of a row.
pub(super) const GROUP_COLUMNS: usize = 8;
/// Words of a feature's entry in the table on the device.
const FEATURE_WORDS: usize = 4;
/// What stands in it for no default bin.
const NO_DEFAULT: u32 = u32::MAX;

/// Rows as bins, n×columns codes, on a device, with the places of columns and features in a histogram.
///
/// On the CPU the codes are borrowed. On a GPU they are stored eight columns at a time, so that they may lie in several
/// buffers, or on the host, without any op noticing.
#[derive(Debug)]
pub struct Binned<'a> {
    device: Device,
    pub(super) rows: usize,
    pub(super) starts: &'a [u32],
    pub(super) features: &'a [FeaturePlace],
    storage: BinStorage<'a>,
}

#[derive(Debug)]
enum BinStorage<'a> {
    Cpu(BinnedRows<'a>),
    Gpu(GpuBins),
}

/// The codes, `starts` and the features' cells on a GPU.
#[derive(Debug)]
pub(super) struct GpuBins {
    groups_of_8: RowStore,
    pub(super) starts: Arc<Buffer>,
    pub(super) features: Arc<Buffer>,
    /// Bins of present and missing values, column, code of the first bin, default of each feature.
    pub(super) feature_codes: Arc<Buffer>,
}

impl<'a> Binned<'a> {
    /// Brings the codes to a device. `starts[c]..starts[c + 1]` are the cells of column `c` in a histogram, one for each
    /// code and 256 at most; `features` says where each feature's cells are.
    pub fn new(
        stream: &mut Stream,
        matrix: BinnedRows<'a>,
        starts: &'a [u32],
        features: &'a [FeaturePlace],
    ) -> Result<Binned<'a>> {
        let columns = starts.len().saturating_sub(1);
        let rows = matrix.bins.len() / matrix.stride.max(1);
        let codes_fit = starts.windows(2).all(|ends| ends[0] <= ends[1] && ends[1] - ends[0] <= 256);
        if columns > matrix.stride || !matrix.stride.is_multiple_of(GROUP_COLUMNS) || !codes_fit {
            let expected =
                "a stride that is a multiple of 8 and at least the columns, up to 256 cells a column".to_string();
            let got = format!("{columns} columns in a stride of {}", matrix.stride);
            return Err(Error::shape("binned rows", expected, got));
        }
        let device = stream.device().clone();
        let storage = match stream.gpu() {
            None => BinStorage::Cpu(matrix),
            Some(recording) => BinStorage::Gpu(GpuBins::new(recording, matrix, rows, starts, features)?),
        };
        Ok(Binned { device, rows, starts, features, storage })
    }

    /// Number of rows, n.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Number of cells of a histogram.
    pub fn cells(&self) -> usize {
        self.starts.last().map_or(0, |cells| *cells as usize)
    }

    pub(super) fn on(&self, stream: &Stream, op: &'static str) -> Result<()> {
        match self.device.same(stream.device()) {
            true => Ok(()),
            false => {
                Err(Error::WrongDevice { op, why: "the rows and the stream belong to different devices".to_string() })
            }
        }
    }

    /// The codes, for a CPU twin.
    pub(super) fn codes(&self) -> Result<BinnedRows<'a>> {
        match &self.storage {
            BinStorage::Cpu(matrix) => Ok(*matrix),
            BinStorage::Gpu(_) => Err(wrong_device()),
        }
    }

    pub(super) fn on_gpu(&self) -> Result<&GpuBins> {
        match &self.storage {
            BinStorage::Gpu(on_gpu) => Ok(on_gpu),
            BinStorage::Cpu(_) => Err(wrong_device()),
        }
    }
}

fn wrong_device() -> Error {
    Error::WrongDevice { op: "binned rows", why: "they live on another device".to_string() }
}

impl GpuBins {
    fn new(
        recording: &mut Recording,
        matrix: BinnedRows<'_>,
        rows: usize,
        starts: &[u32],
        places: &[FeaturePlace],
    ) -> Result<GpuBins> {
        let groups_of_8 = (starts.len().saturating_sub(1)).div_ceil(GROUP_COLUMNS);
        let store = RowStore::allocate(&recording.gpu, groups_of_8, 2 * rows.max(1), 1)?;
        store.upload(recording, &|first, part| transpose(matrix, rows, first as usize, part))?;
        let starts = super::upload_table(recording, starts, 4, "first cells of columns")?;
        let entry = |cells: &FeaturePlace| -> [u32; FEATURE_WORDS] {
            let missing = u32::from(cells.missing);
            [cells.first, u32::from(cells.bins), missing, cells.default.map_or(NO_DEFAULT, u32::from)]
        };
        let entries: Vec<u32> = places.iter().flat_map(entry).collect();
        let features = super::upload_table(recording, &entries, 4, "cells of features")?;
        let code = |place: &FeaturePlace| -> [u32; FEATURE_WORDS] {
            let bins = u32::from(place.bins) | u32::from(place.missing) << 16;
            let default = place.default.map_or(NO_DEFAULT, u32::from);
            [bins, place.column.unwrap_or(0), u32::from(place.offset), default]
        };
        let feature_codes: Vec<u32> = places.iter().flat_map(code).collect();
        let feature_codes = super::upload_table(recording, &feature_codes, 4, "codes of features")?;
        recording.flush()?;
        Ok(GpuBins { groups_of_8: store, starts, features, feature_codes })
    }

    /// The groups of columns to work on together, of `all`: every one if they lie in one buffer, else one after the other.
    pub(super) fn blocks(&self, all: usize) -> Vec<Range<usize>> {
        match self.groups_of_8.is_one_buffer() {
            true => std::iter::once(0..all).collect(),
            false => (0..all).map(|group_of_8| group_of_8..group_of_8 + 1).collect(),
        }
    }

    /// The codes of some groups of eight columns in one buffer.
    pub(super) fn view(&self, recording: &mut Recording, groups_of_8: Range<usize>) -> Result<View> {
        self.groups_of_8.view(recording, groups_of_8)
    }
}

/// Writes words from `first` on of the codes, group of eight columns after group, two words for each row.
fn transpose(matrix: BinnedRows<'_>, rows: usize, first: usize, part: &mut [u32]) {
    let per_group = 2 * rows.max(1);
    let mut at = 0;
    while at < part.len() {
        let (group_of_8, word) = ((first + at) / per_group, (first + at) % per_group);
        let count = (part.len() - at).min(per_group - word);
        for (place, word) in part[at..at + count].iter_mut().zip(word..) {
            let (row, half) = (word / 2, word % 2);
            let from = row * matrix.stride + GROUP_COLUMNS * group_of_8 + 4 * half;
            *place = matrix
                .bins
                .get(from..from + 4)
                .map_or(0, |codes| u32::from_le_bytes([codes[0], codes[1], codes[2], codes[3]]));
        }
        at += count;
    }
}
