//! The marks of points.

use std::collections::HashSet;

use super::svg::{Svg, number};

/// A shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Marker {
    Circle,
    Square,
    Triangle,
    Diamond,
    TriangleDown,
    /// For rows that stand out, whatever their class.
    Cross,
}

/// With ten colours, five shapes tell fifty classes apart.
const SHAPES: [Marker; 5] = [Marker::Circle, Marker::Square, Marker::Triangle, Marker::Diamond, Marker::TriangleDown];

impl Marker {
    pub(super) fn of_class(code: usize) -> Marker {
        // The colours come again after ten classes, with the next shape.
        SHAPES[(code + code / 10) % SHAPES.len()]
    }

    /// The mark at a place, with a size that looks alike for every shape.
    pub(super) fn draw(self, svg: &mut Svg, (x, y): (f64, f64), size: f64) {
        let path = |corners: &[(f64, f64)]| {
            let corner = |(dx, dy): &(f64, f64)| format!("{} {}", number(x + dx * size), number(y + dy * size));
            format!("d=\"M{}z\"", corners.iter().map(corner).collect::<Vec<_>>().join("L"))
        };
        match self {
            Marker::Circle => {
                svg.element("circle", &format!("cx=\"{}\" cy=\"{}\" r=\"{}\"", number(x), number(y), number(size)));
            }
            Marker::Square => svg.element("path", &path(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)])),
            Marker::Triangle => svg.element("path", &path(&[(0.0, -1.25), (1.15, 0.8), (-1.15, 0.8)])),
            Marker::Diamond => svg.element("path", &path(&[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)])),
            Marker::TriangleDown => svg.element("path", &path(&[(0.0, 1.25), (1.15, -0.8), (-1.15, -0.8)])),
            Marker::Cross => {
                let arm = [(0.0, 0.4), (1.2, 1.6), (1.6, 1.2), (0.4, 0.0)];
                let turned = |turn: usize| arm.map(|(x, y)| [(x, y), (y, -x), (-x, -y), (-y, x)][turn]);
                svg.element("path", &path(&[0, 1, 2, 3].map(turned).concat()));
            }
        }
    }
}

/// Smaller marks for more points.
pub(super) fn size_for(count: usize) -> f64 {
    match count {
        0..200 => 4.0,
        200..1000 => 3.0,
        1000..5000 => 2.2,
        _ => 1.6,
    }
}

/// Places of points to a fifth of a pixel, each once: a million points make a file of bounded size.
pub(super) fn distinct(places: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    let mut seen = HashSet::new();
    let round = |value: f64| (value * 5.0).round() as i32;
    let places = places.map(|(x, y)| (round(x), round(y))).filter(|place| seen.insert(*place));
    places.map(|(x, y)| (x as f64 / 5.0, y as f64 / 5.0)).collect()
}
