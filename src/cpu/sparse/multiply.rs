//! Compressed rows times a dense matrix.

use rayon::prelude::*;

use super::CompressedRows;

/// Products that a task makes at least, some 50 µs.
const PRODUCTS: usize = 1 << 16;

/// X·W, n×p, of n×d rows and d×p numbers given row by row. Each result is summed in the order of the columns, so it does
/// not depend on the other rows. O(nnz·p).
pub fn multiply<T: Copy + Into<f64> + Sync>(x: CompressedRows<'_, T>, right: &[f64], outputs: usize) -> Vec<f64> {
    let mut out = vec![0.0; x.rows() * outputs];
    if out.is_empty() {
        return out;
    }
    let products = x.values.len() / x.rows() * outputs;
    let rows = PRODUCTS / products.max(1) + 1;
    out.par_chunks_mut(rows * outputs).enumerate().for_each(|(block, out)| {
        for (at, out) in out.chunks_exact_mut(outputs).enumerate() {
            let (columns, values) = x.row(block * rows + at);
            for (column, value) in columns.iter().zip(values) {
                let (value, first): (f64, usize) = ((*value).into(), *column as usize * outputs);
                let own = &right[first..first + outputs];
                out.iter_mut().zip(own).for_each(|(out, right)| *out += value * right);
            }
        }
    });
    out
}
