//! Outlines as lines between points: shapes, their strokes and dashes.

use std::f64::consts::TAU;

type Point = (f64, f64);

/// How much farther than straight on a corner may reach before it is round instead: right angles are corners.
const SHARPEST: f64 = 1.6;

/// A place, a turn and a scale: x' = a·x + c·y + e, y' = b·x + d·y + f.
#[derive(Debug, Clone, Copy)]
pub(super) struct Transform([f64; 6]);

impl Transform {
    pub fn scale(factor: f64) -> Transform {
        Transform([factor, 0.0, 0.0, factor, 0.0, 0.0])
    }

    pub fn apply(&self, (x, y): Point) -> Point {
        let [a, b, c, d, e, f] = self.0;
        (a * x + c * y + e, b * x + d * y + f)
    }

    /// How much longer a line becomes.
    pub fn factor(&self) -> f64 {
        let [a, b, c, d, ..] = self.0;
        (a * d - b * c).abs().sqrt()
    }

    /// This after `translate(x y)` or `rotate(degrees x y)`.
    pub fn then(&self, text: &str) -> Transform {
        let (name, numbers) = text.trim_end_matches(')').split_once('(').unwrap_or((text, ""));
        let numbers: Vec<f64> = numbers.split([' ', ',']).filter_map(|number| number.parse().ok()).collect();
        match (name, &numbers[..]) {
            ("translate", [x, y]) => self.over([1.0, 0.0, 0.0, 1.0, *x, *y]),
            ("rotate", [degrees, x, y]) => {
                let (sin, cos) = degrees.to_radians().sin_cos();
                self.over([cos, sin, -sin, cos, x - cos * x + sin * y, y - sin * x - cos * y])
            }
            _ => *self,
        }
    }

    fn over(&self, [a, b, c, d, e, f]: [f64; 6]) -> Transform {
        let [p, q, r, s, t, u] = self.0;
        Transform([p * a + r * b, q * a + s * b, p * c + r * d, q * c + s * d, p * e + r * f + t, q * e + s * f + u])
    }
}

/// Pieces of lines, each closed or open.
#[derive(Debug, Clone, Default)]
pub(super) struct Outline {
    pub pieces: Vec<Piece>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Piece {
    pub points: Vec<Point>,
    pub closed: bool,
}

impl Outline {
    fn of(points: Vec<Point>, closed: bool) -> Outline {
        Outline { pieces: vec![Piece { points, closed }] }
    }

    pub fn line(from: Point, to: Point) -> Outline {
        Outline::of(vec![from, to], false)
    }

    pub fn circle(center: Point, radius: f64) -> Outline {
        Outline::of(arc(center, (radius, radius), (0.0, TAU)), true)
    }

    /// A rectangle, with round corners where they have a radius.
    pub fn rectangle((x, y): Point, (width, height): Point, radius: f64) -> Outline {
        if radius <= 0.0 {
            return Outline::of(vec![(x, y), (x + width, y), (x + width, y + height), (x, y + height)], true);
        }
        let (right, bottom) = (x + width - radius, y + height - radius);
        let corners = [(right, y + radius), (right, bottom), (x + radius, bottom), (x + radius, y + radius)];
        let corner = |(at, center): (usize, &Point)| {
            let from = TAU * (at as f64 / 4.0 - 0.25);
            arc(*center, (radius, radius), (from, from + TAU / 4.0))
        };
        Outline::of(corners.iter().enumerate().flat_map(corner).collect(), true)
    }

    /// `x,y x,y …`, closed.
    pub fn polygon(text: &str) -> Outline {
        let point = |pair: &str| pair.split_once(',').and_then(|(x, y)| Some((x.parse().ok()?, y.parse().ok()?)));
        Outline::of(text.split(' ').filter_map(point).collect(), true)
    }

    /// A path of `M`, `L`, `H`, `V` and `z`.
    pub fn path(text: &str) -> Outline {
        let mut outline = Outline::default();
        for (at, _) in text.match_indices(|letter: char| letter.is_ascii_alphabetic()) {
            let rest = &text[at + 1..];
            let end = rest.find(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(rest.len());
            let numbers: Vec<f64> = rest[..end].split([' ', ',']).filter_map(|number| number.parse().ok()).collect();
            if let ("M", [x, y]) = (&text[at..=at], &numbers[..]) {
                outline.pieces.push(Piece { points: vec![(*x, *y)], closed: false });
                continue;
            }
            let Some(piece) = outline.pieces.last_mut() else { continue };
            let last = piece.points.last().copied().unwrap_or_default();
            match (&text[at..=at], &numbers[..]) {
                ("L", [x, y]) => piece.points.push((*x, *y)),
                ("H", [x]) => piece.points.push((*x, last.1)),
                ("V", [y]) => piece.points.push((last.0, *y)),
                _ => piece.closed = true,
            }
        }
        outline
    }

    /// The same elsewhere.
    pub fn placed(&self, transform: &Transform) -> Outline {
        self.mapped(|point| transform.apply(point))
    }

    /// The same with every point between pixels.
    pub fn rounded(&self) -> Outline {
        self.mapped(|(x, y)| (x.round(), y.round()))
    }

    fn mapped(&self, place: impl Fn(Point) -> Point) -> Outline {
        let piece = |piece: &Piece| Piece {
            points: piece.points.iter().map(|point| place(*point)).collect(),
            closed: piece.closed,
        };
        Outline { pieces: self.pieces.iter().map(piece).collect() }
    }

    /// The polygons of the pieces, as a filling takes them.
    pub fn closed(&self) -> Vec<Vec<Point>> {
        self.pieces.iter().map(|piece| piece.points.clone()).collect()
    }

    /// Pieces as long as the dashes, with gaps as long as every second of them.
    pub fn dashed(&self, lengths: &[f64]) -> Outline {
        if lengths.iter().sum::<f64>() <= 0.0 {
            return self.clone();
        }
        let mut outline = Outline::default();
        for piece in &self.pieces {
            let (mut at, mut left, mut dash) = (0, lengths[0], vec![]);
            dash.extend(piece.points.first());
            for pair in piece.points.windows(2) {
                let (mut from, to) = (pair[0], pair[1]);
                loop {
                    let length = distance(from, to);
                    if length <= left {
                        left -= length;
                        dash.push(to);
                        break;
                    }
                    from = along(from, to, left / length);
                    dash.push(from);
                    if at % 2 == 0 {
                        outline.pieces.push(Piece { points: std::mem::take(&mut dash), closed: false });
                    }
                    dash = vec![from];
                    at += 1;
                    left = lengths[at % lengths.len()];
                }
            }
            if at % 2 == 0 {
                outline.pieces.push(Piece { points: dash, closed: false });
            }
        }
        outline
    }

    /// The polygons that a pen of this width covers. Boxes along the lines share their corners where the way bends little,
    /// so that no part of an edge is covered twice; at sharp bends and round ends there is a disc.
    pub fn stroked(&self, width: f64, round_caps: bool) -> Vec<Vec<Point>> {
        let mut polygons = vec![];
        for Piece { points, closed } in &self.pieces {
            let mut points = points.clone();
            points.dedup_by(|one, other| distance(*one, *other) < 1e-9);
            if *closed && points.len() > 1 && distance(points[0], points[points.len() - 1]) < 1e-9 {
                points.pop();
            }
            Pen { half: width / 2.0, closed: *closed && points.len() > 2, round_caps }.along(&points, &mut polygons);
        }
        polygons
    }
}

/// A pen on its way.
struct Pen {
    half: f64,
    closed: bool,
    round_caps: bool,
}

impl Pen {
    fn along(&self, points: &[Point], polygons: &mut Vec<Vec<Point>>) {
        let disc = |point: Point| arc(point, (self.half, self.half), (0.0, TAU));
        if let [only] = points {
            return polygons.push(disc(*only));
        }
        let count = points.len();
        let lines = if self.closed { count } else { count.saturating_sub(1) };
        let direction = |line: usize| {
            let (from, to) = (points[line % count], points[(line + 1) % count]);
            let length = distance(from, to);
            ((to.0 - from.0) / length, (to.1 - from.1) / length)
        };
        // Where a line and the next one share their corners: how far those lie beside the point.
        let shared = |line: usize| {
            let (one, other) = (direction(line), direction(line + 1));
            let (x, y) = (one.0 + other.0, one.1 + other.1);
            let stretch = 2.0 / (x * x + y * y);
            // The corner reaches √(2·stretch) times as far as a straight line's.
            ((2.0 * stretch).sqrt() < SHARPEST).then(|| (-y * stretch * self.half, x * stretch * self.half))
        };
        let is_bend = |line: usize| self.closed || line + 1 < lines;
        for line in 0..lines {
            let (x, y) = direction(line);
            let straight = (-y * self.half, x * self.half);
            let before = (line > 0 || self.closed).then(|| shared((line + lines - 1) % lines)).flatten();
            let after = is_bend(line).then(|| shared(line)).flatten();
            let ((from, to), begin, end) =
                ((points[line], points[(line + 1) % count]), before.unwrap_or(straight), after.unwrap_or(straight));
            let beside = |point: Point, by: Point, sign: f64| (point.0 + sign * by.0, point.1 + sign * by.1);
            polygons.push(vec![
                beside(from, begin, 1.0),
                beside(to, end, 1.0),
                beside(to, end, -1.0),
                beside(from, begin, -1.0),
            ]);
            if is_bend(line) && after.is_none() {
                polygons.push(disc(to));
            }
        }
        if self.round_caps && !self.closed {
            polygons.extend([points.first(), points.last()].into_iter().flatten().map(|end| disc(*end)));
        }
    }
}

/// Points on an ellipse from one angle to another, close enough to look round.
pub(super) fn arc((x, y): Point, (across, upward): Point, (from, to): Point) -> Vec<Point> {
    let steps = ((to - from).abs() * across.max(upward).max(1.0).sqrt() * 2.5).ceil().clamp(6.0, 90.0) as usize;
    let point = |step: usize| {
        let (sin, cos) = (from + (to - from) * step as f64 / steps as f64).sin_cos();
        (x + across * cos, y + upward * sin)
    };
    (0..=steps).map(point).collect()
}

fn distance(from: Point, to: Point) -> f64 {
    (to.0 - from.0).hypot(to.1 - from.1)
}

pub(super) fn along(from: Point, to: Point, share: f64) -> Point {
    (from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share)
}
