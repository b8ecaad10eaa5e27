//! Two classes in the plane, in shapes that a straight line does not part.

use std::f64::consts::{PI, TAU};

use super::generate::{Purpose, normals, random_order, uniforms, with_classes, zero_or_more};
use crate::data::Dataset;
use crate::error::{Error, Result};

/// Two half circles that reach into each other, n×2: the upper one is class 0. `noise` is the deviation of what is
/// added to each coordinate.
///
/// ```
/// let data = gristmill::datasets::moons(200, 0.1, 42)?;
/// assert_eq!((data.x.columns(), data.labels()?.counts()), (2, vec![100, 100]));
/// # Ok::<(), gristmill::Error>(())
/// ```
#[doc(alias = "make_moons")]
pub fn moons(n: usize, noise: f32, seed: u64) -> Result<Dataset> {
    curves(n, noise, seed, |class, at, count| {
        let angle = PI * at as f64 / (count.max(2) - 1) as f64;
        if class == 0 { (angle.cos(), angle.sin()) } else { (1.0 - angle.cos(), 0.5 - angle.sin()) }
    })
}

/// A circle of radius 1, class 0, and one of radius `factor` within it, n×2. `noise` is the deviation of what is added
/// to each coordinate.
///
/// ```
/// let data = gristmill::datasets::circles(100, 0.0, 0.5, 42)?;
/// let radius = |row: usize| data.x.row(row)[0].hypot(data.x.row(row)[1]);
/// let expected = |row: usize| if data.labels().unwrap().codes()[row] == 0 { 1.0 } else { 0.5 };
/// assert!((0..100).all(|row| (radius(row) - expected(row)).abs() < 1e-6));
/// # Ok::<(), gristmill::Error>(())
/// ```
#[doc(alias = "make_circles")]
pub fn circles(n: usize, noise: f32, factor: f32, seed: u64) -> Result<Dataset> {
    if !(0.0..1.0).contains(&factor) {
        return Err(Error::param("factor", "at least 0 and below 1", factor));
    }
    curves(n, noise, seed, |class, at, count| {
        let angle = TAU * at as f64 / count as f64;
        let radius = if class == 0 { 1.0 } else { factor as f64 };
        (radius * angle.cos(), radius * angle.sin())
    })
}

/// Points spread evenly over the unit square, n×2: class 1 where `0 < x1 < 0.8` and `0.2 < x2 < 0.8`, else class 0.
///
/// A rectangle with corners and without noise, so that a decision region can be compared with the true one.
///
/// ```
/// let data = gristmill::datasets::rectangle(50, 0)?;
/// let inside = |row: &[f32]| row[0] > 0.0 && row[0] < 0.8 && row[1] > 0.2 && row[1] < 0.8;
/// assert!((0..50).all(|row| inside(data.x.row(row)) == (data.labels().unwrap().codes()[row] == 1)));
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn rectangle(n: usize, seed: u64) -> Result<Dataset> {
    if n == 0 {
        return Err(Error::param("n", "at least 1", n));
    }
    let x = uniforms((n, 2), (0.0, 1.0), seed, Purpose::Rows)?;
    let inside = |row: usize| {
        let (x1, x2) = (x.get(row, 0), x.get(row, 1));
        x1 > 0.0 && x1 < 0.8 && x2 > 0.2 && x2 < 0.8
    };
    let codes = (0..n).map(|row| u32::from(inside(row))).collect();
    with_classes(x, codes, 2)
}

/// Points along one curve a class, in random order: `point(class, at, count)` is point `at` of the class's `count`.
fn curves(n: usize, noise: f32, seed: u64, point: impl Fn(u32, usize, usize) -> (f64, f64)) -> Result<Dataset> {
    zero_or_more("noise", noise)?;
    let order = random_order(n, seed)?;
    let first = n / 2;
    let mut x = normals(n, 2, seed, Purpose::Noise)?;
    let mut codes = Vec::with_capacity(n);
    for (row, place) in x.as_mut_slice().chunks_mut(2).zip(order) {
        let place = place as usize;
        let (class, at, count) = if place < first { (0, place, first) } else { (1, place - first, n - first) };
        let (x1, x2) = point(class, at, count);
        row[0] = (x1 + (noise * row[0]) as f64) as f32;
        row[1] = (x2 + (noise * row[1]) as f64) as f32;
        codes.push(class);
    }
    with_classes(x, codes, 2)
}
