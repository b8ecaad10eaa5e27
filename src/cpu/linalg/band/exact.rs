//! The reduction in f64, for shifts that f32 does not see beside the matrix.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use rayon::prelude::*;

use super::panel::Panel;
use super::{BandReduced, Entry, WIDTH, reduce_by};
use crate::cpu::vectorised;

/// Rows of a block, which is a task: a fixed cut, so the bits do not depend on the number of threads.
const ROWS: usize = 256;
/// Numbers in a cache line. Rows begin with one: faer's bits depend on that.
const LINE: usize = 8;

impl BandReduced {
    /// As [`BandReduced::reduce`], in f64: B is right to a few roundings of f64. The rotation is kept in f32, which solutions are
    /// corrected for and which moves the inverse's diagonal by some 1e-6 of itself.
    pub fn reduce_exactly(values: &[f64], size: usize) -> BandReduced {
        debug_assert_eq!(values.len(), size * size);
        let stride = size.next_multiple_of(LINE);
        let mut room = vec![0.0; size * stride + LINE];
        let start = room.as_ptr().align_offset(LINE * size_of::<f64>()).min(LINE);
        let own = &mut room[start..start + size * stride];
        for (own, row) in own.chunks_exact_mut(stride.max(1)).zip(values.chunks_exact(size.max(1))) {
            own[..size].copy_from_slice(row);
        }
        let reduced = reduce_by(own, (size, stride), |values, first| {
            let reflections = Reflections::factor(values, (size, stride), first);
            reflections.reduce_rest(values, stride);
            let rows = (0..reflections.vectors.nrows()).flat_map(|row| (0..WIDTH).map(move |column| (row, column)));
            let rounded = rows.map(|place| reflections.vectors[place] as f32).collect();
            (Panel::rounded(reflections.after, rounded), reflections.upper)
        });
        BandReduced { exact: true, ..reduced }
    }
}

/// [`Panel`] in f64.
struct Reflections {
    after: usize,
    /// V, m×WIDTH.
    vectors: Mat<f64>,
    /// T, WIDTH×WIDTH.
    factor: Mat<f64>,
    upper: Vec<Entry>,
}

impl Reflections {
    /// Reduces what lies below the diagonal block of the columns from `first` on.
    fn factor(values: &[f64], (size, stride): (usize, usize), first: usize) -> Reflections {
        let after = first + WIDTH;
        let m = size - after;
        let mut columns: Vec<Vec<f64>> = (0..WIDTH).map(|_| Vec::with_capacity(m)).collect();
        for row in values[after * stride..].chunks_exact(stride) {
            columns.iter_mut().zip(&row[first..after]).for_each(|(column, &value)| column.push(value));
        }
        let mut taus = [0.0; WIDTH];
        for (at, tau) in taus.iter_mut().enumerate().take(m) {
            let (done, rest) = columns.split_at_mut(at + 1);
            let vector = &mut done[at][at..];
            *tau = reflect(vector);
            if *tau > 0.0 {
                rest.iter_mut().for_each(|column| vectorised!(mirror(vector, *tau, &mut column[at..])));
            }
        }
        let upper = (0..m.min(WIDTH)).flat_map(|row| (row..WIDTH).map(move |column| (row, column)));
        let upper = upper.map(|(row, column)| (row, column, columns[column][row])).collect();
        let vectors = Mat::from_fn(m, WIDTH, |row, column| match row.cmp(&column) {
            std::cmp::Ordering::Less => 0.0,
            std::cmp::Ordering::Equal => f64::from(u8::from(taus[column] > 0.0)),
            std::cmp::Ordering::Greater => columns[column][row],
        });
        let dots = product(vectors.transpose(), vectors.as_ref());
        let mut factor = Mat::zeros(WIDTH, WIDTH);
        for column in 0..WIDTH {
            for row in 0..column {
                let sum: f64 = (row..column).map(|k| factor[(row, k)] * dots[(k, column)]).sum();
                factor[(row, column)] = -taus[column] * sum;
            }
            factor[(column, column)] = taus[column];
        }
        Reflections { after, vectors, factor, upper }
    }

    /// As [`Panel::reduce_rest`].
    fn reduce_rest(&self, values: &mut [f64], stride: usize) {
        let (after, m, v) = (self.after, self.vectors.nrows(), self.vectors.as_ref());
        let size = after + m;
        let blocks: Vec<_> = (after / ROWS..size.div_ceil(ROWS))
            .map(|block| after.max(block * ROWS) - after..size.min((block + 1) * ROWS) - after)
            .collect();
        let whole = MatRef::from_row_major_slice(&*values, size, stride).submatrix(after, after, m, m);
        let parts: Vec<Mat<f64>> = blocks
            .par_iter()
            .map(|block| {
                // Rows of the matrix up to the diagonal, and the same numbers as columns below it.
                let (start, count, below) = (block.start, block.len(), m - block.end);
                let mut part = product(whole.submatrix(start, 0, count, block.end), v.subrows(0, block.end));
                let turned = whole.submatrix(block.end, start, below, count).transpose();
                matmul(part.as_mut(), Accum::Add, turned, v.subrows(block.end, below), 1.0, Par::Seq);
                part
            })
            .collect();
        let mut along = Mat::zeros(m, WIDTH);
        for (block, part) in blocks.iter().zip(&parts) {
            along.as_mut().subrows_mut(block.start, block.len()).copy_from(part);
        }
        let mut x = product(along.as_ref(), self.factor.as_ref());
        let inside = product(self.factor.transpose(), product(v.transpose(), x.as_ref()).as_ref());
        matmul(x.as_mut(), Accum::Add, v, inside.as_ref(), -0.5, Par::Seq);
        let pair = |first: MatRef<'_, f64>, second: MatRef<'_, f64>| {
            Mat::from_fn(m, 2 * WIDTH, |row, column| match column < WIDTH {
                true => first[(row, column)],
                false => second[(row, column - WIDTH)],
            })
        };
        let (left, right) = (pair(v, x.as_ref()), pair(x.as_ref(), v));
        let chunks = values.par_chunks_mut(ROWS * stride).skip(after / ROWS);
        chunks.zip(&blocks).for_each(|(chunk, block)| {
            let rows = chunk.len() / stride;
            let chunk = MatMut::from_row_major_slice_mut(chunk, rows, stride);
            let rest = chunk.submatrix_mut(rows - block.len(), after, block.len(), block.end);
            let others = right.as_ref().subrows(0, block.end).transpose();
            let own = left.as_ref().subrows(block.start, block.len());
            matmul(rest, Accum::Add, own, others, -1.0, Par::Seq);
        });
    }
}

fn product(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> Mat<f64> {
    let mut out = Mat::zeros(a.nrows(), b.ncols());
    matmul(out.as_mut(), Accum::Replace, a, b, 1.0, Par::Seq);
    out
}

/// Turns a column into its first entry after the reflection and the vector without its leading 1; returns τ, 0 for none.
fn reflect(column: &mut [f64]) -> f64 {
    let below: f64 = column[1..].iter().map(|value| value * value).sum();
    if below == 0.0 {
        return 0.0;
    }
    let left = -(column[0] * column[0] + below).sqrt().copysign(column[0]);
    let first = column[0] - left;
    column[1..].iter_mut().for_each(|value| *value /= first);
    column[0] = left;
    2.0 / (1.0 + below / (first * first))
}

/// `column ← column − τ·v·(vᵀ·column)`, the first of v being 1.
#[inline(always)]
fn mirror(vector: &[f64], tau: f64, column: &mut [f64]) {
    const LANES: usize = 16;
    let mut lanes = [0.0; LANES];
    let (groups, rest) = vector[1..].as_chunks::<LANES>();
    let (others, tail) = column[1..].as_chunks::<LANES>();
    for (group, other) in groups.iter().zip(others) {
        (0..LANES).for_each(|at| lanes[at] += group[at] * other[at]);
    }
    let rest: f64 = rest.iter().zip(tail).map(|(left, right)| left * right).sum();
    let scale = tau * (column[0] + lanes.iter().sum::<f64>() + rest);
    column[0] -= scale;
    column[1..].iter_mut().zip(&vector[1..]).for_each(|(column, vector)| *column -= scale * vector);
}
