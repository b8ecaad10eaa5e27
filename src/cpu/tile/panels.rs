//! Rows of B packed once and matched with many blocks of A, each on its own thread.

use super::micro::{Block, Columns, PackColumns, tile_columns, tile_rows};
use super::scratch::with_buffer;
use super::step::Accumulate;
use super::{DEPTH_BLOCK, DEPTH_SPAN, Operand, ROW_BLOCK, Scale, row_slices};
use crate::cpu::simd::arch;

/// The longest sums that packed panels take; longer ones go through [`product`](super::product).
pub const PANEL_DEPTH: usize = DEPTH_SPAN;

/// Rows of B side by side in a panel on this processor.
pub fn panel_width() -> usize {
    tile_columns()
}

/// Packs `b` on this thread into `panels`, of `b.rows` rounded up to the [`panel_width`] times the depth.
///
/// Panels of a depth of at most 256 lie one after the other, `width` rows side by side for each depth index.
pub fn pack_panels(b: Operand<'_>, panels: &mut [f32]) {
    let padded = b.rows.next_multiple_of(panel_width());
    debug_assert_eq!(panels.len(), padded * b.depth);
    for (index, panels) in panels.chunks_mut(DEPTH_BLOCK * padded).enumerate() {
        let operand = b.depths(index * DEPTH_BLOCK, panels.len() / padded);
        arch().dispatch(PackColumns { operand, panels });
    }
}

/// `out[i·columns + j] = finish(Σ step(a[i], b[j]))` on this thread, for `columns` rows of B packed by [`pack_panels`].
///
/// For a depth of 1 to [`PANEL_DEPTH`]. An element has the bits that [`product`](super::product) gives it.
pub fn panel_product<Step: Accumulate>(step: Step, a: Operand<'_>, panels: &[f32], columns: usize, out: &mut [f32]) {
    debug_assert_eq!(out.len(), a.rows * columns);
    if a.rows == 0 || columns == 0 {
        return;
    }
    panel_update(step, a, panels, (1.0, 0.0), &mut row_slices(out, columns, a.rows, 0, columns));
}

/// `out[i][j] = finish(alpha·Σ step(a[i], b[j]) + beta·out[i][j])`, as [`panel_product`], for one slice a row of A. Up to a depth of
/// 256, `panels` may have more rows of B than the slices are long.
pub fn panel_update<Step: Accumulate>(
    step: Step,
    a: Operand<'_>,
    panels: &[f32],
    (alpha, beta): (f32, f32),
    out: &mut [&mut [f32]],
) {
    debug_assert!((1..=PANEL_DEPTH).contains(&a.depth));
    let scale = Scale { alpha, beta, finish: true };
    let rows = a.rows.min(ROW_BLOCK).next_multiple_of(tile_rows());
    with_buffer(rows * a.depth.min(DEPTH_BLOCK), |row_panels| {
        let columns = Columns::Packed(panels);
        arch().dispatch(Block { step, a, columns, scale, row_panels, out });
    });
}
