//! The diagonal of the inverse, for many shifts.

use pulp::{Simd, WithSimd};
use rayon::prelude::*;

use super::{BandFactor, BandReduced, Dot, Operand, WIDTH, product};
use crate::cpu::simd::arch;

/// Rows of Q that go through the band side by side: enough sums to hide the time of one.
const LANES: usize = 64;
/// Vectors of sums that are kept in registers.
const VECTORS: usize = 4;
/// Reflections that Q takes on at a time: two panels.
const PAIR: usize = 2 * WIDTH;

impl BandReduced {
    /// The diagonal of `(A + shift·I)⁻¹` for each shift: |L⁻¹·qᵢ|² with L the factor of the band and qᵢ row i of Q. About
    /// 4n³/3 multiply-adds for Q, and 32·n² for each shift. Nothing where a shift leaves the matrix indefinite.
    pub fn inverse_diagonals(&self, shifts: &[f64]) -> Option<Vec<Vec<f64>>> {
        let factors: Vec<BandFactor> =
            shifts.iter().map(|&shift| BandFactor::new(self, shift)).collect::<Option<_>>()?;
        Some(match self.exact {
            true => lengths_in_f64(&factors, &self.rotation(), self.size),
            false => lengths_in_f32(&factors, &self.rotation(), self.size),
        })
    }

    /// Q, n×n: reflections are multiplied from the last to the first, so that each acts on what lies after it alone.
    fn rotation(&self) -> Vec<f32> {
        let n = self.size;
        let mut q = vec![0.0; n * n];
        (0..n).for_each(|at| q[at * n + at] = 1.0);
        for pair in self.panels.chunks(2).rev() {
            let after = pair[0].after;
            let m = n - after;
            let mut vectors = vec![0.0; m * PAIR];
            for (number, panel) in pair.iter().enumerate() {
                for (row, values) in panel.vectors.chunks_exact(WIDTH).enumerate() {
                    let row = panel.after - after + row;
                    vectors[row * PAIR + number * WIDTH..][..WIDTH].copy_from_slice(values);
                }
            }
            let mut factor = vec![0.0; PAIR * PAIR];
            for (number, panel) in pair.iter().enumerate() {
                for (row, values) in panel.factor.chunks_exact(WIDTH).enumerate() {
                    factor[(number * WIDTH + row) * PAIR + number * WIDTH..][..WIDTH].copy_from_slice(values);
                }
            }
            let columns = Operand::from_columns(&vectors, m, PAIR);
            if let [first, second] = pair {
                couple(&mut factor, columns, &first.factor, &second.factor);
            }
            let rest = &q[after * n + after..];
            let turned = Operand { data: rest, rows: m, depth: m, row_stride: 1, depth_stride: n };
            let mut along = vec![0.0; m * PAIR];
            product(Dot, turned, columns, 1.0, 0.0, &mut along, PAIR);
            let mut scaled = vec![0.0; m * PAIR];
            let factor = Operand::from_rows(&factor, PAIR, PAIR);
            product(Dot, Operand::from_rows(&along, m, PAIR), factor, 1.0, 0.0, &mut scaled, PAIR);
            let (left, right) = (Operand::from_rows(&vectors, m, PAIR), Operand::from_rows(&scaled, m, PAIR));
            product(Dot, left, right, -1.0, 1.0, &mut q[after * n + after..], n);
        }
        q
    }
}

/// The block of T that joins two panels: −T₁·V₁ᵀ·V₂·T₂.
fn couple(factor: &mut [f32], vectors: Operand<'_>, first: &[f32], second: &[f32]) {
    let mut dots = vec![0.0; PAIR * PAIR];
    product(Dot, vectors, vectors, 1.0, 0.0, &mut dots, PAIR);
    let between: Vec<f32> = dots.chunks_exact(PAIR).take(WIDTH).flat_map(|row| row[WIDTH..].iter().copied()).collect();
    let columns = |values| Operand::from_columns(values, WIDTH, WIDTH);
    let rows = |values| Operand::from_rows(values, WIDTH, WIDTH);
    let mut left = vec![0.0; WIDTH * WIDTH];
    product(Dot, rows(first), columns(&between), 1.0, 0.0, &mut left, WIDTH);
    product(Dot, rows(&left), columns(second), -1.0, 0.0, &mut factor[WIDTH..], PAIR);
}

/// A function that finds |L⁻¹·q|² of each factor and each row of Q, n×n, in f32 or f64, by the names that pulp has for it.
macro_rules! squared_lengths {
    ($lengths:ident, $number:ident, $lanes:ident, [$splat:ident, $mul:ident, $mul_add:ident, $as:ident, $as_mut:ident]) => {
        fn $lengths(factors: &[BandFactor], q: &[f32], n: usize) -> Vec<Vec<f64>> {
            /// A factor of the band: minus the entries before the diagonal, and one over it.
            struct Lower {
                before: Vec<[$number; WIDTH]>,
                inverse: Vec<$number>,
            }

            /// |L⁻¹·q|² of the rows of a tile; `through` has WIDTH zeros before the solutions.
            struct Lengths<'a> {
                factor: &'a Lower,
                tile: &'a [[$number; LANES]],
                through: &'a mut [[$number; LANES]],
            }

            impl WithSimd for Lengths<'_> {
                type Output = [f64; LANES];

                #[inline(always)]
                fn with_simd<S: Simd>(self, simd: S) -> [f64; LANES] {
                    let mut lengths = [0.0_f64; LANES];
                    for first in (0..LANES / S::$lanes).step_by(VECTORS) {
                        let mut part = [simd.$splat(0.0); VECTORS];
                        for at in 0..self.tile.len() {
                            let (entry, _) = S::$as(&self.tile[at]);
                            let mut sums: [_; VECTORS] = std::array::from_fn(|vector| entry[first + vector]);
                            for (&value, known) in self.factor.before[at].iter().zip(&self.through[at..at + WIDTH]) {
                                let (value, (known, _)) = (simd.$splat(value), S::$as(known));
                                for (sum, &known) in sums.iter_mut().zip(&known[first..first + VECTORS]) {
                                    *sum = simd.$mul_add(value, known, *sum);
                                }
                            }
                            let inverse = simd.$splat(self.factor.inverse[at]);
                            let (into, _) = S::$as_mut(&mut self.through[at + WIDTH]);
                            for (vector, sum) in sums.into_iter().enumerate() {
                                let sum = simd.$mul(sum, inverse);
                                into[first + vector] = sum;
                                part[vector] = simd.$mul_add(sum, sum, part[vector]);
                            }
                            // Long sums in f64.
                            if at % 64 == 63 || at + 1 == self.tile.len() {
                                let lengths = &mut lengths[first * S::$lanes..];
                                for (part, lengths) in part.iter_mut().zip(lengths.chunks_exact_mut(S::$lanes)) {
                                    let mut lanes = [0.0; LANES];
                                    S::$as_mut(&mut lanes).0[0] = *part;
                                    lengths.iter_mut().zip(lanes).for_each(|(length, lane)| *length += f64::from(lane));
                                    *part = simd.$splat(0.0);
                                }
                            }
                        }
                    }
                    lengths
                }
            }

            let lower = |factor: &BandFactor| {
                let rows = factor.lower.chunks_exact(WIDTH + 1);
                let before = rows.clone().map(|row| std::array::from_fn(|at| -row[at] as $number)).collect();
                Lower { before, inverse: rows.map(|row| (1.0 / row[WIDTH]) as $number).collect() }
            };
            let factors: Vec<Lower> = factors.iter().map(lower).collect();
            let tiles: Vec<Vec<[f64; LANES]>> = q
                .par_chunks(LANES * n.max(1))
                .map(|rows| {
                    // Turned, so that one entry of all rows is a vector.
                    let mut tile = vec![[0.0; LANES]; n];
                    for (lane, row) in rows.chunks_exact(n).enumerate() {
                        tile.iter_mut().zip(row).for_each(|(entry, &value)| entry[lane] = $number::from(value));
                    }
                    let mut through = vec![[0.0; LANES]; n + WIDTH];
                    let lengths = |factor| arch().dispatch(Lengths { factor, tile: &tile, through: &mut through });
                    factors.iter().map(lengths).collect()
                })
                .collect();
            let row = |shift: usize, row: usize| tiles[row / LANES][shift][row % LANES];
            (0..factors.len()).map(|shift| (0..n).map(|at| row(shift, at)).collect()).collect()
        }
    };
}

squared_lengths!(
    lengths_in_f32,
    f32,
    F32_LANES,
    [splat_f32s, mul_f32s, mul_add_e_f32s, as_simd_f32s, as_mut_simd_f32s]
);
squared_lengths!(
    lengths_in_f64,
    f64,
    F64_LANES,
    [splat_f64s, mul_f64s, mul_add_e_f64s, as_simd_f64s, as_mut_simd_f64s]
);
