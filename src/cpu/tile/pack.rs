//! Copies rows into panels: `width` rows side by side, one depth index after the other, as the micro-kernel reads them.

use pulp::Simd;

use super::Operand;

/// Depth indices copied at a time: one cache line of a row that lies along the depth.
const RUN: usize = 16;
/// Rows that are transposed at once.
const QUAD: usize = 4;
/// Panels that are filled side by side.
const TOGETHER: usize = 4;

/// Packs all rows of `operand` into `panels`, the last panel padded with rows of zeros.
///
/// `panels` holds `rows.div_ceil(width)` panels of `depth · width` numbers. `width` should be a constant after inlining.
#[inline(always)]
pub(super) fn pack<S: Simd>(simd: S, operand: Operand<'_>, width: usize, panels: &mut [f32]) {
    if operand.rows == 0 || operand.depth == 0 {
        return;
    }
    let whole = operand.rows / width;
    let (full, rest) = panels.split_at_mut(whole * width * operand.depth);
    if operand.depth_stride == 1 {
        let quads = if turns_quads(simd) { width / QUAD } else { 0 };
        for (index, panel) in full.chunks_exact_mut(width * operand.depth).enumerate() {
            along_depth(simd, operand, (index * width, width, quads), panel);
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

/// One full panel of rows that lie along the depth: a transposition, four rows of it at a time in `quads` places.
#[inline(always)]
fn along_depth<S: Simd>(
    simd: S,
    operand: Operand<'_>,
    (first, width, quads): (usize, usize, usize),
    panel: &mut [f32],
) {
    // A run is a cache line, read once: rows a power of two apart share a cache set and would evict each other.
    let runs = operand.depth / RUN;
    let (whole, rest) = panel.split_at_mut(runs * RUN * width);
    for (run, block) in whole.chunks_exact_mut(RUN * width).enumerate() {
        let source = |lane: usize| {
            let start = (first + lane) * operand.row_stride + run * RUN;
            &operand.data[start..start + RUN]
        };
        for lane in (0..quads * QUAD).step_by(QUAD) {
            let rows: [&[f32]; QUAD] = std::array::from_fn(|row| source(lane + row));
            for (part, block) in block.chunks_exact_mut(S::F32_LANES * width).enumerate() {
                let vectors = rows.map(|row| S::as_simd_f32s(row).0[part]);
                for (at, turned) in simd.deinterleave_shfl_f32s(vectors).iter().enumerate() {
                    let numbers: &[f32] = bytemuck::cast_slice(std::slice::from_ref(turned));
                    for (place, quad) in numbers.chunks_exact(QUAD).enumerate() {
                        block[(place * QUAD + at) * width + lane..][..QUAD].copy_from_slice(quad);
                    }
                }
            }
        }
        for lane in quads * QUAD..width {
            block[lane..].iter_mut().step_by(width).zip(source(lane)).for_each(|(slot, &value)| *slot = value);
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

/// Whether the vectors are made of quads, and `deinterleave_shfl` transposes the quads of four vectors in their places: its order is
/// not promised, so it is looked at.
#[inline(always)]
fn turns_quads<S: Simd>(simd: S) -> bool {
    let numbers: [f32; QUAD * RUN] = std::array::from_fn(|at| at as f32);
    let (vectors, _) = S::as_simd_f32s(&numbers).0.as_chunks::<QUAD>();
    let (true, Some(&vectors)) = (S::F32_LANES.is_multiple_of(QUAD), vectors.first()) else { return false };
    let turned = simd.deinterleave_shfl_f32s(vectors);
    turned.iter().enumerate().all(|(at, vector)| {
        let numbers: &[f32] = bytemuck::cast_slice(std::slice::from_ref(vector));
        let place = |lane: usize| (lane % QUAD) * S::F32_LANES + lane / QUAD * QUAD + at;
        numbers.iter().enumerate().all(|(lane, &number)| number == place(lane) as f32)
    })
}

/// All full panels of rows that lie side by side: copies of `width` neighbours.
#[inline(always)]
fn along_rows(operand: Operand<'_>, whole: usize, width: usize, panels: &mut [f32]) {
    // Some panels at a time, depth by depth: the source is read a few cache lines at a time, and the panels, whose places lie a
    // multiple of 4 KiB apart, do not evict each other.
    for (group, panels) in panels.chunks_mut(TOGETHER * width * operand.depth).enumerate() {
        let count = TOGETHER.min(whole - group * TOGETHER);
        for depth in 0..operand.depth {
            let start = group * TOGETHER * width + depth * operand.depth_stride;
            let source = operand.data[start..start + count * width].chunks_exact(width);
            for (panel, source) in panels.chunks_exact_mut(width * operand.depth).zip(source) {
                panel[depth * width..(depth + 1) * width].copy_from_slice(source);
            }
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
