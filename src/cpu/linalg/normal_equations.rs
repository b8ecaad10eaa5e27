//! What least squares needs of the rows, in one pass: means, and the products of the centred columns.

use rayon::prelude::*;

use super::syrk::Table;
use crate::cpu::reduce::sum::sum;

/// Rows from which the shift is estimated.
const SAMPLE: usize = 1024;

/// What [`normal_equations`] finds.
#[derive(Clone, Debug, PartialEq)]
pub struct NormalEquations {
    /// `Σ w`; the number of rows without weights.
    pub weight: f64,
    /// The mean of each column of X, `Σ w·x / Σ w`; zeros where nothing is centred.
    pub x_mean: Vec<f64>,
    /// The mean of each column of Y; zeros where nothing is centred.
    pub y_mean: Vec<f64>,
    /// `Σ w·(x − x_mean)·(x − x_mean)ᵀ`, d×d, symmetric.
    pub xx: Vec<f64>,
    /// `Σ w·(x − x_mean)·(y − y_mean)ᵀ`, d×p, row by row.
    pub xy: Vec<f64>,
}

/// The products of the columns of `x`, `rows×columns`, with each other and with those of `y`, `rows×outputs`; about their
/// means if `centred`.
///
/// One pass, about half of `rows·(columns + outputs)²` multiply-adds. Rows are taken relative to a shift near the mean,
/// estimated from a sample, and the exact mean comes out of the same pass: `Σ(x−m)(x−m)ᵀ = Σ(x−s)(x−s)ᵀ − n(m−s)(m−s)ᵀ`
/// loses nothing while `m − s` is below the deviation. Where the sample misled, a second pass is about the mean itself.
/// Within `552·2⁻²⁴·Σ|terms|` of the exact sums, and the means within `276·2⁻²⁴` of the mean deviation from the shift.
pub fn normal_equations(
    (x, rows, columns): (&[f32], usize, usize),
    (y, outputs): (&[f32], usize),
    weights: Option<&[f32]>,
    centred: bool,
) -> NormalEquations {
    debug_assert!(x.len() == rows * columns && y.len() == rows * outputs);
    debug_assert!(weights.is_none_or(|weights| weights.len() == rows));
    let weight = weights.map_or(rows as f64, sum);
    let (mut center, mut y_center) = (vec![0.0; columns], vec![0.0; outputs]);
    if centred && weight > 0.0 {
        (center, y_center) = (sample_mean(x, rows, columns), sample_mean(y, rows, outputs));
    }
    let pass = |center: &[f32], y_center: &[f32]| {
        let table = Table { x, columns, center, weights, y, y_center, ones: centred };
        let mut sums = vec![0.0; table.width() * table.width()];
        table.scatter(rows, &mut sums);
        Shifted { weight, center: center.to_vec(), y_center: y_center.to_vec(), sums }
    };
    let first = pass(&center, &y_center);
    if !centred || weight <= 0.0 {
        return first.about(&vec![0.0; columns + outputs]);
    }
    let offset = first.offset();
    if !first.far_off(&offset) {
        return first.about(&offset);
    }
    let near = |center: &[f32], offset: &[f64]| -> Vec<f32> {
        center.iter().zip(offset).map(|(center, offset)| (f64::from(*center) + offset) as f32).collect()
    };
    let second = pass(&near(&center, &offset), &near(&y_center, &offset[columns..]));
    let offset = second.offset();
    second.about(&offset)
}

/// The mean of rows evenly apart; the weights do not matter for a shift.
fn sample_mean(x: &[f32], rows: usize, columns: usize) -> Vec<f32> {
    let step = rows.div_ceil(SAMPLE).max(1);
    let mut sums = vec![0.0_f64; columns];
    let chosen = (0..rows).step_by(step);
    let count = chosen.len().max(1) as f64;
    for row in chosen {
        let values = &x[row * columns..(row + 1) * columns];
        sums.iter_mut().zip(values).for_each(|(sum, &value)| *sum += f64::from(value));
    }
    sums.into_iter().map(|sum| (sum / count) as f32).collect()
}

/// The products of `[x − center | y − y_center | 1]`, the ones only where the mean is wanted.
struct Shifted {
    weight: f64,
    center: Vec<f32>,
    y_center: Vec<f32>,
    sums: Vec<f64>,
}

impl Shifted {
    fn size(&self) -> usize {
        self.center.len() + self.y_center.len()
    }

    /// How far the mean of each column of x and y is from its shift.
    fn offset(&self) -> Vec<f64> {
        let size = self.size();
        self.sums[size * (size + 1)..][..size].iter().map(|sum| sum / self.weight).collect()
    }

    /// Whether a mean is farther from the shift than the deviation: then the difference of squares costs digits.
    fn far_off(&self, offset: &[f64]) -> bool {
        let stride = self.size() + 1;
        let square = |at: usize| self.sums[at * stride + at];
        offset.iter().enumerate().any(|(at, offset)| 2.0 * self.weight * offset * offset > square(at))
    }

    /// The products about the means, which are `offset` from the shift.
    fn about(&self, offset: &[f64]) -> NormalEquations {
        let (columns, outputs) = (self.center.len(), self.y_center.len());
        let stride = self.sums.len().isqrt();
        // Row by row on all cores: a wide table has millions of products.
        let part = |width: usize, first: usize| -> Vec<f64> {
            let mut out = vec![0.0; columns * width];
            out.par_chunks_mut(width.max(1)).enumerate().for_each(|(i, out)| {
                let sums = &self.sums[i * stride + first..][..width];
                for ((out, sum), offset_j) in out.iter_mut().zip(sums).zip(&offset[first..]) {
                    *out = sum - self.weight * offset[i] * offset_j;
                }
            });
            out
        };
        let mean = |center: &[f32], offset: &[f64]| -> Vec<f64> {
            center.iter().zip(offset).map(|(center, offset)| f64::from(*center) + offset).collect()
        };
        NormalEquations {
            weight: self.weight,
            x_mean: mean(&self.center, offset),
            y_mean: mean(&self.y_center, &offset[columns..]),
            xx: part(columns, 0),
            xy: part(outputs, columns),
        }
    }
}
