//! Rows into columns, through a small square that stays in the first cache.

use rayon::prelude::*;

/// Side of a square: 64 values are four cache lines, read and written whole, so no line is needed twice and strides
/// of a power of two do no harm.
const SIDE: usize = 64;

/// `out[column][row] = x[row][column]`, for x of `rows`×`columns`.
pub fn transpose(x: &[f32], rows: usize, columns: usize, out: &mut [f32]) {
    debug_assert!(x.len() == rows * columns && out.len() == x.len());
    if rows == 0 || columns == 0 {
        return;
    }
    out.par_chunks_mut(SIDE * rows).enumerate().for_each(|(band, out)| {
        let left = band * SIDE;
        let width = out.len() / rows;
        let mut square = [[0.0_f32; SIDE]; SIDE];
        for top in (0..rows).step_by(SIDE) {
            let height = SIDE.min(rows - top);
            for (row, turned) in (top..top + height).zip(&mut square) {
                turned[..width].copy_from_slice(&x[row * columns + left..][..width]);
            }
            for column in 0..width {
                let to = &mut out[column * rows + top..][..height];
                to.iter_mut().zip(&square).for_each(|(to, from)| *to = from[column]);
            }
        }
    });
}
