//! States on a circle with arrows between them.

use super::colour::{FAINT, INK, class_colour, class_tint};
use super::figure::Figure;
use super::svg::{Anchor, Svg, number, shortened, text_width};
use crate::error::{Error, Result};

/// States that there is room for.
const MOST_STATES: usize = 24;
/// Radius of a state, distance of neighbours on the circle, and room around it.
const STATE: f64 = 22.0;
const APART: f64 = 92.0;
const MARGIN: f64 = 74.0;
const TITLE: f64 = 24.0;
/// Letters of a name inside a state.
const LETTERS: usize = 6;
/// Pieces of a curved arrow.
const PIECES: usize = 24;
/// How far an arrow bends aside, as a share of its length: the one back bends to the other side.
const BEND: f64 = 0.16;

/// States at their places and the arrows between them.
#[derive(Debug, Clone)]
pub(super) struct Network {
    names: Vec<String>,
    arrows: Vec<(usize, usize, f64, String)>,
    radius: f64,
}

type Point = (f64, f64);

impl Figure {
    /// States on a circle and arrows between them, each from a state to a state with a weight from 0 to 1, which decides
    /// how strong it is drawn, and a text. At most 24 states.
    ///
    /// ```
    /// use gristmill::plot::Figure;
    /// let arrows = [(0, 1, 0.9, "0.9".to_string()), (0, 0, 0.1, "0.1".to_string()), (1, 0, 1.0, "1".to_string())];
    /// let svg = Figure::network(&["rain", "sun"], &arrows)?.title("Weather").to_svg();
    /// assert!(svg.contains(">rain<") && svg.contains(">0.9<"));
    /// # Ok::<(), gristmill::Error>(())
    /// ```
    pub fn network<S: AsRef<str>>(names: &[S], arrows: &[(usize, usize, f64, String)]) -> Result<Figure> {
        if names.is_empty() || names.len() > MOST_STATES {
            return Err(Error::shape("Figure::network", format!("from 1 to {MOST_STATES} states"), names.len()));
        }
        if let Some((from, to, ..)) = arrows.iter().find(|(from, to, ..)| (*from).max(*to) >= names.len()) {
            let (expected, got) = (format!("states below {}", names.len()), format!("an arrow from {from} to {to}"));
            return Err(Error::shape("Figure::network", expected, got));
        }
        let radius = match names.len() {
            1 => 0.0,
            count => (APART / 2.0 / (std::f64::consts::PI / count as f64).sin()).max(80.0),
        };
        let mut figure = Figure::new();
        (figure.width, figure.height) = (2.0 * (radius + MARGIN), 2.0 * (radius + MARGIN) + TITLE);
        let names = names.iter().map(|name| name.as_ref().to_string()).collect();
        figure.network = Some(Network { names, arrows: arrows.to_vec(), radius });
        Ok(figure)
    }
}

impl Network {
    fn middle(&self) -> Point {
        (self.radius + MARGIN, self.radius + MARGIN + TITLE)
    }

    /// The first state is on top, the others follow clockwise.
    fn place(&self, state: usize) -> Point {
        let angle = std::f64::consts::TAU * state as f64 / self.names.len() as f64;
        let (x, y) = self.middle();
        (x + self.radius * angle.sin(), y - self.radius * angle.cos())
    }

    /// Draws arrows, then states, then the texts of the arrows.
    pub(super) fn draw(&self, svg: &mut Svg) {
        let mut texts = vec![];
        for (from, to, weight, text) in &self.arrows {
            let path = if from == to { self.loop_of(*from) } else { self.arc(*from, *to) };
            let colour = if from == to { FAINT.to_string() } else { class_colour(0) };
            draw_path(svg, &path, &colour, 0.8 + 2.4 * weight.clamp(0.0, 1.0));
            // Not in the middle, where the arrows of opposite states cross.
            texts.push((path[path.len() * 2 / 5], text));
        }
        for (state, name) in self.names.iter().enumerate() {
            let (x, y) = self.place(state);
            let circle = format!("cx=\"{}\" cy=\"{}\" r=\"{}\"", number(x), number(y), number(STATE));
            svg.element("circle", &format!("{circle} fill=\"{}\" stroke=\"{FAINT}\"", class_tint(state)));
            let weight = format!("fill=\"{INK}\" font-weight=\"bold\"");
            svg.text((x, y + 4.0), Anchor::Middle, &weight, &shortened(name, LETTERS));
        }
        for ((x, y), text) in texts {
            let width = text_width(text, 11.0) + 2.0;
            svg.rectangle(x - width / 2.0, y - 8.0, width, 13.0, "fill=\"#ffffff\" fill-opacity=\"0.8\"");
            svg.text((x, y + 2.0), Anchor::Middle, &format!("fill=\"{INK}\" font-size=\"11\""), text);
        }
    }

    /// A bent line from the edge of one state to that of another.
    fn arc(&self, from: usize, to: usize) -> Vec<Point> {
        let (start, end) = (self.place(from), self.place(to));
        let (across, down) = (end.0 - start.0, end.1 - start.1);
        let bent = ((start.0 + end.0) / 2.0 - BEND * down, (start.1 + end.1) / 2.0 + BEND * across);
        let at = |share: f64| {
            let blend = |a: f64, b: f64, c: f64| {
                (1.0 - share) * (1.0 - share) * a + 2.0 * share * (1.0 - share) * b + share * share * c
            };
            (blend(start.0, bent.0, end.0), blend(start.1, bent.1, end.1))
        };
        let inside = |point: Point, state: Point| (point.0 - state.0).hypot(point.1 - state.1) < STATE + 1.0;
        let points = (0..=4 * PIECES).map(|piece| at(piece as f64 / (4 * PIECES) as f64));
        points.filter(|point| !inside(*point, start) && !inside(*point, end)).collect()
    }

    /// A loop on the far side of the circle.
    fn loop_of(&self, state: usize) -> Vec<Point> {
        let (place, middle) = (self.place(state), self.middle());
        let (x, y) = if self.radius > 0.0 { (place.0 - middle.0, place.1 - middle.1) } else { (0.0, -1.0) };
        let outward = y.atan2(x);
        let centre = (place.0 + 1.45 * STATE * outward.cos(), place.1 + 1.45 * STATE * outward.sin());
        // Around its centre, from one side of the state to the other.
        let turn = |piece: usize| outward + std::f64::consts::PI * (-0.78 + 1.56 * piece as f64 / PIECES as f64);
        let at = |angle: f64| (centre.0 + 0.72 * STATE * angle.cos(), centre.1 + 0.72 * STATE * angle.sin());
        (0..=PIECES).map(|piece| at(turn(piece))).collect()
    }
}

/// A line through points with a head at its end.
fn draw_path(svg: &mut Svg, points: &[Point], colour: &str, width: f64) {
    let [.., before, end] = points else { return };
    let places: Vec<String> = points.iter().map(|(x, y)| format!("{} {}", number(*x), number(*y))).collect();
    let stroke = format!("stroke=\"{colour}\" stroke-width=\"{}\"", number(width));
    svg.element("path", &format!("d=\"M{}\" fill=\"none\" {stroke}", places.join("L")));
    let angle = (end.1 - before.1).atan2(end.0 - before.0);
    let (sine, cosine) = angle.sin_cos();
    let corner = |(along, aside): Point| {
        let (x, y) = (end.0 + along * cosine - aside * sine, end.1 + along * sine + aside * cosine);
        format!("{},{}", number(x), number(y))
    };
    let head = [(3.0, 0.0), (-7.0, -4.5), (-7.0, 4.5)].map(corner);
    svg.element("polygon", &format!("points=\"{}\" fill=\"{colour}\"", head.join(" ")));
}
