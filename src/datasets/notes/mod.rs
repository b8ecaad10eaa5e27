//! The data of the lecture notes that the first chapters follow, drawn anew by seed: sizes, ranges, coefficients and noise
//! are those of the notes, the random numbers are the crate's.
//!
//! | data | rows×columns | what it is |
//! |---|---|---|
//! | [`rectangle`] | n×2 | evenly over the unit square; class 1 in (0, 0.8)×(0.2, 0.8), a share of 0.48 |
//! | [`quartic`] | 24×1 | −0.2x⁴ + 0.7x³ + 0.83x² − 1.5x + 5.23 on (−2, 2), noise 0.2 |
//! | [`sines`] | 48×1, twice | 0.7 sin x + 0.83 sin 2x − 1.5 sin 3x on (−8, 8), noise 0.3; to fit and to validate |
//! | [`line_with_outlier`] | 24×1 | y = x and a little more on (−8, 8), 20 added to the first |
//! | [`square_wave`] | 20×1 | −1, +1, −1, +1 on the quarters of (0, 1) |
//! | [`xor`], [`noisy_xor`] | 200×2 | corners of a square with noise 0.1, labelled after it; with noise 0.7, labelled before |
//! | [`two_moons`] | 100×2 | two half circles, noise 0.1 |
//! | [`bayesian_line`] | n×1 | −0.3 + 0.5x on (−1, 1), noise of variance 0.04 |
//! | [`wide`] | 50×45 | linear in 45 columns, noise 1: for ridge regression's bias and variance |
//! | [`mnist_100`] | 100×784, twice | the first hundred images over 256, and a hundred to validate, read from files |
//!
//! PlayTennis is [`play_tennis`](super::play_tennis).
//!
//! ```
//! use gristmill::datasets::notes;
//! let (train, validation) = notes::sines(0)?;
//! assert_eq!((train.rows(), validation.rows()), (48, 48));
//! // Close to the curve, up to the noise.
//! let x = train.x.get(0, 0);
//! assert!((train.values()?.get(0, 0) as f64 - notes::sines_at(x as f64)).abs() < 1.5);
//! # Ok::<(), gristmill::Error>(())
//! ```

mod mnist;

pub use super::shapes::rectangle;
pub use mnist::mnist_100;

use super::generate::{Purpose, at_least_one, finished, normals, uniforms, with_classes};
use super::moons;
use crate::array::Matrix;
use crate::data::{Dataset, Target};
use crate::error::Result;

/// The coefficients of [`quartic`], constant first.
pub const QUARTIC: [f64; 5] = [5.23, -1.5, 0.83, 0.7, -0.2];
/// The coefficients of [`sines`].
pub const SINES: [f64; 3] = [0.7, 0.83, -1.5];
/// Rows and columns of [`wide`].
pub const WIDE: (usize, usize) = (50, 45);

/// Seeds of second draws, such as the validation rows.
const SECOND: u64 = 0x9e37_79b9_7f4a_7c15;

/// The polynomial of [`quartic`].
pub fn quartic_at(x: f64) -> f64 {
    QUARTIC.iter().rev().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

/// 24 points of a polynomial of degree 4 with noise of deviation 0.2 (000 §2.2.1).
pub fn quartic(seed: u64) -> Result<Dataset> {
    curve(24, (-2.0, 2.0), 0.2, seed, quartic_at)
}

/// The curve of [`sines`].
pub fn sines_at(x: f64) -> f64 {
    SINES.iter().zip(1..).map(|(coefficient, term)| coefficient * (f64::from(term) * x).sin()).sum()
}

/// 48 points of three sines with noise of deviation 0.3, and 48 others to validate by (000 §2.2.2).
pub fn sines(seed: u64) -> Result<(Dataset, Dataset)> {
    let draw = |seed: u64| curve(48, (-8.0, 8.0), 0.3, seed, sines_at);
    Ok((draw(seed)?, draw(seed ^ SECOND)?))
}

/// 24 points of y = x plus up to 0.1, with 20 added to the first: squares follow it, absolute errors do not (000 §2.4).
pub fn line_with_outlier(seed: u64) -> Result<Dataset> {
    let x = uniforms((24, 1), (-8.0, 8.0), seed, Purpose::Rows)?;
    let mut y = uniforms((24, 1), (0.0, 0.1), seed, Purpose::Noise)?;
    y.as_mut_slice().iter_mut().zip(x.as_slice()).for_each(|(y, x)| *y += x);
    y.as_mut_slice()[0] += 20.0;
    finished(x, Target::Numbers(y.with_names(["y"])?))
}

/// The curve of [`square_wave`]: −1, +1, −1, +1 on the quarters of (0, 1), with the branch that the notes left out.
pub fn square_wave_at(x: f64) -> f64 {
    if (x > 0.25 && x <= 0.5) || x > 0.75 { 1.0 } else { -1.0 }
}

/// 20 points on (0, 1) of a square wave without noise, classes −1 and +1 as codes 0 and 1 (000 §3.3.9).
pub fn square_wave(seed: u64) -> Result<Dataset> {
    let x = uniforms((20, 1), (0.0, 1.0), seed, Purpose::Rows)?;
    let codes = x.as_slice().iter().map(|x| u32::from(square_wave_at(f64::from(*x)) > 0.0)).collect();
    with_classes(x, codes, 2)
}

/// `n` points around the corners of a square with noise of deviation 0.1: class 1 where the product of the coordinates is
/// positive after the noise (000 §5.2; the notes use 200).
pub fn xor(n: usize, seed: u64) -> Result<Dataset> {
    corners(n, 0.1, true, seed)
}

/// The same with noise of deviation 0.7, labelled before it, so that classes overlap; to fit and to test (000 §5.5).
pub fn noisy_xor(n: usize, seed: u64) -> Result<(Dataset, Dataset)> {
    Ok((corners(n, 0.7, false, seed)?, corners(n, 0.7, false, seed ^ SECOND)?))
}

/// 100 points of two half moons with noise of deviation 0.1 (000 §6.1).
pub fn two_moons(seed: u64) -> Result<Dataset> {
    moons(100, 0.1, seed)
}

/// `n` points of −0.3 + 0.5x on (−1, 1) with noise of variance 0.04 (003 §1.4).
pub fn bayesian_line(n: usize, seed: u64) -> Result<Dataset> {
    curve(n, (-1.0, 1.0), 0.2, seed, |x| -0.3 + 0.5 * x)
}

/// The noiseless target of a row of [`wide`]: 45 coefficients that fall off as 1/√j with changing signs, always the same.
pub fn wide_at(row: &[f32]) -> f64 {
    let coefficient = |at: usize| if at.is_multiple_of(2) { 1.0 } else { -1.0 } / (at as f64 + 1.0).sqrt();
    row.iter().enumerate().map(|(at, value)| coefficient(at) * f64::from(*value)).sum()
}

/// 50 rows of 45 standard normal columns, linear in all of them, with noise of deviation 1: nearly as many columns as
/// rows, so that least squares has a large variance and a penalty helps (003 §3.3.3).
pub fn wide(seed: u64) -> Result<Dataset> {
    let x = normals(WIDE.0, WIDE.1, seed, Purpose::Rows)?;
    let mut y = normals(WIDE.0, 1, seed, Purpose::Noise)?;
    for (row, value) in y.as_mut_slice().iter_mut().enumerate() {
        *value = (f64::from(*value) + wide_at(x.row(row))) as f32;
    }
    finished(x, Target::Numbers(y.with_names(["y"])?))
}

/// Points evenly over a range with a curve's value and normal noise.
fn curve(n: usize, range: (f32, f32), noise: f64, seed: u64, value: impl Fn(f64) -> f64) -> Result<Dataset> {
    at_least_one("n", n)?;
    let x = uniforms((n, 1), range, seed, Purpose::Rows)?;
    let mut y = normals(n, 1, seed, Purpose::Noise)?;
    for (own, x) in y.as_mut_slice().iter_mut().zip(x.as_slice()) {
        *own = (value(f64::from(*x)) + noise * f64::from(*own)) as f32;
    }
    finished(x, Target::Numbers(y.with_names(["y"])?))
}

/// Points around the corners of a square, labelled by the sign of the product of their coordinates.
fn corners(n: usize, noise: f32, after_noise: bool, seed: u64) -> Result<Dataset> {
    at_least_one("n", n)?;
    let mut x: Matrix = normals(n, 2, seed, Purpose::Rows)?;
    let shifts = normals(n, 2, seed, Purpose::Noise)?;
    let mut codes = Vec::with_capacity(n);
    for (point, shift) in x.as_mut_slice().chunks_mut(2).zip(shifts.as_slice().chunks(2)) {
        let corner = [point[0].signum(), point[1].signum()];
        (point[0], point[1]) = (corner[0] + noise * shift[0], corner[1] + noise * shift[1]);
        let labelled = if after_noise { [point[0], point[1]] } else { corner };
        codes.push(u32::from(labelled[0] * labelled[1] > 0.0));
    }
    with_classes(x, codes, 2)
}
