//! A block of rows under all Gaussians: whitened values, responsibilities and log-densities, rows side by side in lanes.

use std::f32::consts::{LN_2, LOG2_E};

use pulp::{Simd, WithSimd};

use super::{Gaussians, Shape};
use crate::cpu::elementary::{exp2, log2};
use crate::cpu::simd::arch;
use crate::cpu::tile::with_buffer;

/// Rows of a group: their values of one column lie side by side.
pub(super) const GROUP: usize = 64;
/// Columns of z that are made together.
pub(super) const TALL: usize = 4;
/// Numbers of z that a block should keep in a second cache, and its rows at most.
const BLOCK_NUMBERS: usize = 1 << 15;
const MOST_ROWS: usize = 256;
/// A responsibility below 2 to this power counts as 0.
const NEGLIGIBLE: f32 = -60.0;

/// Gaussians as blocks of rows read them.
pub(super) struct Packed<'a> {
    pub(super) gaussians: &'a Gaussians,
    /// d rounded up to whole fours.
    pub(super) padded: usize,
    pub(super) block_rows: usize,
    /// Of each whitening four rows after four: for each column up to the diagonal, four factors.
    tiles: Vec<f32>,
    /// The offsets, k×padded.
    offsets: Vec<f32>,
}

impl<'a> Packed<'a> {
    pub(super) fn new(gaussians: &'a Gaussians) -> Packed<'a> {
        let (d, k) = (gaussians.columns, gaussians.count());
        let padded = d.next_multiple_of(TALL);
        let block_rows = (BLOCK_NUMBERS / (k * padded)).clamp(GROUP, MOST_ROWS) / GROUP * GROUP;
        let mut tiles = vec![];
        match gaussians.shape {
            Shape::Diagonal => {
                for factors in gaussians.factors.chunks_exact(d) {
                    tiles.extend((0..padded).map(|i| factors.get(i).copied().unwrap_or(0.0)));
                }
            }
            _ => {
                for whitening in gaussians.factors.chunks_exact(d * d) {
                    for first in (0..padded).step_by(TALL) {
                        for column in 0..first + TALL {
                            let at = |row: usize| if row < d && column < d { whitening[row * d + column] } else { 0.0 };
                            tiles.extend((first..first + TALL).map(at));
                        }
                    }
                }
            }
        }
        let mut offsets = vec![0.0; k * padded];
        for (own, offset) in offsets.chunks_exact_mut(padded).zip(gaussians.offsets.chunks_exact(d)) {
            own[..d].copy_from_slice(offset);
        }
        Packed { gaussians, padded, block_rows, tiles, offsets }
    }

    /// Numbers of one packed whitening.
    fn whitening(&self) -> usize {
        match self.gaussians.shape {
            Shape::Diagonal => self.padded,
            _ => self.padded * (self.padded + TALL) / 2,
        }
    }

    /// Numbers of the rows of a block in one column for all columns.
    fn area(&self) -> usize {
        self.padded * self.block_rows
    }
}

/// The buffers of a block, each by groups of rows: of a group one column after the other.
pub(super) struct Block<'a, 'p> {
    pub(super) packed: &'a Packed<'p>,
    /// Rows less the centre: groups × padded × GROUP.
    x: &'a mut [f32],
    /// Whitened rows: k × groups × padded × GROUP.
    pub(super) z: &'a mut [f32],
    /// Responsibilities, groups × k × GROUP; times the weights after [`weigh`](Block::weigh).
    pub(super) shares: &'a mut [f32],
    /// Log-densities, one a row.
    pub(super) logs: &'a mut [f32],
}

impl<'p> Block<'_, 'p> {
    /// Runs `work` on buffers of this thread.
    pub(super) fn with(packed: &Packed<'p>, work: impl FnOnce(&mut Block<'_, 'p>)) {
        let (k, area, rows) = (packed.gaussians.count(), packed.area(), packed.block_rows);
        with_buffer((k + 1) * area + (k + 1) * rows, |buffer| {
            let (x, rest) = buffer.split_at_mut(area);
            let (z, rest) = rest.split_at_mut(k * area);
            let (shares, logs) = rest.split_at_mut(k * rows);
            work(&mut Block { packed, x, z, shares, logs });
        });
    }

    /// The responsibility of a Gaussian for a row.
    pub(super) fn share(&self, at: usize, row: usize) -> f32 {
        let k = self.packed.gaussians.count();
        self.shares[(row / GROUP * k + at) * GROUP + row % GROUP]
    }

    /// Whitens the rows of `x`, at most a block, and makes responsibilities and log-densities of them.
    pub(super) fn expect(&mut self, x: &[f32]) {
        let (d, padded) = (self.packed.gaussians.columns, self.packed.padded);
        let center = &self.packed.gaussians.center;
        let rows = x.len() / d;
        for (group, out) in self.x.chunks_exact_mut(padded * GROUP).enumerate() {
            let x = &x[(group * GROUP).min(rows) * d..((group + 1) * GROUP).min(rows) * d];
            for (column, out) in out.chunks_exact_mut(GROUP).enumerate() {
                let values = x.len() / d;
                if column < d {
                    let own = x[column.min(x.len())..].iter().step_by(d);
                    out.iter_mut().zip(own).for_each(|(out, value)| *out = value - center[column]);
                }
                out[if column < d { values } else { 0 }..].fill(0.0);
            }
        }
        arch().dispatch(Expect(self));
    }

    /// Multiplies the responsibilities of so many rows by their weights, those of the rest by 0; returns Σ weight·ln f.
    pub(super) fn weigh(&mut self, rows: usize, weights: Option<&[f32]>) -> f64 {
        let weight = |row: usize| match weights {
            _ if row >= rows => 0.0,
            Some(weights) => weights[row],
            None => 1.0,
        };
        let k = self.packed.gaussians.count();
        if weights.is_some() || rows < self.packed.block_rows {
            for (group, shares) in self.shares.chunks_exact_mut(k * GROUP).enumerate() {
                for shares in shares.chunks_exact_mut(GROUP) {
                    let own = shares.iter_mut().enumerate();
                    own.for_each(|(row, share)| *share *= weight(group * GROUP + row));
                }
            }
        }
        self.logs[..rows].iter().enumerate().map(|(row, log)| f64::from(weight(row)) * f64::from(*log)).sum()
    }
}

struct Expect<'b, 'a, 'p>(&'b mut Block<'a, 'p>);

impl WithSimd for Expect<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match S::F32_LANES {
            16 => expect::<S, 4, 4>(simd, self.0),
            8 => expect::<S, 8, 2>(simd, self.0),
            4 => expect::<S, 16, 2>(simd, self.0),
            _ => expect::<S, GROUP, 1>(simd, self.0),
        }
    }
}

/// Vectors that make a group of rows.
type Column<S, const G: usize> = [<S as Simd>::f32s; G];

#[inline(always)]
fn columns<S: Simd, const G: usize>(numbers: &[f32]) -> &[Column<S, G>] {
    S::as_simd_f32s(numbers).0.as_chunks::<G>().0
}

#[inline(always)]
fn columns_mut<S: Simd, const G: usize>(numbers: &mut [f32]) -> &mut [Column<S, G>] {
    S::as_mut_simd_f32s(numbers).0.as_chunks_mut::<G>().0
}

/// With G vectors a group, of which V are whitened together.
#[inline(always)]
fn expect<S: Simd, const G: usize, const V: usize>(simd: S, block: &mut Block<'_, '_>) {
    let packed = block.packed;
    let Gaussians { shape, heights, .. } = packed.gaussians;
    let (padded, k, groups) = (packed.padded, heights.len(), packed.block_rows / GROUP);
    let x = columns::<S, G>(block.x);
    let z = columns_mut::<S, G>(block.z);
    let shares = columns_mut::<S, G>(block.shares);
    if *shape == Shape::Tied {
        // Whitened once, in the place of the first Gaussian, whose offset is taken off last.
        for group in 0..groups {
            whiten::<S, G, V>(simd, &packed.tiles, None, &x[group * padded..][..padded], &mut z[group * padded..]);
        }
    }
    for at in (0..k).rev() {
        let offset = &packed.offsets[at * padded..][..padded];
        let factors = &packed.tiles[if *shape == Shape::Tied { 0 } else { at * packed.whitening() }..];
        let (white, rest) = z.split_at_mut(if at == 0 { 0 } else { groups * padded });
        let own = if at == 0 { rest } else { &mut rest[(at - 1) * groups * padded..] };
        for group in 0..groups {
            let (x, own) = (&x[group * padded..][..padded], &mut own[group * padded..][..padded]);
            let squares = match shape {
                Shape::Full => whiten::<S, G, V>(simd, factors, Some(offset), x, own),
                Shape::Diagonal => scale::<S, G>(simd, factors, offset, x, own),
                Shape::Tied if at == 0 => less_in_place::<S, G>(simd, offset, own),
                Shape::Tied => less::<S, G>(simd, offset, &white[group * padded..][..padded], own),
            };
            let (height, half) = (simd.splat_f32s(heights[at]), simd.splat_f32s(-0.5));
            let share = &mut shares[group * k + at];
            share
                .iter_mut()
                .zip(squares)
                .for_each(|(share, square)| *share = simd.mul_add_e_f32s(half, square, height));
        }
    }
    let logs = columns_mut::<S, G>(block.logs);
    for (shares, log) in shares.chunks_exact_mut(k).zip(logs) {
        for (v, log) in log.iter_mut().enumerate() {
            *log = normalise::<S, G>(simd, shares, v);
        }
    }
}

/// z = W·x − offset for a group, four columns at a time; returns ‖z‖².
#[inline(always)]
fn whiten<S: Simd, const G: usize, const V: usize>(
    simd: S,
    tiles: &[f32],
    offset: Option<&[f32]>,
    x: &[Column<S, G>],
    z: &mut [Column<S, G>],
) -> Column<S, G> {
    let zero = simd.splat_f32s(0.0);
    let mut squares = [zero; G];
    let mut begin = 0;
    for first in (0..x.len()).step_by(TALL) {
        let (tile, _) = tiles[begin..begin + (first + TALL) * TALL].as_chunks::<TALL>();
        begin += (first + TALL) * TALL;
        let out = &mut z[first..first + TALL];
        for v in (0..G).step_by(V) {
            let mut sums = [[zero; V]; TALL];
            if let Some(offset) = offset {
                for (sums, offset) in sums.iter_mut().zip(&offset[first..first + TALL]) {
                    *sums = [simd.splat_f32s(-*offset); V];
                }
            }
            for (factors, x) in tile.iter().zip(x) {
                for (sums, factor) in sums.iter_mut().zip(factors) {
                    let factor = simd.splat_f32s(*factor);
                    for (u, sum) in sums.iter_mut().enumerate() {
                        *sum = simd.mul_add_e_f32s(factor, x[v + u], *sum);
                    }
                }
            }
            for (sums, out) in sums.iter().zip(&mut *out) {
                for (u, sum) in sums.iter().enumerate() {
                    squares[v + u] = simd.mul_add_e_f32s(*sum, *sum, squares[v + u]);
                    out[v + u] = *sum;
                }
            }
        }
    }
    squares
}

/// z = factor·x − offset for each column of a group.
#[inline(always)]
fn scale<S: Simd, const G: usize>(
    simd: S,
    factors: &[f32],
    offset: &[f32],
    x: &[Column<S, G>],
    z: &mut [Column<S, G>],
) -> Column<S, G> {
    let mut squares = [simd.splat_f32s(0.0); G];
    for (((x, z), factor), offset) in x.iter().zip(z).zip(factors).zip(offset) {
        let (factor, offset) = (simd.splat_f32s(*factor), simd.splat_f32s(-*offset));
        for v in 0..G {
            z[v] = simd.mul_add_e_f32s(factor, x[v], offset);
            squares[v] = simd.mul_add_e_f32s(z[v], z[v], squares[v]);
        }
    }
    squares
}

/// z = white − offset for each column of a group.
#[inline(always)]
fn less<S: Simd, const G: usize>(
    simd: S,
    offset: &[f32],
    white: &[Column<S, G>],
    z: &mut [Column<S, G>],
) -> Column<S, G> {
    z.copy_from_slice(white);
    less_in_place::<S, G>(simd, offset, z)
}

#[inline(always)]
fn less_in_place<S: Simd, const G: usize>(simd: S, offset: &[f32], z: &mut [Column<S, G>]) -> Column<S, G> {
    let mut squares = [simd.splat_f32s(0.0); G];
    for (z, offset) in z.iter_mut().zip(offset) {
        let offset = simd.splat_f32s(*offset);
        for v in 0..G {
            z[v] = simd.sub_f32s(z[v], offset);
            squares[v] = simd.mul_add_e_f32s(z[v], z[v], squares[v]);
        }
    }
    squares
}

/// Logarithms of one vector of rows become shares of 1; returns the logarithm of their sum.
#[inline(always)]
fn normalise<S: Simd, const G: usize>(simd: S, shares: &mut [Column<S, G>], v: usize) -> S::f32s {
    let highest = shares.iter().fold(simd.splat_f32s(f32::MIN), |highest, share| simd.max_f32s(highest, share[v]));
    let (factor, least, zero) = (simd.splat_f32s(LOG2_E), simd.splat_f32s(NEGLIGIBLE), simd.splat_f32s(0.0));
    let mut sum = zero;
    for share in &mut *shares {
        let power = simd.mul_f32s(simd.sub_f32s(share[v], highest), factor);
        let kept = simd.greater_than_f32s(power, least);
        share[v] = simd.select_f32s(kept, exp2(simd, power), zero);
        sum = simd.add_f32s(sum, share[v]);
    }
    let scale = simd.div_f32s(simd.splat_f32s(1.0), sum);
    shares.iter_mut().for_each(|share| share[v] = simd.mul_f32s(share[v], scale));
    simd.mul_add_e_f32s(simd.splat_f32s(LN_2), log2(simd, sum), highest)
}
