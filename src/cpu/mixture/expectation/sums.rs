//! Sums over rows: Σ r, Σ r·z and Σ r·z·zᵀ of blocks, kept lane by lane in f32 for a while and added in f64.

use pulp::{Simd, WithSimd};

use super::block::{Block, GROUP, Packed, TALL};
use super::{Moments, Shape};
use crate::cpu::simd::arch;
use crate::cpu::tile::{Dot, Operand, pack_panels, panel_update, panel_width, with_buffer};
use crate::cpu::vector_lanes;

/// Numbers that sums kept lane by lane may hold: they stay in a second cache. Larger ones are products of whole blocks.
const MOST_LANE_SUMS: usize = 1 << 18;

/// What is not yet in f64: vectors of sums of rows in the same lane.
pub(super) struct LaneSums<'a, 'p> {
    packed: &'a Packed<'p>,
    /// Whether Σ r·z·zᵀ is kept lane by lane too.
    in_lanes: bool,
    /// k vectors, then k×padded, then what the second sums need.
    sums: Vec<f32>,
}

impl<'a, 'p> LaneSums<'a, 'p> {
    pub(super) fn new(packed: &'a Packed<'p>) -> LaneSums<'a, 'p> {
        let (k, padded, lanes) = (packed.gaussians.count(), packed.padded, vector_lanes());
        let square = k * padded * padded * lanes;
        let in_lanes = packed.gaussians.shape == Shape::Full && square <= MOST_LANE_SUMS;
        let second = match packed.gaussians.shape {
            Shape::Full if in_lanes => square,
            Shape::Diagonal => k * padded * lanes,
            _ => 0,
        };
        LaneSums { packed, in_lanes, sums: vec![0.0; (k + k * padded) * lanes + second] }
    }

    /// Adds a weighed block, whose z is used up. What is too large for lanes goes to `moments` at once.
    pub(super) fn add(&mut self, block: &mut Block<'_, '_>, moments: &mut Moments) {
        arch().dispatch(AddBlock { lanes: self, block });
        if self.packed.gaussians.shape == Shape::Full && !self.in_lanes {
            self.add_products(block, moments);
        }
    }

    /// Σ y·yᵀ of each Gaussian, with y = √r·z, by the tile core.
    fn add_products(&self, block: &Block<'_, '_>, moments: &mut Moments) {
        let (d, padded) = (self.packed.gaussians.columns, self.packed.padded);
        let panel = d.next_multiple_of(panel_width()) * GROUP;
        with_buffer(panel + d * d, |buffer| {
            let (panels, products) = buffer.split_at_mut(panel);
            let own = block.z.chunks_exact(self.packed.block_rows * padded);
            for (y, second) in own.zip(moments.second.chunks_exact_mut(d * d)) {
                for (group, y) in y.chunks_exact(padded * GROUP).enumerate() {
                    let rows = Operand::from_rows(y, d, GROUP);
                    pack_panels(rows, panels);
                    let beta = if group == 0 { 0.0 } else { 1.0 };
                    let mut out: Vec<&mut [f32]> = products.chunks_exact_mut(d).collect();
                    panel_update(Dot, rows, panels, (1.0, beta), &mut out);
                }
                second.iter_mut().zip(&*products).for_each(|(sum, value)| *sum += f64::from(*value));
            }
        });
    }

    /// Adds all lanes to the sums in f64 and begins again.
    pub(super) fn flush(&mut self, moments: &mut Moments) {
        let lanes = vector_lanes();
        let (d, k, padded) = (self.packed.gaussians.columns, self.packed.gaussians.count(), self.packed.padded);
        let total = |numbers: &[f32]| numbers.iter().copied().map(f64::from).sum::<f64>();
        let (weight, rest) = self.sums.split_at(k * lanes);
        let (first, second) = rest.split_at(k * padded * lanes);
        moments.weight.iter_mut().zip(weight.chunks_exact(lanes)).for_each(|(sum, lanes)| *sum += total(lanes));
        let add_rows = |sums: &mut [f64], vectors: &[f32]| {
            for (sums, vectors) in sums.chunks_exact_mut(d).zip(vectors.chunks_exact(padded * lanes)) {
                sums.iter_mut().zip(vectors.chunks_exact(lanes)).for_each(|(sum, lanes)| *sum += total(lanes));
            }
        };
        add_rows(&mut moments.first, first);
        if self.packed.gaussians.shape == Shape::Diagonal {
            add_rows(&mut moments.second, second);
        }
        if self.in_lanes {
            let own = second.chunks_exact(padded * padded * lanes);
            for (sums, vectors) in moments.second.chunks_exact_mut(d * d).zip(own) {
                for row in 0..d {
                    for column in 0..=row {
                        let sum = total(&vectors[(row * padded + column) * lanes..][..lanes]);
                        sums[row * d + column] += sum;
                        if column < row {
                            sums[column * d + row] += sum;
                        }
                    }
                }
            }
        }
        self.sums.fill(0.0);
    }
}

struct AddBlock<'s, 'b, 'a, 'p, 'x, 'q> {
    lanes: &'s mut LaneSums<'a, 'p>,
    block: &'b mut Block<'x, 'q>,
}

impl WithSimd for AddBlock<'_, '_, '_, '_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match S::F32_LANES {
            16 => add::<S, 4, 4>(simd, self.lanes, self.block),
            8 => add::<S, 8, 2>(simd, self.lanes, self.block),
            4 => add::<S, 16, 2>(simd, self.lanes, self.block),
            _ => add::<S, GROUP, 2>(simd, self.lanes, self.block),
        }
    }
}

/// With G vectors a group, and tiles of 4×J second sums.
#[inline(always)]
fn add<S: Simd, const G: usize, const J: usize>(simd: S, lanes: &mut LaneSums<'_, '_>, block: &mut Block<'_, '_>) {
    let packed = lanes.packed;
    let (k, padded, groups) = (packed.gaussians.count(), packed.padded, packed.block_rows / GROUP);
    let shape = packed.gaussians.shape;
    let sums = S::as_mut_simd_f32s(&mut lanes.sums).0;
    let (weight, rest) = sums.split_at_mut(k);
    let (first, second) = rest.split_at_mut(k * padded);
    let shares = S::as_simd_f32s(block.shares).0.as_chunks::<G>().0;
    let z = S::as_mut_simd_f32s(block.z).0.as_chunks_mut::<G>().0;
    for (at, z) in z.chunks_exact_mut(groups * padded).enumerate() {
        let first = &mut first[at * padded..][..padded];
        for (group, z) in z.chunks_exact_mut(padded).enumerate() {
            let r = &shares[group * k + at];
            weight[at] = r.iter().fold(weight[at], |sum, r| simd.add_f32s(sum, *r));
            match shape {
                Shape::Full => weigh_roots::<S, G>(simd, r, z, first),
                Shape::Tied => weigh::<S, G>(simd, r, z, first, None),
                Shape::Diagonal => weigh::<S, G>(simd, r, z, first, Some(&mut second[at * padded..][..padded])),
            }
        }
        if lanes.in_lanes {
            add_tiles::<S, G, J>(simd, z, padded, &mut second[at * padded * padded..][..padded * padded]);
        }
    }
}

/// z becomes y = √r·z, and Σ √r·y is added.
#[inline(always)]
fn weigh_roots<S: Simd, const G: usize>(simd: S, r: &[S::f32s; G], z: &mut [[S::f32s; G]], first: &mut [S::f32s]) {
    let roots = r.map(|r| simd.sqrt_f32s(r));
    for (z, sum) in z.iter_mut().zip(first) {
        // In a register: a sum in memory would wait for its last store at every step.
        let mut total = *sum;
        for (z, root) in z.iter_mut().zip(roots) {
            *z = simd.mul_f32s(*z, root);
            total = simd.mul_add_e_f32s(root, *z, total);
        }
        *sum = total;
    }
}

/// Adds Σ r·z, and Σ r·z² where it is wanted.
#[inline(always)]
fn weigh<S: Simd, const G: usize>(
    simd: S,
    r: &[S::f32s; G],
    z: &[[S::f32s; G]],
    first: &mut [S::f32s],
    mut second: Option<&mut [S::f32s]>,
) {
    for (column, (z, sum)) in z.iter().zip(first).enumerate() {
        let (mut total, mut squares) = (*sum, simd.splat_f32s(0.0));
        for (z, r) in z.iter().zip(r) {
            let weighed = simd.mul_f32s(*r, *z);
            total = simd.add_f32s(total, weighed);
            squares = simd.mul_add_e_f32s(weighed, *z, squares);
        }
        *sum = total;
        if let Some(second) = &mut second {
            second[column] = simd.add_f32s(second[column], squares);
        }
    }
}

/// Adds Σ y·yᵀ over the rows of a block, tile after tile up to the diagonal.
#[inline(always)]
fn add_tiles<S: Simd, const G: usize, const J: usize>(
    simd: S,
    y: &[[S::f32s; G]],
    padded: usize,
    sums: &mut [S::f32s],
) {
    for row in (0..padded).step_by(TALL) {
        for column in (0..row + TALL).step_by(J) {
            let mut tile = [[simd.splat_f32s(0.0); J]; TALL];
            for y in y.chunks_exact(padded) {
                let (left, right) = (&y[row..row + TALL], &y[column..column + J]);
                for v in 0..G {
                    for (tile, left) in tile.iter_mut().zip(left) {
                        for (sum, right) in tile.iter_mut().zip(right) {
                            *sum = simd.mul_add_e_f32s(left[v], right[v], *sum);
                        }
                    }
                }
            }
            for (i, tile) in tile.iter().enumerate() {
                let sums = &mut sums[(row + i) * padded + column..][..J];
                sums.iter_mut().zip(tile).for_each(|(sum, own)| *sum = simd.add_f32s(*sum, *own));
            }
        }
    }
}
