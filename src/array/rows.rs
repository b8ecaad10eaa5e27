//! Rows of 4-byte words on a GPU: in chunks that a binding takes, or on the host and streamed through in blocks.
//!
//! An op asks for a range of rows and gets one buffer that holds them, wherever they live, so no op knows about chunks.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use super::matrix::Matrix;
use crate::device::health::lock;
use crate::device::{Buffer, Fill, Gpu, Pending, Purpose, Recording};
use crate::error::{Error, Result};

/// Storage of `rows` rows, `stride` words each.
#[derive(Debug)]
pub(crate) struct RowStore {
    rows: usize,
    stride: usize,
    storage: RowStorage,
    /// The matrix that was uploaded, until something is written here.
    source: Mutex<Option<Box<Matrix>>>,
}

#[derive(Debug)]
enum RowStorage {
    /// Resident: every chunk but the last holds `chunk_rows` rows.
    Chunks { chunk_rows: usize, chunks: Vec<Arc<Buffer>> },
    /// Above its share of the memory budget: the rows stay on the host.
    Host(Mutex<Vec<u32>>),
}

/// One buffer with the rows an op asked for, beginning at its word `first_word`.
#[derive(Debug)]
pub struct View {
    buffer: Arc<Buffer>,
    first_word: u32,
}

impl View {
    /// A buffer from its first word on.
    pub(crate) fn whole(buffer: Arc<Buffer>) -> View {
        View { buffer, first_word: 0 }
    }

    /// The same buffer, from so many words further on.
    pub(crate) fn skip(&self, words: usize) -> View {
        View { buffer: self.buffer.clone(), first_word: self.first_word + words as u32 }
    }

    /// The buffer to bind.
    pub fn buffer(&self) -> &Arc<Buffer> {
        &self.buffer
    }

    /// Where the rows begin in it, in 4-byte words.
    pub fn first_word(&self) -> u32 {
        self.first_word
    }
}

/// A view to write into. [`RowStore::commit`] brings the rows to where they live.
#[derive(Debug)]
pub(crate) struct RowTarget {
    pub(crate) view: View,
    range: Range<usize>,
    direct: bool,
}

impl RowStore {
    /// Space for the rows; chunks hold a multiple of `granule` rows.
    pub(crate) fn allocate(gpu: &Gpu, rows: usize, stride: usize, granule: usize) -> Result<RowStore> {
        let row_bytes = 4 * stride as u64;
        let binding = gpu.binding_bytes();
        if row_bytes * granule as u64 > binding {
            let what = "bytes of one row in one binding".to_string();
            return Err(Error::Limit { what, need: row_bytes * granule as u64, have: binding });
        }
        let out_of_memory = || Error::OutOfMemory { what: format!("{rows} rows of {row_bytes} bytes on the host") };
        let words = rows.checked_mul(stride).ok_or_else(out_of_memory)?;
        let bytes = 4 * words as u128;
        if bytes <= gpu.resident_bytes() as u128
            && let Some(storage) = resident(gpu, rows, row_bytes, granule)?
        {
            return Ok(RowStore { rows, stride, storage, source: Mutex::default() });
        }
        let mut host: Vec<u32> = vec![];
        host.try_reserve_exact(words).map_err(|_| out_of_memory())?;
        host.resize(words, 0);
        Ok(RowStore { rows, stride, storage: RowStorage::Host(Mutex::new(host)), source: Mutex::default() })
    }

    /// Whether all rows lie in one buffer of the device.
    pub(crate) fn is_one_buffer(&self) -> bool {
        matches!(&self.storage, RowStorage::Chunks { chunks, .. } if chunks.len() == 1)
    }

    /// Words from one row to the next.
    pub(crate) fn stride(&self) -> usize {
        self.stride
    }

    /// Remembers the host's matrix whose rows these are. Rows that are on the host anyway need no second copy of it.
    pub(super) fn remember(&self, matrix: &Matrix) {
        if let RowStorage::Chunks { .. } = self.storage {
            *lock(&self.source) = Some(Box::new(matrix.clone()));
        }
    }

    /// The host's matrix with these rows, where it is known.
    pub(super) fn source(&self) -> Option<Matrix> {
        lock(&self.source).as_deref().cloned()
    }

    /// Fills all rows. `fill` writes the words from the given one on into its slice.
    pub(crate) fn upload(&self, recording: &mut Recording, fill: Fill) -> Result<()> {
        self.write(recording, 0..self.rows, fill)
    }

    /// Writes the rows of `range` from the host; `fill` counts words from the first of them. What the rows were uploaded
    /// from is forgotten.
    pub(crate) fn write(&self, recording: &mut Recording, range: Range<usize>, fill: Fill) -> Result<()> {
        *lock(&self.source) = None;
        match &self.storage {
            RowStorage::Host(host) => fill(0, &mut lock(host)[range.start * self.stride..range.end * self.stride]),
            RowStorage::Chunks { .. } => {
                for part in self.parts(&range) {
                    let (first, words, base) = (part.chunk_offset / 4, part.bytes / 4, part.offset / 4);
                    recording.upload(&part.chunk, first, words, &|at, words| fill(base + at, words))?;
                }
            }
        }
        Ok(())
    }

    /// Begins to read all words, where they lie in one buffer and fit a staging chunk.
    pub(super) fn begin_read(&self, recording: &mut Recording) -> Result<Option<Pending>> {
        let words = (self.rows * self.stride) as u64;
        match &self.storage {
            RowStorage::Chunks { chunks, .. }
                if chunks.len() == 1 && 4 * words <= recording.gpu.staging.chunk_bytes =>
            {
                recording.begin_read(&chunks[0], 0, words).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The rows of `range` in one buffer, copied together if they are not so already.
    pub(crate) fn view(&self, recording: &mut Recording, range: Range<usize>) -> Result<View> {
        if let Some(view) = self.direct(&range) {
            return Ok(view);
        }
        let buffer = recording.scratch(4 * (range.len() * self.stride) as u64, "a block of rows")?;
        match &self.storage {
            RowStorage::Host(host) => {
                let host = lock(host);
                let from = range.start * self.stride;
                recording.upload(&buffer, 0, (range.len() * self.stride) as u64, &|at, part| {
                    let at = from + at as usize;
                    part.copy_from_slice(&host[at..at + part.len()]);
                })?;
            }
            RowStorage::Chunks { .. } => self.parts(&range).iter().try_for_each(|part| {
                recording.copy((&part.chunk, part.chunk_offset), (&buffer, part.offset), part.bytes)
            })?,
        }
        Ok(View::whole(buffer))
    }

    /// A buffer for the rows of `range`; with `load` it holds their present values. What they were uploaded from is forgotten.
    pub(crate) fn target(&self, recording: &mut Recording, range: Range<usize>, load: bool) -> Result<RowTarget> {
        *lock(&self.source) = None;
        if let Some(view) = self.direct(&range) {
            return Ok(RowTarget { view, range, direct: true });
        }
        let view = if load {
            self.view(recording, range.clone())?
        } else {
            let buffer = recording.scratch(4 * (range.len() * self.stride) as u64, "a block of results")?;
            View::whole(buffer)
        };
        Ok(RowTarget { view, range, direct: false })
    }

    /// Writes the rows back to their storage. Rows that live on the host are read back now.
    pub(crate) fn commit(&self, recording: &mut Recording, target: RowTarget) -> Result<()> {
        if target.direct {
            return Ok(());
        }
        let buffer = &target.view.buffer;
        match &self.storage {
            RowStorage::Chunks { .. } => self.parts(&target.range).iter().try_for_each(|part| {
                recording.copy((buffer, part.offset), (&part.chunk, part.chunk_offset), part.bytes)
            }),
            RowStorage::Host(host) => {
                let mut host = lock(host);
                let mut at = target.range.start * self.stride;
                recording.read(buffer, 0, (target.range.len() * self.stride) as u64, &mut |words| {
                    host[at..at + words.len()].copy_from_slice(words);
                    at += words.len();
                })
            }
        }
    }

    /// The words of single rows, one after the other.
    pub(crate) fn read_rows(
        &self,
        recording: &mut Recording,
        rows: &[usize],
        sink: &mut dyn FnMut(&[u32]),
    ) -> Result<()> {
        let stride = self.stride;
        match &self.storage {
            RowStorage::Host(host) => {
                let host = lock(host);
                rows.iter().for_each(|row| sink(&host[row * stride..(row + 1) * stride]));
            }
            RowStorage::Chunks { .. } => {
                let buffer = recording.scratch(4 * (rows.len() * stride) as u64, "single rows")?;
                for (at, &row) in rows.iter().enumerate() {
                    for part in self.parts(&(row..row + 1)) {
                        let offset = 4 * (at * stride) as u64;
                        recording.copy((&part.chunk, part.chunk_offset), (&buffer, offset), part.bytes)?;
                    }
                }
                recording.read(&buffer, 0, (rows.len() * stride) as u64, sink)?;
            }
        }
        Ok(())
    }

    /// The words of a range of rows, in order, in slices of any length.
    pub(crate) fn read_range(
        &self,
        recording: &mut Recording,
        range: Range<usize>,
        sink: &mut dyn FnMut(&[u32]),
    ) -> Result<()> {
        match &self.storage {
            RowStorage::Host(host) => sink(&lock(host)[range.start * self.stride..range.end * self.stride]),
            RowStorage::Chunks { .. } => {
                for part in self.parts(&range) {
                    recording.read(&part.chunk, part.chunk_offset / 4, part.bytes / 4, sink)?;
                }
            }
        }
        Ok(())
    }

    /// All words, in order, in slices of any length.
    pub(crate) fn read(&self, recording: &mut Recording, sink: &mut dyn FnMut(&[u32])) -> Result<()> {
        match &self.storage {
            RowStorage::Host(host) => sink(&lock(host)),
            RowStorage::Chunks { chunk_rows, chunks } => {
                for (number, chunk) in chunks.iter().enumerate() {
                    let rows = (*chunk_rows).min(self.rows - number * chunk_rows);
                    recording.read(chunk, 0, (rows * self.stride) as u64, sink)?;
                }
            }
        }
        Ok(())
    }

    /// Rows in a block of an op that handles `words_per_row` words and `operations_per_row` for each: as many as the
    /// work of one dispatch and the room for temporary blocks allow, and a multiple of `granule` if it can be.
    pub(crate) fn block_rows(gpu: &Gpu, words_per_row: u64, operations_per_row: u64, granule: usize) -> usize {
        let by_room = gpu.scratch_bytes() / (4 * words_per_row).max(1);
        let by_work = gpu.operations_per_dispatch() / operations_per_row.max(1);
        let rows = by_room.min(by_work).max(1) as usize;
        if rows >= granule { rows - rows % granule } else { rows }
    }

    fn direct(&self, range: &Range<usize>) -> Option<View> {
        let RowStorage::Chunks { chunk_rows, chunks } = &self.storage else { return None };
        let number = (range.start / chunk_rows).min(chunks.len() - 1);
        let within = range.end <= (number + 1) * chunk_rows;
        let first_word = ((range.start - number * chunk_rows) * self.stride) as u32;
        within.then(|| View { buffer: chunks[number].clone(), first_word })
    }

    /// The pieces of `range`, one a chunk.
    fn parts(&self, range: &Range<usize>) -> Vec<Part> {
        let RowStorage::Chunks { chunk_rows, chunks } = &self.storage else { return vec![] };
        let bytes = |rows: usize| 4 * (rows * self.stride) as u64;
        let numbers = range.start / chunk_rows..range.end.div_ceil(*chunk_rows);
        let part = |number: usize| {
            let start = range.start.max(number * chunk_rows);
            let end = range.end.min((number + 1) * chunk_rows);
            Part {
                chunk: chunks[number].clone(),
                chunk_offset: bytes(start - number * chunk_rows),
                offset: bytes(start - range.start),
                bytes: bytes(end - start),
            }
        };
        numbers.map(part).collect()
    }
}

/// Some rows of a range that lie in one chunk; offsets in bytes.
struct Part {
    chunk: Arc<Buffer>,
    chunk_offset: u64,
    offset: u64,
    bytes: u64,
}

/// Chunks for all rows within three quarters of the budget, or none when they do not fit there.
fn resident(gpu: &Gpu, rows: usize, row_bytes: u64, granule: usize) -> Result<Option<RowStorage>> {
    let fits = (gpu.binding_bytes() / row_bytes.max(4)) as usize;
    // A multiple of 65,536, so that blocks seldom straddle two chunks.
    let fits = if fits > 1 << 16 { fits & !0xffff } else { fits - fits % granule };
    let chunk_rows = gpu.options.chunk_rows.map_or(fits, |rows| rows.max(1).saturating_mul(granule).min(fits));
    let ceiling = gpu.memory.budget() / 4 * 3;
    let mut chunks = vec![];
    for first in (0..rows.max(1)).step_by(chunk_rows) {
        let bytes = row_bytes * chunk_rows.min(rows - first) as u64;
        match gpu.try_buffer(bytes, Purpose::Array, ceiling, "an array") {
            Ok(Some(buffer)) => chunks.push(Arc::new(buffer)),
            // The driver may have less than the budget says.
            Ok(None) | Err(Error::OutOfMemory { .. }) => return Ok(None),
            Err(other) => return Err(other),
        }
    }
    Ok(Some(RowStorage::Chunks { chunk_rows, chunks }))
}

/// `0..rows` in ranges of `per_block`, the last one shorter.
pub(crate) fn blocks(rows: usize, per_block: usize) -> impl Iterator<Item = Range<usize>> {
    (0..rows).step_by(per_block.max(1)).map(move |first| first..(first + per_block.max(1)).min(rows))
}
