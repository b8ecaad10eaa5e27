//! A line of letters as strokes.

use super::glyphs::{ACCENTED, GLYPHS, Glyph, MARKS};
use super::outline::{Outline, Piece, along, arc};
use crate::plot::svg::Anchor;

/// Units of the grid of letters for one font size.
const GRID: f64 = 100.0;
/// How thick strokes are, of the font's size.
const REGULAR: f64 = 0.088;
const BOLD: f64 = 0.135;
/// How much wider bold letters stand.
const BOLD_ADVANCE: f64 = 1.06;
/// How far a mark is raised above a capital.
const RAISED: f64 = 19.0;
/// What stands for a letter that is not known.
const UNKNOWN: Glyph = ('\u{fffd}', 56.0, "m 9 2 l 47 2 l 47 70 l 9 70 l 9 2");

/// Some text at some size.
pub(super) struct Line<'a> {
    pub text: &'a str,
    pub size: f64,
    pub bold: bool,
}

impl Line<'_> {
    pub fn stroke_width(&self) -> f64 {
        self.size * if self.bold { BOLD } else { REGULAR }
    }

    /// The strokes, from a place on the baseline on, around it, or up to it.
    pub fn outline(&self, (x, y): (f64, f64), anchor: Anchor) -> Outline {
        let unit = self.size / GRID;
        let wider = if self.bold { BOLD_ADVANCE } else { 1.0 };
        let width: f64 = self.text.chars().map(|letter| advance(letter) * wider * unit).sum();
        let mut left = match anchor {
            Anchor::Start => x,
            Anchor::Middle => x - width / 2.0,
            Anchor::End => x - width,
        };
        let mut outline = Outline::default();
        for letter in self.text.chars() {
            for Piece { points, closed } in strokes(letter) {
                let place = |(across, upward): (f64, f64)| (left + across * wider * unit, y - upward * unit);
                outline.pieces.push(Piece { points: points.into_iter().map(place).collect(), closed });
            }
            left += advance(letter) * wider * unit;
        }
        outline
    }
}

fn glyph(letter: char) -> Option<&'static Glyph> {
    GLYPHS.iter().find(|glyph| glyph.0 == letter)
}

/// The letter without its mark, and the mark.
fn parts(letter: char) -> Option<(char, char)> {
    let found = |(marked, plain, mark): &(&str, &str, char)| {
        let at = marked.chars().position(|known| known == letter)?;
        Some((plain.chars().nth(at)?, *mark))
    };
    ACCENTED.iter().find_map(found)
}

fn advance(letter: char) -> f64 {
    let plain = parts(letter).map_or(letter, |(plain, _)| plain);
    glyph(plain).unwrap_or(&UNKNOWN).1
}

/// The strokes of a letter on its grid.
fn strokes(letter: char) -> Vec<Piece> {
    let (plain, mark) = parts(letter).map_or((letter, None), |(plain, mark)| (plain, Some(mark)));
    let (_, width, text) = glyph(plain).unwrap_or(&UNKNOWN);
    let mut pieces = drawn(text);
    let mark = mark.and_then(|mark| MARKS.iter().find(|(known, _)| *known == mark));
    if let Some((mark, text)) = mark {
        let below = matches!(mark, '¸' | '˛');
        let raised = if plain.is_uppercase() && !below { RAISED } else { 0.0 };
        for mut piece in drawn(text) {
            piece.points.iter_mut().for_each(|point| *point = (point.0 + width / 2.0, point.1 + raised));
            pieces.push(piece);
        }
    }
    pieces
}

/// The strokes that a text of the grid says.
fn drawn(text: &str) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = vec![];
    let words: Vec<&str> = text.split(' ').collect();
    let mut at = 0;
    while at < words.len() {
        let end = (at + 1..words.len()).find(|next| words[*next].parse::<f64>().is_err()).unwrap_or(words.len());
        let numbers: Vec<f64> = words[at + 1..end].iter().filter_map(|word| word.parse().ok()).collect();
        match (words[at], &numbers[..]) {
            ("m", [x, y]) => pieces.push(Piece { points: vec![(*x, *y)], closed: false }),
            ("d", [x, y]) => pieces.push(dot(*x, *y)),
            ("o", [x, y, across, upward]) => {
                let points = arc((*x, *y), (*across, *upward), (0.0, std::f64::consts::TAU));
                pieces.push(Piece { points, closed: true });
            }
            ("a", [x, y, across, upward, from, to]) => {
                let points = arc((*x, *y), (*across, *upward), (from.to_radians(), to.to_radians()));
                continued(&mut pieces).extend(points);
            }
            ("l", [x, y]) => continued(&mut pieces).push((*x, *y)),
            ("q", [by_x, by_y, x, y]) => {
                let points = continued(&mut pieces);
                let (from, by, to) = (points.last().copied().unwrap_or_default(), (*by_x, *by_y), (*x, *y));
                let curve = (1..=12).map(|step| f64::from(step) / 12.0);
                points.extend(curve.map(|share| along(along(from, by, share), along(by, to, share), share)));
            }
            _ => {}
        }
        at = end;
    }
    pieces
}

/// The points of the stroke that is being drawn; a whole ellipse or a dot is one of its own.
fn continued(pieces: &mut Vec<Piece>) -> &mut Vec<(f64, f64)> {
    if pieces.last().is_none_or(|piece| piece.closed) {
        pieces.push(Piece::default());
    }
    let last = pieces.len() - 1;
    &mut pieces[last].points
}

/// A stroke about as long as it is thick.
fn dot(x: f64, y: f64) -> Piece {
    Piece { points: vec![(x - 5.5, y), (x + 5.5, y)], closed: false }
}
