//! A tail by itself: activation and dropout where a layer has no product.

use rayon::prelude::*;

use super::tail::Tail;

/// Rows that a task takes.
const ROWS: usize = 16;

/// `out = tail(x)`, rows of `columns` numbers.
pub fn forward(x: &[f32], rows: usize, columns: usize, out: &mut [f32], tail: Tail) {
    let stride = columns.next_multiple_of(4);
    let length = rows * stride;
    out[..length].par_chunks_mut(ROWS * stride).zip(x[..length].par_chunks(ROWS * stride)).enumerate().for_each(
        |(task, (out, x))| {
            out.copy_from_slice(x);
            tail.forward(out, columns, stride, task * ROWS, None);
        },
    );
}

/// `out = tail'(slope)`, for the tail and the values of the layer before.
pub fn backward(slope: &[f32], rows: usize, columns: usize, out: &mut [f32], (tail, saved): (Tail, &[f32])) {
    let stride = columns.next_multiple_of(4);
    let length = rows * stride;
    let parts = out[..length].par_chunks_mut(ROWS * stride).zip(slope[..length].par_chunks(ROWS * stride));
    parts.zip(saved[..length].par_chunks(ROWS * stride)).enumerate().for_each(|(task, ((out, slope), saved))| {
        out.copy_from_slice(slope);
        tail.backward(out, saved, stride, task * ROWS);
    });
}
