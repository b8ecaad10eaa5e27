//! What trees are grown from: the row order, the rows' gradients, the histograms that are kept.

use std::sync::Arc;

use super::Binned;
use crate::cpu::tree::histogram::{Histogram, Sums};
use crate::device::{Buffer, Device, Purpose, Recording, Stream};
use crate::error::{Error, Result};

/// Bytes of a cell on a GPU: gradient, then Hessian above count, each 64 bits.
pub(super) const CELL_BYTES: u64 = 16;
/// Bytes of kept histograms on the CPU.
const KEPT: usize = 1 << 28;

/// Trees that are grown together on a device: the order of their rows, in which a node is a range, each row's gradient
/// and Hessian, and slots for histograms.
#[derive(Debug)]
pub struct Growing {
    device: Device,
    /// The order as the host knows it.
    order: Vec<u32>,
    /// Packed rows of a tree: one for each row of the matrix.
    pub(super) rows: usize,
    pub(super) home: Home,
}

#[derive(Debug)]
pub(super) enum Home {
    Cpu(OnCpu),
    Gpu(OnGpu),
}

#[derive(Debug, Default)]
pub(super) struct OnCpu {
    pub(super) scratch: Vec<u32>,
    pub(super) packed: Vec<Vec<u64>>,
    pub(super) slots: Vec<Histogram>,
    pub(super) spare: Vec<Histogram>,
}

#[derive(Debug, Default)]
pub(super) struct OnGpu {
    pub(super) buffers: Option<Rows>,
    slots: Option<Arc<Buffer>>,
    rooms: [Option<Arc<Buffer>>; 9],
}

/// What the passes of the ops hand to one another, kept from call to call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Room {
    Pieces,
    Partial,
    Cuts,
    Flags,
    Places,
    Lefts,
    Searches,
    Bounds,
    Shortlist,
}

/// The order, as much room again, and the packed rows of all trees.
#[derive(Debug, Clone)]
pub(super) struct Rows {
    pub(super) order: Arc<Buffer>,
    pub(super) spare: Arc<Buffer>,
    pub(super) packed: Arc<Buffer>,
}

impl Growing {
    /// Nothing yet, on the stream's device.
    pub fn new(stream: &Stream) -> Growing {
        let home = match stream.device() {
            Device::Cpu => Home::Cpu(OnCpu::default()),
            Device::Gpu(_) => Home::Gpu(OnGpu::default()),
        };
        Growing { device: stream.device().clone(), order: vec![], rows: 0, home }
    }

    /// Begins new trees. `order` has the rows of all, one tree after the other; `packed` what each row of the matrix has
    /// for each tree, made by [`pack`](crate::cpu::tree::histogram::pack). What is handed back in their place is of no
    /// use but its room.
    ///
    /// On a GPU all of it must fit the memory budget, and each part one binding, or it is [`Error::Limit`].
    pub fn begin(&mut self, stream: &mut Stream, order: &mut Vec<u32>, packed: &mut [Vec<u64>]) -> Result<()> {
        self.on(stream, "tree growth")?;
        self.rows = packed.first().map_or(0, Vec::len);
        if let Some(row) = order.iter().find(|row| **row as usize >= self.rows) {
            return Err(Error::bad_index(*row));
        }
        if let Some(other) = packed.iter().find(|packed| packed.len() != self.rows) {
            let (expected, got) = (format!("{} gradients for each tree", self.rows), other.len().to_string());
            return Err(Error::Shape { op: "tree growth", expected, got });
        }
        std::mem::swap(&mut self.order, order);
        let order = &self.order;
        match (&mut self.home, stream.gpu()) {
            (Home::Gpu(home), Some(recording)) => home.begin(recording, order, packed),
            (Home::Cpu(home), _) => {
                home.scratch.resize(order.len(), 0);
                home.packed.resize_with(packed.len(), Vec::new);
                home.packed.iter_mut().zip(packed).for_each(|(own, new)| std::mem::swap(own, new));
                Ok(())
            }
            (Home::Gpu(_), None) => Err(elsewhere("tree growth")),
        }
    }

    /// The row numbers, as the partitions so far left them. On a GPU this reads them back.
    pub fn order(&mut self, stream: &mut Stream) -> Result<&[u32]> {
        self.on(stream, "tree growth")?;
        if let (Home::Gpu(OnGpu { buffers: Some(rows), .. }), Some(recording)) = (&self.home, stream.gpu()) {
            let mut at = 0;
            let order = &mut self.order;
            recording.read(&rows.order, 0, order.len() as u64, &mut |words| {
                order[at..at + words.len()].copy_from_slice(words);
                at += words.len();
            })?;
        }
        Ok(&self.order)
    }

    /// How many histograms of these rows may be kept at once, at least 2.
    pub fn slots(&self, binned: &Binned<'_>) -> usize {
        let cells = binned.cells().max(1);
        match &self.device {
            Device::Cpu => (KEPT / (CELL_BYTES as usize * cells)).max(2),
            Device::Gpu(gpu) => {
                let bytes = gpu.binding_bytes().min(gpu.memory.budget() / 8).min(KEPT as u64);
                ((bytes / CELL_BYTES) as usize / cells).max(2)
            }
        }
    }

    pub(super) fn on(&self, stream: &Stream, op: &'static str) -> Result<()> {
        if self.device.same(stream.device()) { Ok(()) } else { Err(elsewhere(op)) }
    }

    /// The host's order and what the CPU has beside it.
    pub(super) fn on_cpu(&mut self) -> Result<(&mut Vec<u32>, &mut OnCpu)> {
        match &mut self.home {
            Home::Cpu(home) => Ok((&mut self.order, home)),
            Home::Gpu(_) => Err(elsewhere("tree growth")),
        }
    }

    /// What the GPU has.
    pub(super) fn on_gpu(&mut self) -> Result<&mut OnGpu> {
        match &mut self.home {
            Home::Gpu(home) => Ok(home),
            Home::Cpu(_) => Err(elsewhere("tree growth")),
        }
    }

    /// The order as it was begun or last read back.
    pub fn known_order(&self) -> &[u32] {
        &self.order
    }

    /// Rows of all trees together.
    pub(super) fn places(&self) -> usize {
        self.order.len()
    }
}

impl OnGpu {
    fn begin(&mut self, recording: &mut Recording, order: &[u32], packed: &[Vec<u64>]) -> Result<()> {
        let places = 4 * order.len() as u64;
        let words: u64 = packed.iter().map(|packed| packed.len() as u64).sum();
        let fits = |rows: &Rows| rows.order.bytes >= places && rows.packed.bytes >= 4 * words;
        let rows = match self.buffers.take().filter(fits) {
            Some(rows) => rows,
            None => Rows {
                order: recording.scratch(places, "the order of rows")?,
                spare: recording.scratch(places, "the next order of rows")?,
                packed: recording.scratch(4 * words, "gradients")?,
            },
        };
        recording.upload(&rows.order, 0, order.len() as u64, &mut |first, part| {
            part.copy_from_slice(&order[first as usize..first as usize + part.len()]);
        })?;
        let mut first = 0;
        for packed in packed {
            recording.upload(&rows.packed, first, packed.len() as u64, &mut |from, part| {
                let from = &packed[from as usize..from as usize + part.len()];
                part.iter_mut().zip(from).for_each(|(word, row)| *word = short(*row));
            })?;
            first += packed.len() as u64;
        }
        self.buffers = Some(rows);
        Ok(())
    }

    /// The slots, at least so many of them; what they hold is kept.
    pub(super) fn slots(&mut self, recording: &mut Recording, slots: usize, cells: usize) -> Result<Arc<Buffer>> {
        let need = CELL_BYTES * (slots * cells) as u64;
        match &self.slots {
            Some(buffer) if buffer.bytes >= need => Ok(buffer.clone()),
            old => {
                let have = old.as_ref().map_or(0, |buffer| buffer.bytes);
                let wanted = need.max(2 * have).min(recording.gpu.binding_bytes()).max(need);
                let roomy = recording.gpu.try_buffer(wanted, Purpose::Array, u64::MAX, "histograms")?;
                let buffer = match roomy {
                    Some(buffer) => Arc::new(buffer),
                    None => recording.scratch(need, "histograms")?,
                };
                if let Some(old) = old {
                    recording.copy((old, 0), (&buffer, 0), old.bytes.min(buffer.bytes))?;
                }
                self.slots = Some(buffer.clone());
                Ok(buffer)
            }
        }
    }

    /// A kept buffer of at least so many bytes; what it held may be gone.
    pub(super) fn room(&mut self, recording: &mut Recording, room: Room, bytes: u64) -> Result<Arc<Buffer>> {
        let kept = &mut self.rooms[room as usize];
        match kept.take_if(|buffer| buffer.bytes >= bytes) {
            Some(buffer) => Ok(kept.insert(buffer).clone()),
            None => {
                *kept = None;
                Ok(kept.insert(recording.scratch(bytes, "what passes of a tree share")?).clone())
            }
        }
    }

    /// The slots there are.
    pub(super) fn filled(&self) -> Result<Arc<Buffer>> {
        self.slots.clone().ok_or_else(|| elsewhere("histograms"))
    }
}

/// A row's gradient in the lower half of a word, its Hessian in the upper: both are below 2¹⁵.
fn short(packed: u64) -> u32 {
    let Sums { gradient, hessian, .. } = Sums::of_row(packed);
    u32::from(gradient as u16) | (hessian as u32) << 16
}

fn elsewhere(op: &'static str) -> Error {
    Error::Elsewhere { op, why: "the trees and the stream belong to different devices".to_string() }
}
