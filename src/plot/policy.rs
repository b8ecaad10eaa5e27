//! Values and actions on a grid.

use super::colour::class_colour;
use super::figure::Figure;
use super::layer::Layer;
use super::scale::{drawable, short};
use crate::error::{Error, Result};

/// Pixels of a cell, at most; smaller ones where there are many.
const CELL: usize = 64;
const SMALL_CELL: usize = 14;
const SIDE: usize = 900;
/// Half the length of an arrow and the size of its head, in cells.
const HALF: f64 = 0.3;
const HEAD: f64 = 0.12;

/// Cells coloured by their value, the first row on top, with arrows over them: `moves[cell]` are the directions that are
/// drawn there, each (columns to the right, rows down). A value that is NaN, such as that of a wall, leaves its cell white.
///
/// ```
/// use gristmill::plot;
/// let moves = [vec![(1.0, 0.0)], vec![(1.0, 0.0), (0.0, 1.0)], vec![], vec![]];
/// let figure = plot::grid_policy(2, 2, &[0.8, 0.9, f64::NAN, 1.0], &moves)?;
/// assert!(figure.to_svg().contains(">0.8<"));
/// # Ok::<(), gristmill::Error>(())
/// ```
pub fn grid_policy(rows: usize, columns: usize, values: &[f64], moves: &[Vec<(f64, f64)>]) -> Result<Figure> {
    if rows.checked_mul(columns) != Some(values.len()) || values.is_empty() || moves.len() != values.len() {
        let expected = format!("{rows}×{columns} values and as many lists of moves");
        return Err(Error::shape("plot::grid_policy", expected, format!("{} and {}", values.len(), moves.len())));
    }
    let names = |count: usize| (0..count).map(|at| at.to_string()).collect::<Vec<String>>();
    let cell = (SIDE / rows.max(columns)).clamp(SMALL_CELL, CELL);
    let side = |count: usize, around: usize| (count * cell + around).clamp(240, 16_384) as u32;
    let seen = || values.iter().copied().filter(|value| drawable(*value));
    let (low, high) = (seen().fold(f64::INFINITY, f64::min), seen().fold(f64::NEG_INFINITY, f64::max));
    let share = |value: &f64| if high > low || !drawable(*value) { (value - low) / (high - low) } else { 0.5 };
    // The number stands below the middle where an arrow is drawn, so it is left to the cells without one.
    let text = |(value, moves): (&f64, &Vec<(f64, f64)>)| match drawable(*value) && moves.is_empty() {
        true => short(*value),
        false => String::new(),
    };
    let shares = values.iter().map(share).collect();
    let texts = values.iter().zip(moves).map(text).collect();
    let mut figure = Figure::new().size(side(columns, 130), side(rows, 70))?;
    figure = figure.cells(&names(rows), &names(columns), shares, texts)?;
    let arrows = moves.iter().enumerate().flat_map(|(at, moves)| {
        let middle = ((at % columns) as f64, (at / columns) as f64);
        moves.iter().flat_map(move |direction| arrow(middle, *direction))
    });
    figure.layers.push(Layer::Line { colour: class_colour(1), dashed: false, points: arrows.collect() });
    for share in [0.0, 0.5, 1.0].into_iter().filter(|share| high > low || (*share == 0.5 && high == low)) {
        let swatch = super::figure::Swatch::Area(super::colour::scale_colour(share));
        figure.entries.push((short(low + share * (high - low)), swatch));
    }
    Ok(figure)
}

/// The line of an arrow and of its head, with a gap behind.
fn arrow((x, y): (f64, f64), (right, down): (f64, f64)) -> [(f64, f64); 6] {
    let length = right.hypot(down).max(f64::MIN_POSITIVE);
    let (right, down) = (right / length, down / length);
    let tip = (x + HALF * right, y + HALF * down);
    let barb = |side: f64| (tip.0 - HEAD * (right - side * down), tip.1 - HEAD * (down + side * right));
    [(x, y), tip, barb(1.0), tip, barb(-1.0), (f64::NAN, f64::NAN)]
}
