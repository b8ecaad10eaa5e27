//! A summary of Shapley values: a swarm of points for each feature.

use super::colour::{class_colour, value_colour};
use super::figure::{Figure, Swatch};
use super::layer::Layer;
use crate::array::Matrix;
use crate::error::{Error, Result};

/// Places along a row in which points stand above each other.
const PLACES: f64 = 120.0;
/// How far a row's points reach from its middle, where rows are 1 apart.
const REACH: f64 = 0.4;
/// Height of a row and of what surrounds them, in pixels.
const ROW: u32 = 34;
const AROUND: u32 = 90;
/// The least height: that of the legend.
const LEAST: u32 = 200;
/// The colour of categories: the green of the third class, between blue and vermilion.
const CATEGORIES: usize = 2;
/// The shares of a feature's values at which its colours end, so that outliers do not take them all.
const ENDS: [f64; 2] = [0.05, 0.95];

/// Shapley values as a swarm: one row a feature, the features that move predictions most on top, at most `most` of them;
/// a point for each of the n rows, placed by its Shapley value and coloured by the value of the feature.
///
/// `values` and `x` are n×d; the names are those of `x`. Missing values of `x` are grey, and categories of categorical
/// columns, which are neither high nor low, are all of one colour.
///
/// ```
/// use gristmill::prelude::*;
/// use gristmill::plot;
/// let x = Matrix::from_rows(&[[1.0, 5.0], [2.0, 4.0], [3.0, 9.0]])?.with_names(["age", "height"])?;
/// let values = Matrix::from_rows(&[[-0.5, 0.1], [0.0, 0.0], [0.5, -0.1]])?;
/// let svg = plot::shapley_summary(&values, &x, 20)?.to_svg();
/// assert!(svg.find(">age<") < svg.find(">height<") && svg.contains("Shapley value"));
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn shapley_summary(values: &Matrix, x: &Matrix, most: usize) -> Result<Figure> {
    let (rows, columns) = (x.rows(), x.columns());
    if (values.rows(), values.columns()) != (rows, columns) || rows == 0 || columns == 0 {
        let expected = format!("Shapley values of {rows}×{columns}, as the rows, at least one of each");
        let got = format!("{}×{}", values.rows(), values.columns());
        return Err(Error::shape("plot::shapley_summary", expected, got));
    }
    let size = |column: usize| (0..rows).map(|row| f64::from(values.get(row, column).abs())).sum::<f64>();
    let mut order: Vec<(usize, f64)> = (0..columns).map(|column| (column, size(column))).collect();
    order.sort_by(|one, other| other.1.total_cmp(&one.1));
    order.truncate(most.max(1));
    let name = |column: usize| x.names().map_or_else(|| format!("x{column}"), |names| names[column].clone());
    let names: Vec<String> = order.iter().map(|(column, _)| name(*column)).collect();
    let shown = values.as_slice().iter().map(|value| f64::from(*value)).filter(|value| value.is_finite());
    let (low, high) = shown.fold((0.0, 0.0), |(low, high): (f64, f64), value| (low.min(value), high.max(value)));
    let step = ((high - low) / PLACES).max(f64::MIN_POSITIVE);
    let height = (ROW * order.len().min(400) as u32 + AROUND).max(LEAST);
    let mut figure = Figure::new().size(620, height)?;
    figure = figure.title("Shapley values").x_label("Shapley value: what the feature adds to the prediction");
    figure = figure.dashed("", [(0.0, -0.5), (0.0, order.len() as f64 - 0.5)]);
    figure.y_names = Some(names);
    figure = figure.y_range(-0.5, order.len() as f64 - 0.5)?;
    for (line, (column, _)) in order.iter().enumerate() {
        let along: Vec<f64> = (0..rows).map(|row| f64::from(values.get(row, *column))).collect();
        let points = along.iter().copied().zip(swarm(&along, low, step).into_iter().map(|beside| line as f64 + beside));
        let categories = x.is_categorical(*column);
        let colour =
            |share: f64| if categories && !share.is_nan() { class_colour(CATEGORIES) } else { value_colour(share) };
        let colours = shares(x, *column).into_iter().map(colour).collect();
        figure.layers.push(Layer::Coloured { points: points.collect(), colours });
    }
    let shown = || order.iter().map(|(column, _)| *column);
    let missing = shown().any(|column| (0..rows).any(|row| x.get(row, column).is_nan()));
    let (categories, numbers) =
        (shown().any(|column| x.is_categorical(column)), !shown().all(|column| x.is_categorical(column)));
    let entries = [
        (numbers, "high value", value_colour(1.0)),
        (numbers, "middle", value_colour(0.5)),
        (numbers, "low value", value_colour(0.0)),
        (categories, "a category", class_colour(CATEGORIES)),
        (missing, "missing", value_colour(f64::NAN)),
    ];
    for (_, name, colour) in entries.into_iter().filter(|(there, _, _)| *there) {
        figure.entries.push((name.to_string(), Swatch::Area(colour)));
    }
    Ok(figure)
}

/// How far each point stands beside its line: points of one place above and below in turn, the fullest place filling the
/// row.
fn swarm(along: &[f64], low: f64, step: f64) -> Vec<f64> {
    let place = |value: f64| if value.is_finite() { ((value - low) / step) as usize } else { 0 };
    let mut counts = vec![0_usize; PLACES as usize + 2];
    let last = counts.len() - 1;
    let turns: Vec<usize> = along
        .iter()
        .map(|value| {
            let count = &mut counts[place(*value).min(last)];
            *count += 1;
            *count - 1
        })
        .collect();
    let fullest = counts.into_iter().max().unwrap_or(1).max(8) as f64;
    let beside = |turn: usize| {
        let (side, distance) = (if turn.is_multiple_of(2) { 1.0 } else { -1.0 }, turn.div_ceil(2) as f64);
        side * distance / (fullest / 2.0).ceil() * REACH
    };
    turns.into_iter().map(beside).collect()
}

/// Where each value of a column lies between its ends, from 0 to 1; NaN where it is missing.
fn shares(x: &Matrix, column: usize) -> Vec<f64> {
    let values: Vec<f64> = (0..x.rows()).map(|row| f64::from(x.get(row, column))).collect();
    let mut sorted: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let at = |share: f64| sorted.get((share * sorted.len().saturating_sub(1) as f64).round() as usize).copied();
    let (Some(low), Some(high)) = (at(ENDS[0]), at(ENDS[1])) else { return vec![f64::NAN; values.len()] };
    let share = |value: f64| if high > low { ((value - low) / (high - low)).clamp(0.0, 1.0) } else { 0.5 };
    values.into_iter().map(|value| if value.is_finite() { share(value) } else { f64::NAN }).collect()
}
