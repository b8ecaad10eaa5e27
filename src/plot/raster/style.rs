//! How an element is drawn: what it says itself, and what those around it say.

use super::elements::Element;
use super::outline::Transform;
use crate::plot::svg::Anchor;

/// A colour and how much of it covers what is below.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Paint {
    pub colour: [u8; 3],
    pub opacity: f64,
}

/// A part of the canvas in pixels: left, top, right, bottom.
pub(super) type Clip = [f64; 4];

#[derive(Debug, Clone)]
pub(super) struct Style {
    pub transform: Transform,
    pub fill: Option<Paint>,
    pub stroke: Option<Paint>,
    pub stroke_width: f64,
    pub round_caps: bool,
    pub dashes: Vec<f64>,
    pub font_size: f64,
    pub bold: bool,
    pub anchor: Anchor,
    /// Whether edges lie between pixels.
    pub crisp: bool,
    pub clip: Option<Clip>,
}

impl Default for Style {
    fn default() -> Style {
        Style {
            transform: Transform::scale(1.0),
            fill: Some(Paint { colour: [0, 0, 0], opacity: 1.0 }),
            stroke: None,
            stroke_width: 1.0,
            round_caps: false,
            dashes: vec![],
            font_size: 12.0,
            bold: false,
            anchor: Anchor::Start,
            crisp: false,
            clip: None,
        }
    }
}

impl Style {
    /// The same at another place.
    pub fn at(self, transform: Transform) -> Style {
        Style { transform, ..self }
    }

    /// The style of an element inside one of this style.
    pub fn inside(&self, element: &Element<'_>) -> Style {
        let mut style = self.clone();
        let paint = |name: &str, opacity: f64, outer: Option<Paint>| match element.attribute(name) {
            None => outer,
            Some(text) => colour(text).map(|colour| Paint { colour, opacity }),
        };
        style.fill = paint("fill", element.number("fill-opacity").unwrap_or(1.0), self.fill);
        style.stroke = paint("stroke", 1.0, self.stroke);
        style.stroke_width = element.number("stroke-width").unwrap_or(self.stroke_width);
        style.font_size = element.number("font-size").unwrap_or(self.font_size);
        style.bold |= element.attribute("font-weight") == Some("bold");
        style.round_caps |= element.attribute("stroke-linecap") == Some("round");
        style.crisp |= element.attribute("shape-rendering") == Some("crispEdges");
        if let Some(dashes) = element.attribute("stroke-dasharray") {
            style.dashes = dashes.split(' ').filter_map(|length| length.parse().ok()).collect();
        }
        style.anchor = match element.attribute("text-anchor") {
            Some("middle") => Anchor::Middle,
            Some("end") => Anchor::End,
            Some(_) => Anchor::Start,
            None => self.anchor,
        };
        if let Some(text) = element.attribute("transform") {
            style.transform = self.transform.then(text);
        }
        style
    }

    /// The same within the edges of an element.
    pub fn clipped(self, element: &Element<'_>) -> Style {
        let (width, height) = (element.number("width").unwrap_or(0.0), element.number("height").unwrap_or(0.0));
        let (left, top) = self.transform.apply((0.0, 0.0));
        let (right, bottom) = self.transform.apply((width, height));
        let clip = match self.clip {
            Some([l, t, r, b]) => [left.max(l), top.max(t), right.min(r), bottom.min(b)],
            None => [left, top, right, bottom],
        };
        Style { clip: Some(clip), ..self }
    }
}

/// `#rrggbb`; nothing for `none`.
fn colour(text: &str) -> Option<[u8; 3]> {
    let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6 && digits.is_ascii())?;
    let part = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).ok();
    Some([part(0)?, part(2)?, part(4)?])
}
