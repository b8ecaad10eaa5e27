//! What trees are grown from: the row order, the rows' gradients or targets, the histograms that are kept.

use std::ops::Range;
use std::sync::Arc;

use super::target_rows::{TargetPlaces, TreeWords, upload_classes, upload_target};
use super::{Binned, upload_words};
use crate::cpu::tree::histogram::Histogram;
use crate::cpu::tree::{GradientSums, TargetRows};
use crate::device::{Buffer, Device, Purpose, Recording, Stream};
use crate::error::{Error, Result};
use crate::kernel::Kernel;

/// Bytes of a gradient cell on a GPU: gradient, then Hessian above count, each 64 bits.
pub(super) const CELL_BYTES: u64 = 16;
/// Leaves that are worked out at once on a GPU: a wait costs as much as the histograms of many.
const LOOKAHEAD: usize = 32;
/// Bytes of kept histograms on the CPU.
const KEPT: usize = 1 << 28;

/// Trees that are grown together on a device: the order of their rows, in which a node is a range, what each row adds to
/// cells (gradient and Hessian, or the words of its target), and slots for histograms.
#[derive(Debug)]
pub struct GrowState {
    pub(super) device: Device,
    /// The order as the host knows it.
    order: Vec<u32>,
    /// Packed rows of a tree: one for each row of the matrix.
    pub(super) rows: usize,
    /// Bytes of a cell.
    pub(super) cell_bytes: u64,
    /// Where the words of targets are on a GPU.
    pub(super) tree_words: TreeWords,
    pub(super) storage: GrowthStorage,
}

#[derive(Debug)]
pub(super) enum GrowthStorage {
    Cpu(CpuGrowth),
    Gpu(GpuGrowth),
}

#[derive(Debug, Default)]
pub(super) struct CpuGrowth {
    pub(super) scratch: Vec<u32>,
    pub(super) packed: Vec<Vec<u64>>,
    pub(super) slots: Vec<Histogram>,
    pub(super) spare: Vec<Histogram>,
    /// Histograms of targets.
    pub(super) target_slots: Vec<Vec<u64>>,
}

#[derive(Debug, Default)]
pub(super) struct GpuGrowth {
    pub(super) buffers: Option<RowBuffers>,
    slots: Option<Arc<Buffer>>,
    scratch_buffers: [Option<Arc<Buffer>>; 18],
}

/// What the passes of the ops hand to one another, kept from call to call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScratchBuffer {
    Pieces,
    Partial,
    Cuts,
    Flags,
    Befores,
    Lefts,
    Searches,
    Found,
    Winners,
    Leaves,
    LeafTable,
    LeafValues,
    Roots,
    Steps,
    LeafDigits,
    Children,
    ChildSearches,
    ChildWinners,
}

/// The order, as much room again, and the packed rows of all trees.
#[derive(Debug, Clone)]
pub(super) struct RowBuffers {
    pub(super) order: Arc<Buffer>,
    pub(super) spare: Arc<Buffer>,
    pub(super) packed: Arc<Buffer>,
}

impl RowBuffers {
    /// Whether they have room for an order of so many places and so many words beside it.
    pub(super) fn fit(&self, places: usize, words: u64) -> bool {
        self.order.bytes >= 4 * places as u64 && self.packed.bytes >= 4 * words
    }
}

impl GrowState {
    /// Nothing yet, on the stream's device.
    pub fn new(stream: &Stream) -> GrowState {
        let storage = match stream.device() {
            Device::Cpu => GrowthStorage::Cpu(CpuGrowth::default()),
            Device::Gpu(_) => GrowthStorage::Gpu(GpuGrowth::default()),
        };
        let (device, tree_words) = (stream.device().clone(), TreeWords::default());
        GrowState { device, order: vec![], rows: 0, cell_bytes: CELL_BYTES, tree_words, storage }
    }

    /// Begins new trees. `order` has the rows of all, one tree after the other; `packed` what each row of the matrix has
    /// for each tree, made by [`pack`](crate::cpu::tree::fixed_point::pack). What is handed back in their place is of no
    /// use but its room.
    ///
    /// On a GPU all of it must fit the memory budget, and each part one binding, or it is [`Error::Limit`].
    pub fn begin(&mut self, stream: &mut Stream, order: &mut Vec<u32>, packed: &mut [Vec<u64>]) -> Result<()> {
        self.on(stream, "tree growth")?;
        self.rows = packed.first().map_or(0, Vec::len);
        self.cell_bytes = CELL_BYTES;
        if let Some(other) = packed.iter().find(|packed| packed.len() != self.rows) {
            return Err(Error::shape("tree growth", format!("{} gradients for each tree", self.rows), other.len()));
        }
        self.take_order(order)?;
        match (&mut self.storage, stream.gpu()) {
            (GrowthStorage::Gpu(storage), Some(recording)) => storage.begin(recording, &self.order, packed),
            (GrowthStorage::Cpu(storage), _) => {
                storage.packed.resize_with(packed.len(), Vec::new);
                storage.packed.iter_mut().zip(packed).for_each(|(own, new)| std::mem::swap(own, new));
                Ok(())
            }
            (GrowthStorage::Gpu(_), None) => Err(wrong_device("tree growth")),
        }
    }

    /// The same for trees that learn classes or numbers, all of the same rows; a [`TargetRows`] for each tree.
    pub fn begin_targets(
        &mut self,
        stream: &mut Stream,
        order: &mut Vec<u32>,
        targets: &[TargetRows<'_>],
    ) -> Result<()> {
        self.on(stream, "tree growth")?;
        self.rows = targets.first().map_or(0, TargetRows::rows);
        self.cell_bytes = 8 * targets.first().map_or(1, TargetRows::words) as u64;
        self.tree_words = TreeWords::own(&TargetPlaces::of(targets));
        self.take_order(order)?;
        match (&mut self.storage, stream.gpu()) {
            (GrowthStorage::Gpu(storage), Some(recording)) => storage.begin_targets(recording, &self.order, targets),
            (GrowthStorage::Cpu(_), _) => Ok(()),
            (GrowthStorage::Gpu(_), None) => Err(wrong_device("tree growth")),
        }
    }

    /// Trees of rows that are on the device, with so many places in all: the host does not know their order.
    pub(super) fn begin_resident(&mut self, rows: usize, places: usize) {
        self.begin_there(rows, places, CELL_BYTES);
    }

    /// The same with cells of so many bytes.
    pub(super) fn begin_there(&mut self, rows: usize, places: usize, cell_bytes: u64) {
        self.rows = rows;
        self.cell_bytes = cell_bytes;
        self.order.resize(places, 0);
    }

    /// The order of new trees, in exchange for that of the last.
    fn take_order(&mut self, order: &mut Vec<u32>) -> Result<()> {
        if let Some(row) = order.iter().find(|row| **row as usize >= self.rows) {
            return Err(Error::bad_index(*row));
        }
        std::mem::swap(&mut self.order, order);
        if let GrowthStorage::Cpu(storage) = &mut self.storage {
            storage.scratch.resize(self.order.len(), 0);
        }
        Ok(())
    }

    /// The row numbers, as the partitions so far left them. On a GPU this reads them back.
    pub fn order(&mut self, stream: &mut Stream) -> Result<&[u32]> {
        self.on(stream, "tree growth")?;
        if let (GrowthStorage::Gpu(GpuGrowth { buffers: Some(rows), .. }), Some(recording)) =
            (&self.storage, stream.gpu())
        {
            let mut at = 0;
            let order = &mut self.order;
            recording.read(&rows.order, 0, order.len() as u64, &mut |words| {
                order[at..at + words.len()].copy_from_slice(words);
                at += words.len();
            })?;
        }
        Ok(&self.order)
    }

    /// How many leaves of a tree are best worked out at once: a step costs a submission and a read-back on a GPU, next to
    /// nothing on the CPU.
    pub fn lookahead(&self) -> usize {
        match &self.device {
            Device::Cpu => 1,
            Device::Gpu(_) => LOOKAHEAD,
        }
    }

    /// Brings the rows of ranges of the order, as the host knows it, into ascending order.
    pub fn restore_order(&mut self, ranges: &[Range<usize>]) {
        for range in ranges {
            // Two ascending runs, which a stable sort merges.
            self.order[range.clone()].sort();
        }
    }

    /// How many histograms of these rows may be kept at once, at least 2: on a GPU half of what there is room for, as those of new
    /// nodes, which are as many at most, come beside them.
    pub fn slots(&self, binned: &Binned<'_>) -> usize {
        let cells = binned.cells().max(1);
        match &self.device {
            Device::Cpu => (KEPT / (self.cell_bytes as usize * cells)).max(2),
            Device::Gpu(gpu) => {
                let bytes = gpu.binding_bytes().min(gpu.memory.budget() / 8).min(KEPT as u64);
                ((bytes / self.cell_bytes) as usize / cells / 2).max(2)
            }
        }
    }

    pub(super) fn on(&self, stream: &Stream, op: &'static str) -> Result<()> {
        if self.device.same(stream.device()) { Ok(()) } else { Err(wrong_device(op)) }
    }

    /// The host's order and what the CPU has beside it.
    pub(super) fn on_cpu(&mut self) -> Result<(&mut Vec<u32>, &mut CpuGrowth)> {
        match &mut self.storage {
            GrowthStorage::Cpu(storage) => Ok((&mut self.order, storage)),
            GrowthStorage::Gpu(_) => Err(wrong_device("tree growth")),
        }
    }

    /// What the GPU has.
    pub(super) fn on_gpu(&mut self) -> Result<&mut GpuGrowth> {
        match &mut self.storage {
            GrowthStorage::Gpu(storage) => Ok(storage),
            GrowthStorage::Cpu(_) => Err(wrong_device("tree growth")),
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

impl GpuGrowth {
    fn begin(&mut self, recording: &mut Recording, order: &[u32], packed: &[Vec<u64>]) -> Result<()> {
        let words = packed.iter().map(|packed| packed.len() as u64).sum();
        self.warm_boosting(recording)?;
        let rows = self.begin_order(recording, order, words)?;
        let mut first = 0;
        for packed in packed {
            recording.upload(&rows.packed, first, packed.len() as u64, &|from, part| {
                let from = &packed[from as usize..from as usize + part.len()];
                part.iter_mut().zip(from).for_each(|(word, row)| *word = short(*row));
            })?;
            first += packed.len() as u64;
        }
        self.buffers = Some(rows);
        Ok(())
    }

    /// The classes of all rows come first, where there are classes; then the words of each tree.
    fn begin_targets(&mut self, recording: &mut Recording, order: &[u32], targets: &[TargetRows<'_>]) -> Result<()> {
        let places = TargetPlaces::of(targets);
        let rows = self.begin_order(recording, order, (places.first + places.tree * targets.len()) as u64)?;
        if let Some(target) = targets.first() {
            upload_classes(recording, &rows.packed, target)?;
        }
        for (number, target) in targets.iter().enumerate() {
            upload_target(recording, &rows.packed, places.first + number * places.tree, target)?;
        }
        self.buffers = Some(rows);
        Ok(())
    }

    /// Space for the order and so many words beside it; the order is uploaded.
    fn begin_order(&mut self, recording: &mut Recording, order: &[u32], words: u64) -> Result<RowBuffers> {
        let rows = self.row_buffers(recording, order.len(), words)?;
        upload_words(recording, &rows.order, order)?;
        Ok(rows)
    }

    /// Begins to compile what boosted trees will need.
    pub(super) fn warm_boosting(&self, recording: &Recording) -> Result<()> {
        let kernels = [super::histogram::KERNELS, super::best_split::KERNELS, super::partition::KERNELS];
        self.warm(recording, &kernels.concat())
    }

    /// Begins to compile what the first trees will need after the first read-back.
    pub(super) fn warm(&self, recording: &Recording, kernels: &[&Kernel]) -> Result<()> {
        if self.buffers.is_none() { recording.gpu.warm(kernels) } else { Ok(()) }
    }

    /// Space for an order of so many places and so many words beside it.
    pub(super) fn row_buffers(&mut self, recording: &mut Recording, places: usize, words: u64) -> Result<RowBuffers> {
        let rows = match self.buffers.take().filter(|rows| rows.fit(places, words)) {
            Some(rows) => rows,
            None => RowBuffers {
                order: recording.scratch(4 * places as u64, "the order of rows")?,
                spare: recording.scratch(4 * places as u64, "the next order of rows")?,
                packed: recording.scratch(4 * words, "gradients")?,
            },
        };
        self.buffers = Some(rows.clone());
        Ok(rows)
    }

    /// The slots, at least so many of them and of so many bytes each; what they hold is kept.
    pub(super) fn slots(&mut self, recording: &mut Recording, slots: usize, bytes: u64) -> Result<Arc<Buffer>> {
        let need = bytes * slots as u64;
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
    pub(super) fn scratch_buffer(
        &mut self,
        recording: &mut Recording,
        which: ScratchBuffer,
        bytes: u64,
    ) -> Result<Arc<Buffer>> {
        let kept = &mut self.scratch_buffers[which as usize];
        match kept.take_if(|buffer| buffer.bytes >= bytes) {
            Some(buffer) => Ok(kept.insert(buffer).clone()),
            None => {
                *kept = None;
                Ok(kept.insert(recording.scratch(bytes, "what passes of a tree share")?).clone())
            }
        }
    }

    /// The words of some slots of so many bytes each, one after the other, in one read-back.
    pub(super) fn read_slots(&self, recording: &mut Recording, slots: &[usize], bytes: u64) -> Result<Vec<u32>> {
        let (filled, all) = (self.filled()?, bytes * slots.len() as u64);
        let together = recording.scratch(all, "histograms of nodes")?;
        for (at, slot) in slots.iter().enumerate() {
            recording.copy((&filled, bytes * *slot as u64), (&together, bytes * at as u64), bytes)?;
        }
        let mut words = Vec::with_capacity(all as usize / 4);
        recording.read(&together, 0, all / 4, &mut |part| words.extend_from_slice(part))?;
        Ok(words)
    }

    /// The slots there are.
    pub(super) fn filled(&self) -> Result<Arc<Buffer>> {
        self.slots.clone().ok_or_else(|| wrong_device("histograms"))
    }
}

/// A row's gradient in the lower half of a word, its Hessian in the upper: both are below 2¹⁵.
fn short(packed: u64) -> u32 {
    let GradientSums { gradient, hessian, .. } = GradientSums::of_row(packed);
    u32::from(gradient as u16) | (hessian as u32) << 16
}

pub(super) fn wrong_device(op: &'static str) -> Error {
    Error::WrongDevice { op, why: "the trees and the stream belong to different devices".to_string() }
}
