//! Rows into columns, in tiles that stay in the first cache.

use rayon::prelude::*;

/// Side of a tile: two tiles of 32×32 values are 8 KiB.
const TILE: usize = 32;

/// `out[column][row] = x[row][column]`, for x of `rows`×`columns`.
pub fn transpose(x: &[f32], rows: usize, columns: usize, out: &mut [f32]) {
    if rows == 0 || columns == 0 {
        return;
    }
    out.par_chunks_mut(TILE * rows).enumerate().for_each(|(band, out)| {
        let first = band * TILE;
        let width = out.len() / rows;
        for top in (0..rows).step_by(TILE) {
            let height = TILE.min(rows - top);
            for column in 0..width {
                let to = &mut out[column * rows + top..column * rows + top + height];
                let from = x[top * columns + first + column..].iter().step_by(columns);
                to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
            }
        }
    });
}
