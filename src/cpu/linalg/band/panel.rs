//! A few columns reduced: reflections I − V·T·Vᵀ that leave an upper triangle of them.

use super::{Dot, Entry, Operand, ROWS, WIDTH, product};
use crate::cpu::vectorised;

/// The product of up to WIDTH reflections of the rows after a block of columns.
#[derive(Debug)]
pub(super) struct Panel {
    /// The first row that they act on.
    pub(super) after: usize,
    /// V, m×WIDTH by rows: column j is 0 above row j and 1 there.
    pub(super) vectors: Vec<f32>,
    /// T, WIDTH×WIDTH, an upper triangle.
    pub(super) factor: Vec<f32>,
}

impl Panel {
    /// Reduces what lies below the diagonal block of the columns from `first` on, and returns the triangle that is left of them.
    pub(super) fn factor(values: &[f32], size: usize, first: usize) -> (Panel, Vec<Entry>) {
        let after = first + WIDTH;
        let m = size - after;
        // By columns, so that each reflection runs along the memory.
        let mut columns = vec![0.0_f32; WIDTH * m];
        for (at, row) in values[after * size..].chunks_exact(size).enumerate() {
            for (column, &value) in row[first..after].iter().enumerate() {
                columns[column * m + at] = value;
            }
        }
        let mut taus = [0.0_f64; WIDTH];
        for (at, tau) in taus.iter_mut().enumerate().take(m) {
            let (done, rest) = columns.split_at_mut((at + 1) * m);
            *tau = reflect(&mut done[at * m + at..]);
            let vector = &done[at * m + at..];
            if *tau > 0.0 {
                let tau = *tau as f32;
                rest.chunks_exact_mut(m).for_each(|column| vectorised!(mirror(vector, tau, &mut column[at..])));
            }
        }
        let (mut vectors, mut upper) = (vec![0.0; m * WIDTH], vec![]);
        for (column, values) in columns.chunks_exact(m).enumerate() {
            for (row, &value) in values.iter().enumerate() {
                match row.cmp(&column) {
                    std::cmp::Ordering::Less => upper.push((row, column, f64::from(value))),
                    // The first of a reflection's vector is 1, so the triangle's entry stands there.
                    std::cmp::Ordering::Equal => {
                        upper.push((row, column, f64::from(value)));
                        vectors[row * WIDTH + column] = if taus[column] > 0.0 { 1.0 } else { 0.0 };
                    }
                    std::cmp::Ordering::Greater => vectors[row * WIDTH + column] = value,
                }
            }
        }
        let factor = join(&vectors, &taus);
        (Panel { after, vectors, factor }, upper)
    }

    /// Reflections by rounded vectors: as orthogonal as f32 has them.
    pub(super) fn rounded(after: usize, vectors: Vec<f32>) -> Panel {
        let mut squares = [0.0_f64; WIDTH];
        for row in vectors.chunks_exact(WIDTH) {
            squares.iter_mut().zip(row).for_each(|(sum, &value)| *sum += f64::from(value).powi(2));
        }
        let taus = squares.map(|square| if square > 0.0 { 2.0 / square } else { 0.0 });
        let factor = join(&vectors, &taus);
        Panel { after, vectors, factor }
    }

    /// Rows that the reflections act on, m.
    pub(super) fn rows(&self) -> usize {
        self.vectors.len() / WIDTH
    }

    /// The rest of the matrix between the reflections: with X = A·V·T and Y = X − V·Tᵀ·Vᵀ·X/2 it becomes A − V·Yᵀ − Y·Vᵀ.
    pub(super) fn reduce_rest(&self, values: &mut [f32], size: usize) {
        let (m, after) = (self.rows(), self.after);
        let mut product_of_vectors = vec![0.0; m * WIDTH];
        for block in blocks(after, size) {
            // Rows of the matrix up to the diagonal, and the same numbers as columns above it.
            let (start, end) = (block.start - after, block.end - after);
            let part = &values[block.start * size + after..];
            let left = Operand { data: part, rows: end - start, depth: end, row_stride: size, depth_stride: 1 };
            let right = columns(&self.vectors[..end * WIDTH]);
            product(Dot, left, right, 1.0, 0.0, &mut product_of_vectors[start * WIDTH..], WIDTH);
            if start > 0 {
                let left = Operand { data: part, rows: start, depth: end - start, row_stride: 1, depth_stride: size };
                let right = columns(&self.vectors[start * WIDTH..end * WIDTH]);
                product(Dot, left, right, 1.0, 1.0, &mut product_of_vectors, WIDTH);
            }
        }
        let mut x = vec![0.0; m * WIDTH];
        product(Dot, rows(&product_of_vectors), columns(&self.factor), 1.0, 0.0, &mut x, WIDTH);
        let mut inside = vec![0.0; WIDTH * WIDTH];
        product(Dot, columns(&self.vectors), columns(&x), 1.0, 0.0, &mut inside, WIDTH);
        let mut turned = vec![0.0; WIDTH * WIDTH];
        product(Dot, columns(&self.factor), columns(&inside), 1.0, 0.0, &mut turned, WIDTH);
        product(Dot, rows(&self.vectors), columns(&turned), -0.5, 1.0, &mut x, WIDTH);
        let pair = |first: &[f32], second: &[f32]| -> Vec<f32> {
            let both = first.chunks_exact(WIDTH).zip(second.chunks_exact(WIDTH));
            both.flat_map(|(first, second)| first.iter().chain(second).copied()).collect()
        };
        let (left, right) = (pair(&self.vectors, &x), pair(&x, &self.vectors));
        for block in blocks(after, size) {
            let (start, end) = (block.start - after, block.end - after);
            let own = Operand::from_rows(&left[start * 2 * WIDTH..end * 2 * WIDTH], end - start, 2 * WIDTH);
            let others = Operand::from_rows(&right[..end * 2 * WIDTH], end, 2 * WIDTH);
            product(Dot, own, others, -1.0, 1.0, &mut values[block.start * size + after..], size);
        }
    }

    /// `x ← (I − V·T·Vᵀ)·x`, or with the transpose of T.
    pub(super) fn apply(&self, x: &mut [f64], transposed: bool) {
        let x = &mut x[self.after..];
        let mut along = [0.0_f64; WIDTH];
        for (row, &x) in self.vectors.as_chunks::<WIDTH>().0.iter().zip(x.iter()) {
            along.iter_mut().zip(row).for_each(|(along, &value)| *along += f64::from(value) * x);
        }
        let mut turned = [0.0_f64; WIDTH];
        for (row, turned) in turned.iter_mut().enumerate() {
            let entry = |column: usize| match transposed {
                true => self.factor[column * WIDTH + row],
                false => self.factor[row * WIDTH + column],
            };
            *turned = (0..WIDTH).map(|column| f64::from(entry(column)) * along[column]).sum();
        }
        for (row, x) in self.vectors.as_chunks::<WIDTH>().0.iter().zip(x.iter_mut()) {
            let mut lanes = [0.0_f64; 8];
            for (at, (&value, turned)) in row.iter().zip(&turned).enumerate() {
                lanes[at % 8] += f64::from(value) * turned;
            }
            *x -= lanes.iter().sum::<f64>();
        }
    }
}

/// The rows of a matrix of WIDTH columns.
pub(super) fn rows(values: &[f32]) -> Operand<'_> {
    Operand::from_rows(values, values.len() / WIDTH, WIDTH)
}

/// The columns of a matrix of WIDTH columns.
pub(super) fn columns(values: &[f32]) -> Operand<'_> {
    Operand::from_columns(values, values.len() / WIDTH, WIDTH)
}

/// Blocks of the rows after `after`, cut at the same places whatever that is.
fn blocks(after: usize, size: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
    (after / ROWS..size.div_ceil(ROWS)).map(move |block| after.max(block * ROWS)..size.min((block + 1) * ROWS))
}

/// Turns a column into what a reflection leaves of it, its first entry, followed by the reflection's vector without its leading
/// 1; returns τ of I − τ·v·vᵀ, 0 if there is nothing to reflect.
fn reflect(column: &mut [f32]) -> f64 {
    let squares = |values: &[f32]| values.iter().map(|&value| f64::from(value).powi(2)).sum::<f64>();
    let below = squares(&column[1..]);
    if below == 0.0 {
        return 0.0;
    }
    let first = f64::from(column[0]);
    let left = -(first * first + below).sqrt().copysign(first);
    let scale = (1.0 / (first - left)) as f32;
    column[1..].iter_mut().for_each(|value| *value *= scale);
    column[0] = left as f32;
    // From the rounded vector: then the reflection is orthogonal to f64.
    2.0 / (1.0 + squares(&column[1..]))
}

/// `column ← column − τ·v·(vᵀ·column)`, the first of v being 1.
#[inline(always)]
fn mirror(vector: &[f32], tau: f32, column: &mut [f32]) {
    const LANES: usize = 64;
    let mut lanes = [0.0_f32; LANES];
    let (groups, rest) = vector[1..].as_chunks::<LANES>();
    let (others, tail) = column[1..].as_chunks::<LANES>();
    for (group, other) in groups.iter().zip(others) {
        for at in 0..LANES {
            lanes[at] += group[at] * other[at];
        }
    }
    let mut sum: f64 = lanes.iter().copied().map(f64::from).sum();
    sum += rest.iter().zip(tail).map(|(&left, &right)| f64::from(left) * f64::from(right)).sum::<f64>();
    let scale = tau * (sum + f64::from(column[0])) as f32;
    column[0] -= scale;
    column[1..].iter_mut().zip(&vector[1..]).for_each(|(column, vector)| *column -= scale * vector);
}

/// T with I − V·T·Vᵀ the product of the reflections, in their order.
fn join(vectors: &[f32], taus: &[f64; WIDTH]) -> Vec<f32> {
    let operand = columns(vectors);
    let mut dots = vec![0.0; WIDTH * WIDTH];
    product(Dot, operand, operand, 1.0, 0.0, &mut dots, WIDTH);
    let mut factor = [0.0_f64; WIDTH * WIDTH];
    for column in 0..WIDTH {
        for row in 0..column {
            let sum: f64 = (row..column).map(|k| factor[row * WIDTH + k] * f64::from(dots[k * WIDTH + column])).sum();
            factor[row * WIDTH + column] = -taus[column] * sum;
        }
        factor[column * WIDTH + column] = taus[column];
    }
    factor.iter().map(|&value| value as f32).collect()
}
