//! The register tile: the loop that keeps its vectors of accumulators in registers, and the way to the output.

use pulp::{Simd, WithSimd};

use super::pack::pack;
use super::step::{Accumulate, Join};
use super::{DEPTH_BLOCK, Operand, ROW_BLOCK, Scale};
use crate::cpu::vector_lanes;

/// Vectors of rows of B in a register tile.
pub(super) const TILE_VECTORS: usize = 2;
/// Rows of A in a register tile: 6·2 accumulators, 2 vectors of B, 1 of A and 1 to spare are AVX2's 16 registers.
const TILE_ROWS: usize = 6;
/// The same for AVX-512, which has 32 registers: 12·2 accumulators, 2 of B, and 1 of A with 1 of a difference or two.
const WIDE_TILE_ROWS: usize = 12;

/// Numbers of B that a panel of A meets in one go with AVX-512: 512 KiB, half of the second cache.
const PART_NUMBERS: usize = 1 << 17;

/// Whether the vectors are those of AVX-512.
pub(super) const fn is_wide<S: Simd>() -> bool {
    S::F32_LANES == 16
}

/// Rows of A in a register tile on this processor.
pub(super) fn tile_rows() -> usize {
    if vector_lanes() == 16 { WIDE_TILE_ROWS } else { TILE_ROWS }
}

/// Rows of B in a register tile on this processor.
pub(super) fn tile_columns() -> usize {
    TILE_VECTORS * vector_lanes()
}

/// Packs rows of B into panels, as one vectorised call.
pub(super) struct PackColumns<'a> {
    pub(super) operand: Operand<'a>,
    pub(super) panels: &'a mut [f32],
}

impl WithSimd for PackColumns<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        pack(simd, self.operand, TILE_VECTORS * S::F32_LANES, self.panels);
    }
}

/// Where the panels of B come from.
pub(super) enum Columns<'a> {
    /// Packed before, for all depths: one depth block after the other.
    Packed(&'a [f32]),
    /// Packed here, one depth block at a time, into `panels`.
    Loose { operand: Operand<'a>, panels: &'a mut [f32] },
}

/// `out = alpha·(rows of A with rows of B) + beta·out` on one thread, for a depth of at most one span.
pub(super) struct Block<'a, 'o, Step> {
    pub(super) step: Step,
    pub(super) a: Operand<'a>,
    pub(super) columns: Columns<'a>,
    pub(super) scale: Scale,
    /// Room for the panels of one row block of A.
    pub(super) row_panels: &'a mut [f32],
    /// One slice per row of A, as long as B has rows.
    pub(super) out: &'a mut [&'o mut [f32]],
}

impl<Step: Accumulate> WithSimd for Block<'_, '_, Step> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        if is_wide::<S>() { self.run::<S, WIDE_TILE_ROWS>(simd) } else { self.run::<S, TILE_ROWS>(simd) }
    }
}

impl<Step: Accumulate> Block<'_, '_, Step> {
    #[inline(always)]
    fn run<S: Simd, const ROWS: usize>(mut self, simd: S) {
        let width = TILE_VECTORS * S::F32_LANES;
        let columns = self.out.first().map_or(0, |row| row.len());
        let padded = columns.next_multiple_of(width);
        for first in (0..self.a.depth).step_by(DEPTH_BLOCK) {
            let depth = DEPTH_BLOCK.min(self.a.depth - first);
            let panels = match &mut self.columns {
                Columns::Packed(panels) => &panels[first * padded..(first + depth) * padded],
                Columns::Loose { operand, panels } => {
                    let panels = &mut panels[..depth * padded];
                    pack(simd, operand.depths(first, depth), width, panels);
                    &*panels
                }
            };
            // The first depth block meets the old output, the later ones add to what is there.
            let blend = match (first, self.scale.beta) {
                (0, 0.0) => Blend::Write,
                (0, beta) => Blend::Scale(simd.splat_f32s(beta)),
                _ => Blend::Join,
            };
            let finish = self.scale.finish && first + depth == self.a.depth;
            let store = Store { step: self.step, blend, finish, alpha: simd.splat_f32s(self.scale.alpha) };
            for (index, out) in self.out.chunks_mut(ROW_BLOCK).enumerate() {
                let rows = self.a.rows(index * ROW_BLOCK, out.len()).depths(first, depth);
                let row_panels = &mut self.row_panels[..out.len().next_multiple_of(ROWS) * depth];
                pack(simd, rows, ROWS, row_panels);
                sweep::<S, Step, ROWS>(simd, &store, row_panels, panels, depth, out);
            }
        }
    }
}

/// Every panel of A against every panel of B. With AVX2 a panel of B stays in the first cache and those of A in the second.
/// With AVX-512, whose processors have large second caches, a panel of A stays in the first and a part of B in the second: then
/// neighbours in the output follow each other, and the processor fetches them ahead (2048³: 243 → 263 GFLOP/s on two cores).
#[inline(always)]
fn sweep<S: Simd, Step: Accumulate, const ROWS: usize>(
    simd: S,
    store: &Store<S, Step>,
    row_panels: &[f32],
    panels: &[f32],
    depth: usize,
    out: &mut [&mut [f32]],
) {
    let width = TILE_VECTORS * S::F32_LANES;
    let part = if is_wide::<S>() { (PART_NUMBERS / (depth * width)).max(1) } else { 1 };
    for (index, panels) in panels.chunks(part * depth * width).enumerate() {
        let rows = out.chunks_mut(ROWS).zip(row_panels.chunks_exact(depth * ROWS));
        for (out, row_panel) in rows {
            for (right, panel) in panels.chunks_exact(depth * width).enumerate() {
                let tile = multiply::<S, Step, ROWS>(simd, store.step, row_panel, panel);
                store.tile(simd, &tile, (index * part + right) * width, out);
            }
        }
    }
}

type Tile<S, const ROWS: usize> = [[<S as Simd>::f32s; TILE_VECTORS]; ROWS];

/// The inner loop: one panel of A against one of B.
#[inline(always)]
fn multiply<S: Simd, Step: Accumulate, const ROWS: usize>(
    simd: S,
    step: Step,
    row_panel: &[f32],
    panel: &[f32],
) -> Tile<S, ROWS> {
    let mut tile = [[simd.splat_f32s(0.0); TILE_VECTORS]; ROWS];
    let (a, _) = row_panel.as_chunks::<ROWS>();
    let (b, _) = S::as_simd_f32s(panel).0.as_chunks::<TILE_VECTORS>();
    for (a, b) in a.iter().zip(b) {
        for (accumulators, &a) in tile.iter_mut().zip(a) {
            let a = simd.splat_f32s(a);
            for (accumulator, &b) in accumulators.iter_mut().zip(b) {
                *accumulator = step.accumulate(simd, *accumulator, a, b);
            }
        }
    }
    tile
}

/// What happens to the number that is already in the output.
#[derive(Clone, Copy)]
enum Blend<S: Simd> {
    /// It is never read: it may be NaN.
    Write,
    /// It is multiplied by beta first.
    Scale(S::f32s),
    /// It comes from earlier depths.
    Join,
}

/// How the register tile reaches the output.
struct Store<S: Simd, Step> {
    step: Step,
    blend: Blend<S>,
    /// Whether this is the last of the depth.
    finish: bool,
    alpha: S::f32s,
}

impl<S: Simd, Step: Accumulate> Store<S, Step> {
    /// Stores a tile from column `first` on; rows and columns that are only padding have nowhere to go.
    #[inline(always)]
    fn tile<const ROWS: usize>(&self, simd: S, tile: &Tile<S, ROWS>, first: usize, out: &mut [&mut [f32]]) {
        let width = TILE_VECTORS * S::F32_LANES;
        match <&mut [&mut [f32]; ROWS]>::try_from(&mut *out) {
            // A whole tile goes from the registers to memory: the loop over an array is unrolled.
            Ok(out) if out[0].len() >= first + width => {
                for (row, sums) in out.iter_mut().zip(tile) {
                    let (vectors, _) = S::as_mut_simd_f32s(&mut row[first..first + width]);
                    for (vector, &sum) in vectors.iter_mut().zip(sums) {
                        *vector = self.value(simd, sum, || *vector);
                    }
                }
            }
            _ => self.edge(simd, tile, first, out),
        }
    }

    /// A tile that is partly padding: the same arithmetic in the same lanes, so the same bits.
    #[inline(always)]
    fn edge<const ROWS: usize>(&self, simd: S, tile: &Tile<S, ROWS>, first: usize, out: &mut [&mut [f32]]) {
        for (row, sums) in out.iter_mut().zip(tile) {
            for (part, &sum) in row[first..].chunks_mut(S::F32_LANES).zip(sums) {
                let value = self.value(simd, sum, || simd.partial_load_f32s(part));
                simd.partial_store_f32s(part, value);
            }
        }
    }

    #[inline(always)]
    fn value(&self, simd: S, sum: S::f32s, old: impl FnOnce() -> S::f32s) -> S::f32s {
        let value = match self.blend {
            Blend::Write => simd.mul_f32s(self.alpha, sum),
            Blend::Scale(beta) => simd.mul_add_e_f32s(self.alpha, sum, simd.mul_f32s(beta, old())),
            Blend::Join => match Step::JOIN {
                Join::Sum => simd.mul_add_e_f32s(self.alpha, sum, old()),
                Join::Maximum => simd.max_f32s(simd.mul_f32s(self.alpha, sum), old()),
            },
        };
        if self.finish { self.step.finish(simd, value) } else { value }
    }
}

/// Finishes values that did not come straight from a register tile.
pub(super) struct Finish<'a, Step> {
    pub(super) step: Step,
    pub(super) values: &'a mut [f32],
}

impl<Step: Accumulate> WithSimd for Finish<'_, Step> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        for part in self.values.chunks_mut(S::F32_LANES) {
            let value = self.step.finish(simd, simd.partial_load_f32s(part));
            simd.partial_store_f32s(part, value);
        }
    }
}
