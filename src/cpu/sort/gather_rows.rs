//! Rows in a new order.

use rayon::prelude::*;

/// Numbers a task copies at least: some 15 µs.
const NUMBERS_PER_TASK: usize = 1 << 14;

/// `out[i] = x[index[i]]`, whole rows of `columns` numbers; `out` is `index.len()×columns`.
///
/// Every index is below the number of rows of `x`; rows may be taken more than once or not at all.
pub fn gather_rows(x: &[f32], columns: usize, index: &[u32], out: &mut [f32]) {
    debug_assert_eq!(out.len(), index.len() * columns);
    if columns == 0 {
        return;
    }
    let rows_per_task = NUMBERS_PER_TASK.div_ceil(columns);
    let gather = |(index, out): (&[u32], &mut [f32])| {
        if columns == 1 {
            return out.iter_mut().zip(index).for_each(|(out, &row)| *out = x[row as usize]);
        }
        for (out, &row) in out.chunks_exact_mut(columns).zip(index) {
            let start = row as usize * columns;
            out.copy_from_slice(&x[start..start + columns]);
        }
    };
    if index.len() <= rows_per_task {
        return gather((index, out));
    }
    index.par_chunks(rows_per_task).zip(out.par_chunks_mut(rows_per_task * columns)).for_each(gather);
}
