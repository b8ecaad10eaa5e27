//! The products of the columns with each other.

use rayon::prelude::*;

use super::CompressedRows;

/// XᵀX, d×d, of `x` (n×d) and its transpose. Each entry is summed in the order of the rows. Half of Σ (numbers in a
/// row)² products, and d²·8 bytes.
pub fn gram(x: CompressedRows<'_, f64>, transposed: CompressedRows<'_, f64>) -> Vec<f64> {
    let d = x.columns;
    let mut products = vec![0.0; d * d];
    if d == 0 {
        return products;
    }
    products.par_chunks_mut(d).enumerate().for_each(|(column, out)| {
        let (rows, own) = transposed.row(column);
        for (row, value) in rows.iter().zip(own) {
            let (columns, values) = x.row(*row as usize);
            // What is left of the diagonal is the mirror image of what is right of it.
            let first = columns.partition_point(|other| (*other as usize) < column);
            let pairs = columns[first..].iter().zip(&values[first..]);
            pairs.for_each(|(other, other_value)| out[*other as usize] += value * other_value);
        }
    });
    for row in 0..d {
        for column in 0..row {
            products[row * d + column] = products[column * d + row];
        }
    }
    products
}
