//! Copies rows into panels: `width` rows side by side, one depth index after the other, as the micro-kernel reads them.

use super::Operand;

/// Depth indices copied at a time: one cache line of a row that lies along the depth.
const RUN: usize = 16;

/// Packs all rows of `operand` into `panels`, the last panel padded with rows of zeros.
///
/// `panels` holds `rows.div_ceil(width)` panels of `depth · width` numbers. `width` should be a constant after inlining.
#[inline(always)]
pub(super) fn pack(operand: Operand<'_>, width: usize, panels: &mut [f32]) {
    if operand.rows == 0 || operand.depth == 0 {
        return;
    }
    let whole = operand.rows / width;
    let (full, rest) = panels.split_at_mut(whole * width * operand.depth);
    if operand.depth_stride == 1 {
        for (index, panel) in full.chunks_exact_mut(width * operand.depth).enumerate() {
            along_depth(operand, index * width, width, panel);
        }
    } else if operand.row_stride == 1 {
        along_rows(operand, whole, width, full);
    } else {
        for (index, panel) in full.chunks_exact_mut(width * operand.depth).enumerate() {
            padded(operand, index * width, width, panel);
        }
    }
    if whole * width < operand.rows {
        padded(operand, whole * width, width, rest);
    }
}

/// One full panel of rows that lie along the depth: a transposition.
#[inline(always)]
fn along_depth(operand: Operand<'_>, first: usize, width: usize, panel: &mut [f32]) {
    // A run is a cache line, read once: rows a power of two apart share a cache set and would evict each other.
    let runs = operand.depth / RUN;
    let (whole, rest) = panel.split_at_mut(runs * RUN * width);
    for (run, block) in whole.chunks_exact_mut(RUN * width).enumerate() {
        for lane in 0..width {
            let start = (first + lane) * operand.row_stride + run * RUN;
            let source = &operand.data[start..start + RUN];
            for (depth, &value) in source.iter().enumerate() {
                block[depth * width + lane] = value;
            }
        }
    }
    for lane in 0..width {
        let start = (first + lane) * operand.row_stride + runs * RUN;
        let source = &operand.data[start..start + operand.depth - runs * RUN];
        for (slot, &value) in rest.iter_mut().skip(lane).step_by(width).zip(source) {
            *slot = value;
        }
    }
}

/// All full panels of rows that lie side by side: copies of `width` neighbours.
#[inline(always)]
fn along_rows(operand: Operand<'_>, whole: usize, width: usize, panels: &mut [f32]) {
    // Depth by depth over all panels: the source is read straight on, which the processor's prefetcher follows.
    for depth in 0..operand.depth {
        let start = depth * operand.depth_stride;
        let source = operand.data[start..start + whole * width].chunks_exact(width);
        let targets = panels.chunks_exact_mut(width * operand.depth);
        for (panel, source) in targets.zip(source) {
            panel[depth * width..(depth + 1) * width].copy_from_slice(source);
        }
    }
}

/// One panel by single numbers, for the padded tail and for rows contiguous in neither direction.
#[inline(always)]
fn padded(operand: Operand<'_>, first: usize, width: usize, panel: &mut [f32]) {
    let rows = width.min(operand.rows - first);
    if rows < width {
        panel.fill(0.0);
    }
    for (depth, target) in panel.chunks_exact_mut(width).enumerate() {
        for (lane, slot) in target[..rows].iter_mut().enumerate() {
            *slot = operand.data[(first + lane) * operand.row_stride + depth * operand.depth_stride];
        }
    }
}
