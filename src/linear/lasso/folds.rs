//! The error of every penalty by leaving folds of rows out.

use std::ops::Range;

use super::path::{Grid, LassoPath};
use super::prepare::{Prepared, Settings, by_products, squares_about};
use crate::array::Matrix;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::estimator::{Fit, Reporter, Rows, Targets};
use crate::linear::host_rows::HostRows;
use crate::linear::predict::Linear;
use crate::ops::{self, NormalEquations};

/// What leaving folds out found.
pub(super) struct Chosen {
    pub(super) alphas: Vec<f64>,
    /// The mean squared error of each penalty, over the folds.
    pub(super) errors: Vec<f64>,
    /// The penalty of the least error.
    pub(super) best: usize,
    pub(super) prepared: Prepared,
}

/// The rows of a fold: neighbours, the first folds longer by one where it does not come out even.
fn fold(rows: usize, folds: usize, at: usize) -> Range<usize> {
    let first = |at: usize| at * (rows / folds) + at.min(rows % folds);
    first(at)..first(at + 1)
}

/// Products of some rows, mergeable with those of others.
struct Part {
    products: NormalEquations,
    squares: Vec<f64>,
}

impl Part {
    /// The products of both: about the common mean the difference of the means comes in (Chan and others, 1983).
    fn merged(&self, other: &Part) -> Part {
        let (a, b) = (&self.products, &other.products);
        let (d, p) = (a.x_mean.len(), a.y_mean.len());
        let weight = a.weight + b.weight;
        let (share, both) = (b.weight / weight, a.weight * b.weight / weight);
        let apart = |a: &[f64], b: &[f64]| -> Vec<f64> { b.iter().zip(a).map(|(b, a)| b - a).collect() };
        let (x, y) = (apart(&a.x_mean, &b.x_mean), apart(&a.y_mean, &b.y_mean));
        let between = |a: &[f64], apart: &[f64]| a.iter().zip(apart).map(|(a, apart)| a + share * apart).collect();
        let sum = |a: &[f64], b: &[f64], left: &[f64], right: &[f64], width: usize| -> Vec<f64> {
            let pairs = a.iter().zip(b).enumerate();
            pairs.map(|(at, (a, b))| a + b + both * left[at / width] * right[at % width]).collect()
        };
        let squares = (0..p).map(|at| self.squares[at] + other.squares[at] + both * y[at] * y[at]).collect();
        let products = NormalEquations {
            weight,
            x_mean: between(&a.x_mean, &x),
            y_mean: between(&a.y_mean, &y),
            xx: sum(&a.xx, &b.xx, &x, &x, d),
            xy: sum(&a.xy, &b.xy, &x, &y, p),
        };
        Part { products, squares }
    }

    fn of_all<'a>(parts: impl Iterator<Item = &'a Part>) -> Option<Part> {
        parts.fold(None, |sum: Option<Part>, part| {
            Some(match sum {
                None => Part { products: part.products.clone(), squares: part.squares.clone() },
                Some(sum) => sum.merged(part),
            })
        })
    }
}

/// Fits the path without each fold and measures it there. Where the products of the columns are used, each row is in one
/// product only: those of all folds but one are the sum of their own.
pub(super) fn choose(
    op: &'static str,
    (x, y): (Rows<'_>, Targets<'_>),
    settings: &Settings,
    grid: &Grid<'_>,
    folds: usize,
    options: &Fit<'_>,
    reporter: &mut Reporter<'_>,
) -> Result<Chosen> {
    let n = x.rows();
    if n < folds {
        return Err(Error::shape(op, format!("at least {folds} rows, one for each fold"), n));
    }
    let weights = options.weights(op, n)?;
    let y = y.complete(op, n)?;
    let host = HostRows::new(op, x)?;
    let part_of =
        |rows: &[usize]| -> Option<Vec<f32>> { weights.map(|weights| rows.iter().map(|&row| weights[row]).collect()) };
    let dense = match x {
        Rows::Sparse(_) => false,
        x => by_products(&*x.complete(op)?, true),
    };
    let device = x.device();
    let mut parts = None;
    if dense && let HostRows::Dense(all) = &host {
        parts = fold_products(all, &y, weights, settings, folds, &device)?;
    }
    let prepared = match parts.as_ref().and_then(|parts| Part::of_all(parts.iter())) {
        Some(Part { products, squares }) => Prepared::of_products(products, squares, &device)?,
        None => Prepared::new(op, x, Targets::Many(&y), (settings.fit_intercept, true), options)?,
    };
    let alphas = grid.alphas(&prepared, settings)?;
    let (mut errors, mut total) = (vec![0.0; alphas.len()], 0.0);
    for at in 0..folds {
        let range = fold(n, folds, at);
        let test: Vec<usize> = range.clone().collect();
        let train: Vec<usize> = (0..n).filter(|row| !range.contains(row)).collect();
        let own = part_of(&test);
        let weight = own.as_ref().map_or(test.len() as f64, |own| own.iter().copied().map(f64::from).sum());
        if weight == 0.0 {
            continue;
        }
        let others = parts.as_ref().and_then(|parts| {
            Part::of_all(parts.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, part)| part))
        });
        let fitted = match others {
            Some(Part { products, squares }) => Prepared::of_products(products, squares, &device)?,
            None => {
                let train_weights = part_of(&train);
                let options =
                    train_weights.as_deref().map_or_else(Fit::default, |own| Fit::default().sample_weight(own));
                let train_y = y.select(&train)?;
                let shape = (settings.fit_intercept, true);
                match &host {
                    HostRows::Dense(x) => {
                        Prepared::new(op, Rows::Host(&x.select(&train)?), Targets::Many(&train_y), shape, &options)?
                    }
                    HostRows::Sparse(x) => {
                        Prepared::new(op, Rows::Sparse(&x.select(&train)?), Targets::Many(&train_y), shape, &options)?
                    }
                }
            }
        };
        let path = fitted.path(settings, &alphas, reporter)?;
        let test_y = y.select(&test)?;
        let found = match &host {
            HostRows::Sparse(x) => squared_errors(op, &path, Rows::Sparse(&x.select(&test)?), &test_y, own.as_deref())?,
            HostRows::Dense(x) => squared_errors(op, &path, Rows::Host(&x.select(&test)?), &test_y, own.as_deref())?,
        };
        // Each fold counts by its weight where there are weights, and else as much as the others.
        let share = if weights.is_some() { weight } else { 1.0 };
        errors.iter_mut().zip(found).for_each(|(sum, error)| *sum += share * error);
        total += share;
    }
    errors.iter_mut().for_each(|error| *error /= total);
    let best = (0..errors.len()).fold(0, |best, at| if errors[at] < errors[best] { at } else { best });
    Ok(Chosen { alphas, errors, best, prepared })
}

/// The products of each fold; nothing where they are beyond the range.
fn fold_products(
    x: &Matrix,
    y: &Matrix,
    weights: Option<&[f32]>,
    settings: &Settings,
    folds: usize,
    device: &Device,
) -> Result<Option<Vec<Part>>> {
    let mut parts = vec![];
    for at in 0..folds {
        let range = fold(x.rows(), folds, at);
        let rows: Vec<usize> = range.clone().collect();
        let own = weights.map(|weights| &weights[range]);
        let (x, y) = (x.select(&rows)?.to(device)?, y.select(&rows)?);
        match ops::normal_equations(&mut device.stream(), &x, &y, own, settings.fit_intercept) {
            Ok(products) if products.weight > 0.0 => {
                parts.push(Part { products, squares: squares_about(&y, own, settings.fit_intercept) });
            }
            Ok(_) | Err(Error::NotFinite { .. }) => return Ok(None),
            Err(error) => return Err(error),
        }
    }
    Ok(Some(parts))
}

/// The weighted mean squared error of each penalty, over rows and outputs.
fn squared_errors(
    op: &'static str,
    path: &LassoPath,
    x: Rows<'_>,
    y: &Matrix,
    weights: Option<&[f32]>,
) -> Result<Vec<f64>> {
    let p = y.columns();
    let planes = Linear::stacked(&path.planes)?;
    let predicted = planes.predict(op, x)?;
    let (mut errors, mut total) = (vec![0.0; path.planes.len()], 0.0);
    for row in 0..y.rows() {
        let weight = weights.map_or(1.0, |weights| f64::from(weights[row]));
        total += weight * p as f64;
        for (at, predicted) in predicted.row(row).chunks_exact(p).enumerate() {
            let squares = predicted.iter().zip(y.row(row)).map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2));
            errors[at] += weight * squares.sum::<f64>();
        }
    }
    Ok(errors.into_iter().map(|error| error / total).collect())
}
