//! Pictures in pixels: the SVG that this module writes, drawn with anti-aliasing and encoded as PNG.
//!
//! It reads the few elements that [`Svg`](super::svg::Svg) writes and no others, so both forms of a picture come from the
//! same drawing. Letters are strokes of a font of its own; what that lacks is shown as a box.

mod canvas;
mod elements;
mod font;
mod glyphs;
mod outline;
mod png;
mod style;

use canvas::Canvas;
use elements::{Element, elements};
use outline::{Outline, Transform};
use style::{Paint, Style};

use crate::error::{Error, Result};

/// Pixels for each unit of the picture, so that it is sharp on any screen.
const SCALE: f64 = 2.0;
/// Pixels at most: a larger picture has fewer for each unit.
const MOST_PIXELS: f64 = 6e7;

/// The bytes of a PNG file with a picture of ours.
pub(super) fn to_png(svg: &str) -> Result<Vec<u8>> {
    let mut elements = elements(svg).into_iter();
    let root = elements.next().ok_or_else(|| Error::shape("plot", "a picture", "nothing"))?;
    let (width, height) = (root.number("width").unwrap_or(1.0), root.number("height").unwrap_or(1.0));
    let scale = SCALE.min((MOST_PIXELS / (width * height)).sqrt());
    let pixels = |side: f64| (side * scale).round().max(1.0) as usize;
    let mut canvas = Canvas::new(pixels(width), pixels(height));
    let first = Style::default().inside(&root).at(Transform::scale(scale));
    // The styles of the elements that are open, the innermost last.
    let mut open = vec![first.clone()];
    for element in elements {
        let outer = open.last().unwrap_or(&first);
        match element {
            Element { closes: true, .. } => {
                open.pop();
            }
            element if element.opens => {
                let style = outer.inside(&element);
                let style = if element.name == "svg" { style.clipped(&element) } else { style };
                open.push(style);
            }
            element => draw(&mut canvas, &element, &outer.inside(&element)),
        }
    }
    png::encode(canvas.width(), canvas.height(), canvas.pixels(), SCALE.min(scale))
}

/// Fills and strokes one element.
fn draw(canvas: &mut Canvas, element: &Element<'_>, style: &Style) {
    if element.name == "text" {
        return draw_text(canvas, element, style);
    }
    let Some(outline) = shape(element) else { return };
    let outline = outline.placed(&style.transform);
    if let Some(fill) = style.fill {
        let outline = if style.crisp { outline.rounded() } else { outline.clone() };
        canvas.fill(&outline.closed(), fill, style.clip);
    }
    if let Some(Paint { colour, opacity }) = style.stroke {
        let scale = style.transform.factor();
        let dashes: Vec<f64> = style.dashes.iter().map(|length| length * scale).collect();
        let stroked = outline.dashed(&dashes).stroked(style.stroke_width * scale, style.round_caps);
        canvas.fill(&stroked, Paint { colour, opacity }, style.clip);
    }
}

/// Letters: a pale edge first where there is one, then the strokes themselves.
fn draw_text(canvas: &mut Canvas, element: &Element<'_>, style: &Style) {
    let at = (element.number("x").unwrap_or(0.0), element.number("y").unwrap_or(0.0));
    let line = font::Line { text: &element.text, size: style.font_size, bold: style.bold };
    let (strokes, width) = (line.outline(at, style.anchor).placed(&style.transform), line.stroke_width());
    let scale = style.transform.factor();
    if let Some(edge) = style.stroke {
        canvas.fill(&strokes.stroked((width + style.stroke_width) * scale, true), edge, style.clip);
    }
    if let Some(fill) = style.fill {
        canvas.fill(&strokes.stroked(width * scale, false), fill, style.clip);
    }
}

/// The outline of an element.
fn shape(element: &Element<'_>) -> Option<Outline> {
    let number = |name: &str| element.number(name);
    let or_zero = |name: &str| number(name).unwrap_or(0.0);
    match element.name {
        "rect" => {
            Some(Outline::rectangle((or_zero("x"), or_zero("y")), (number("width")?, number("height")?), or_zero("rx")))
        }
        "circle" => Some(Outline::circle((number("cx")?, number("cy")?), number("r")?)),
        "line" => Some(Outline::line((number("x1")?, number("y1")?), (number("x2")?, number("y2")?))),
        "path" => Some(Outline::path(element.attribute("d")?)),
        "polygon" => Some(Outline::polygon(element.attribute("points")?)),
        _ => None,
    }
}
